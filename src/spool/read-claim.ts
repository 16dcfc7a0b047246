import { join } from 'node:path';
import { AnchoredPaths } from '../hive/anchored-paths.ts';
import type { FileContent, HiveFs } from '../hive/hive-fs.ts';
import type { HiveLayout } from '../hive/layout.ts';
import { assessLetter } from '../letter/completeness.ts';
import type { LetterIssue, LetterLimits } from '../letter/letter.ts';
import { parseLetter } from '../letter/parse.ts';
import { type AgentId, BROADCAST_NAMES } from '../protocol/addresses.ts';
import { systemCode } from '../protocol/errors.ts';
import { parseMessage } from '../protocol/parse-message.ts';
import type { Claim } from '../routing/inputs.ts';
import type { KnownMessage, RoutingMemory } from '../routing/memory.ts';
import { parseClaimName } from './claim-name.ts';
import type { Epoch } from './epoch.ts';
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
 * Reads a claimed letter; these bytes are the ones that count.
 * @returns nothing when its writer is still at it through an open file, so it has to wait in `claim/`
 * @throws the system's error when the file can't be read now
 */
export function readClaim(claimName: string, context: ReadContext): Claim | undefined {
  const parts = parseClaimName(claimName);
  if (parts === undefined) return undefined;
  const claim = { ...parts, claimName };
  const content = readContent(claimName, context);
  if (content === 'not-a-file') return { ...claim, parsed: unreadable(NOT_A_FILE) };
  if (content.stat.sizeBytes > context.limits.letterBytes) {
    return { ...claim, parsed: unreadable(tooLarge(content.stat.sizeBytes, context.limits)) };
  }
  const { limits, settle, watch, nowMs } = context;
  const neededMs = settleMs(assessLetter(content.bytes, limits), settle);
  if (neededMs > 0 && !watch.hasSettled(content.stat, neededMs, nowMs)) return undefined;
  const parsed = parseLetter(content.bytes, limits);
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

function readContent(
  claimName: string,
  { fs, epoch, limits }: ReadContext,
): FileContent | 'not-a-file' {
  const path = join(epoch.claim, claimName);
  const stat = fs.stat(path);
  if (stat !== undefined && stat.kind !== 'file') return 'not-a-file';
  if (stat !== undefined && stat.sizeBytes > limits.letterBytes)
    return { bytes: new Uint8Array(), stat };
  return fs.read(path, limits.letterBytes + 1);
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
