import { join } from 'node:path';
import { AnchoredPaths } from '../hive/anchored-paths.ts';
import type { HiveFs } from '../hive/hive-fs.ts';
import type { HiveLayout } from '../hive/layout.ts';
import { assessLetter } from '../letter/completeness.ts';
import type { LetterIssue, LetterLimits } from '../letter/letter.ts';
import { parseLetter } from '../letter/parse.ts';
import { type AgentId, BROADCAST_NAMES } from '../protocol/addresses.ts';
import { systemCode } from '../protocol/errors.ts';
import { parseMessage } from '../protocol/parse-message.ts';
import type { Claim } from '../routing/inputs.ts';
import type { KnownMessage, RoutingMemory } from '../routing/memory.ts';
import type { ClaimedFile } from './claim.ts';
import { parseClaimName } from './claim-name.ts';
import type { Epoch } from './epoch.ts';
import { isSameFile, type LetterFile, readLetterFile } from './letter-file.ts';
import { type SettleTimes, type SettleWatch, settleMs } from './settle.ts';

/** What reading claims needs. */
export interface ReadContext {
  fs: HiveFs;
  layout: HiveLayout;
  epoch: Epoch;
  limits: LetterLimits;
  settle: SettleTimes;
  watch: SettleWatch;
  memory: RoutingMemory;
  /** Monotonic milliseconds. */
  nowMs: number;
}

/**
 * Reads a claimed letter; these bytes are the ones that count. What was read right before the claim is
 * taken for it only where the claimed file is that one and was not written into since: until the rename
 * another may have come under its name, and a writer may go on through an open file.
 * @returns nothing when its writer is still at it, so it has to wait in `claim/`
 * @throws the system's error when the file can't be read now
 */
export function readClaim({ name, before }: ClaimedFile, context: ReadContext): Claim | undefined {
  const parts = parseClaimName(name);
  if (parts === undefined) return undefined;
  const claim = { ...parts, claimName: name };
  const file = readFile(name, before, context);
  if ('code' in file) return { ...claim, parsed: unreadable(file) };
  const { content, examined } = file;
  const { settle, watch, nowMs } = context;
  const neededMs = settleMs(assessLetter(examined), settle);
  if (neededMs > 0 && !watch.hasSettled(content.stat, neededMs, nowMs)) return undefined;
  const parsed = parseLetter(examined);
  // Nothing is wrong with the letter, but whoever knows its other name may write into the original later.
  if (content.stat.links > 1) parsed.repairs.push('hard-link');
  const parent = parsed.ok
    ? parentInMailbox(parts.sender, parsed.letter.inReplyTo, context)
    : undefined;
  return {
    ...claim,
    parsed,
    original: content.bytes,
    ...(parent === undefined ? {} : { parentInMailbox: parent }),
  };
}

function readFile(
  claimName: string,
  before: LetterFile | undefined,
  { fs, epoch, limits }: ReadContext,
): LetterFile | LetterIssue {
  const path = join(epoch.claim, claimName);
  const stat = fs.stat(path);
  if (stat !== undefined && stat.kind !== 'file') return NOT_A_FILE;
  if (stat !== undefined && stat.sizeBytes > limits.letterBytes) {
    return tooLarge(stat.sizeBytes, limits);
  }
  if (stat !== undefined && before !== undefined && isSameFile(before.content.stat, stat)) {
    return before;
  }
  const file = readLetterFile(fs, path, limits);
  const { sizeBytes } = file.content.stat;
  return sizeBytes > limits.letterBytes ? tooLarge(sizeBytes, limits) : file;
}

const NOT_A_FILE: LetterIssue = {
  code: 'not-a-file',
  path: '',
  message: 'This is a link, a pipe or a device, and not a file.',
  hint: 'Write the letter as an ordinary file.',
};

function tooLarge(sizeBytes: number, limits: LetterLimits): LetterIssue {
  return {
    code: 'too-large',
    path: '',
    message: `The file has ${sizeBytes} bytes; a letter has at most ${limits.letterBytes}.`,
    hint: 'Put the content into a file of its own and send a letter that says where it is.',
  };
}

function unreadable(issue: LetterIssue): Claim['parsed'] {
  return { ok: false, issues: [issue], repairs: [] };
}

/** An id that is safe as a file name; ids of other systems of this shape are. */
const MAILBOX_ID = /^[A-Za-z0-9][\w.-]{0,127}$/;
const MOST_PARENT_BYTES = 8 * 1024 * 1024;

function parentInMailbox(
  sender: AgentId,
  id: string | undefined,
  { fs, layout, memory }: ReadContext,
): KnownMessage | undefined {
  if (id === undefined || memory.message(id) !== undefined || !MAILBOX_ID.test(id))
    return undefined;
  using paths = new AnchoredPaths(fs, layout);
  for (const place of ['inbox', 'done'] as const) {
    const message = readMessage(fs, () => join(paths.of(sender, place), `${id}.json`));
    if (message?.id === id) {
      // Munder Difflin leaves `to` as it was addressed.
      const addressed = [message.to, ...(message.to_all ?? [])];
      const broadcast = addressed.some((to) => BROADCAST_NAMES.includes(to));
      return { ...message, to: [sender], broadcast };
    }
  }
  return undefined;
}

function readMessage(fs: HiveFs, path: () => string): ReturnType<typeof parseMessage> {
  try {
    return parseMessage(Buffer.from(fs.read(path(), MOST_PARENT_BYTES).bytes).toString('utf8'));
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
}
