import { join } from 'node:path';
import { AnchoredPaths } from '../hive/anchored-paths.ts';
import type { HiveFs } from '../hive/hive-fs.ts';
import type { HiveLayout } from '../hive/layout.ts';
import { assessLetter } from '../letter/completeness.ts';
import type { LetterLimits } from '../letter/letter.ts';
import type { AgentId } from '../protocol/addresses.ts';
import { systemCode } from '../protocol/errors.ts';
import type { MessageId } from '../protocol/ids.ts';
import { formatClaimName } from './claim-name.ts';
import type { Epoch } from './epoch.ts';
import { floodShare, takeTurns } from './fair-share.ts';
import { type LetterFile, readLetterFile } from './letter-file.ts';
import type { Candidate, FileTrouble } from './scan.ts';
import { type SettleTimes, type SettleWatch, settleMs } from './settle.ts';
import type { SlowSenders } from './slow-senders.ts';

/** How much one pass takes on. */
export interface PassBudget {
  lettersPerPass: number;
  lettersPerSender: number;
  /** A sender's letters of a pass may reach this and not begin beyond it: one of 1 MiB can take 0.2 s. */
  bytesPerSender: number;
  bytesPerPass: number;
  /** Most names of one outbox that are put in order. */
  sortedNames: number;
}

/** What claiming needs. */
export interface ClaimContext {
  fs: HiveFs;
  layout: HiveLayout;
  epoch: Epoch;
  limits: LetterLimits;
  settle: SettleTimes;
  watch: SettleWatch;
  slowSenders: SlowSenders;
  budget: PassBudget;
  /** Most letters of senders that flood. */
  floodLetters: number;
  nextId: () => MessageId;
  /** Monotonic milliseconds. */
  nowMs: number;
}

/** A file in `claim/`. */
export interface ClaimedFile {
  name: string;
  /** As it was read right before it was claimed; absent where nothing had to be read. */
  before?: LetterFile | undefined;
}

/** What was claimed, and what was not. */
export interface ClaimResult {
  /** In the order claimed. */
  claimed: ClaimedFile[];
  /** Owners of files that are waited for, refused, or left by the budget for the next pass. */
  pending: Set<AgentId>;
  /** Files that could not be taken: not complete yet, or refused by the machine. */
  stayed: Candidate[];
  /** A file is not complete yet, or was left by the budget. */
  waiting: boolean;
  trouble: FileTrouble[];
  /** The budget ran out: the next pass should follow at once. */
  more: boolean;
}

/**
 * Takes the letters that are ready out of their outboxes: one rename each, into a name that carries
 * the id, so that from here on neither a reused file name nor a slow writer can mix two letters. Each
 * outbox is held meanwhile, and none is reached through a link. Senders that flood come last.
 */
export function claimLetters(candidates: readonly Candidate[], context: ClaimContext): ClaimResult {
  const { budget, fs, layout } = context;
  using paths = new AnchoredPaths(fs, layout);
  const result: ClaimResult = {
    claimed: [],
    pending: new Set(),
    stayed: [],
    waiting: false,
    trouble: [],
    more: false,
  };
  const { quiet, flood, flooders } = takeTurns(candidates, {
    ...budget,
    letterBytes: context.limits.letterBytes,
  });
  const claiming = { ...context, paths, bytes: 0, result };
  claimEach(quiet, budget.lettersPerSender, claiming);
  const others = result.claimed.length;
  const most = Math.min(context.floodLetters, budget.lettersPerPass);
  const share = floodShare({ flooders, others, most });
  claimEach(flood, Math.min(share, budget.lettersPerSender), claiming);
  return result;
}

/** Claims as far as the budget goes. */
function claimEach(candidates: readonly Candidate[], perSender: number, claiming: Claiming): void {
  const { budget, limits, result, slowSenders } = claiming;
  const shares = new Map<AgentId, { letters: number; bytes: number }>();
  for (const candidate of candidates) {
    const { agent, stat } = candidate;
    slowSenders.noteMail(agent);
    const taken = shares.get(agent) ?? { letters: 0, bytes: 0 };
    if (isFull(claiming) || taken.letters >= perSender || taken.bytes >= budget.bytesPerSender) {
      result.pending.add(agent);
      result.waiting = true;
      result.more = true;
      continue;
    }
    if (!slowSenders.time(agent, () => claimCandidate(candidate, claiming))) continue;
    const bytes = Math.min(stat.sizeBytes, limits.letterBytes);
    shares.set(agent, { letters: taken.letters + 1, bytes: taken.bytes + bytes });
    claiming.bytes += bytes;
  }
}

function isFull({ budget, bytes, result, slowSenders }: Claiming): boolean {
  const { lettersPerPass, bytesPerPass } = budget;
  return result.claimed.length >= lettersPerPass || bytes >= bytesPerPass || slowSenders.isSpent;
}

interface Claiming extends ClaimContext {
  paths: AnchoredPaths;
  /** Bytes of what was claimed. */
  bytes: number;
  result: ClaimResult;
}

function claimCandidate(candidate: Candidate, context: Claiming): boolean {
  const { agent, name } = candidate;
  const { result } = context;
  try {
    const before = readSettled(candidate, context);
    if (before === 'waits') {
      result.stayed.push(candidate);
      result.pending.add(agent);
      result.waiting = true;
      return false;
    }
    const claimed = formatClaimName({ id: context.nextId(), sender: agent, file: name });
    const from = join(context.paths.of(agent, 'outbox'), name);
    context.fs.rename(from, join(context.epoch.claim, claimed));
    result.claimed.push({ name: claimed, before });
    return true;
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    if (code !== 'ENOENT') {
      result.stayed.push(candidate);
      result.pending.add(agent);
      result.trouble.push({ agent, name, code });
    }
    return false;
  }
}

/** Reads a letter that its writer is done with; one that needs no reading is never opened. */
function readSettled(
  { agent, name, stat }: Candidate,
  context: Claiming,
): LetterFile | undefined | 'waits' {
  const { fs, paths, limits, settle, watch, nowMs } = context;
  if (stat.kind !== 'file' || stat.sizeBytes > limits.letterBytes) return undefined;
  if (watch.isStill(stat, nowMs)) return 'waits';
  const file = readLetterFile(fs, join(paths.of(agent, 'outbox'), name), limits);
  const neededMs = settleMs(assessLetter(file.examined), settle);
  if (neededMs === 0 || watch.hasSettled(file.content.stat, neededMs, nowMs)) return file;
  return 'waits';
}
