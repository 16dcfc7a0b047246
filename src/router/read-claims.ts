import { systemCode } from '../protocol/errors.ts';
import type { Claim } from '../routing/inputs.ts';
import type { ClaimedFile, PassBudget } from '../spool/claim.ts';
import { parseClaimName } from '../spool/claim-name.ts';
import { type ReadContext, readClaim } from '../spool/read-claim.ts';
import type { FileTrouble } from '../spool/scan.ts';
import type { SlowSenders } from '../spool/slow-senders.ts';

/** Claims that were read, and what is left. */
export interface ReadClaims {
  claims: Claim[];
  /** Claims that can't be read now; they stay. */
  trouble: FileTrouble[];
  /** A writer is still at one of them. */
  waiting: boolean;
  /** The budget ran out first. */
  more: boolean;
  /** What is left of it. */
  budget: PassBudget;
}

/**
 * Reads claims as far as the budget goes, so that a backlog is decided on piece by piece. One that has
 * to wait costs nothing of it and holds up no other.
 */
export function readClaims(
  claimed: readonly ClaimedFile[],
  context: TimedContext,
  budget: PassBudget,
): ReadClaims {
  const read: ReadClaims = {
    ...{ claims: [], trouble: [], waiting: false, more: false },
    budget: { ...budget },
  };
  for (const file of claimed) {
    if (read.budget.lettersPerPass <= 0 || read.budget.bytesPerPass <= 0) {
      read.more = true;
      break;
    }
    const claim = tryRead(file, context, read);
    if (claim === undefined) continue;
    read.claims.push(claim);
    read.budget.lettersPerPass -= 1;
    read.budget.bytesPerPass -= claim.original?.byteLength ?? 0;
  }
  return read;
}

interface TimedContext extends ReadContext {
  slowSenders: SlowSenders;
}

function tryRead(file: ClaimedFile, context: TimedContext, read: ReadClaims): Claim | undefined {
  const parts = parseClaimName(file.name);
  // Not put there by a router: whose it is, nobody knows. `doctor` tells of it.
  if (parts === undefined) return undefined;
  try {
    const claim = context.slowSenders.time(parts.sender, () => readClaim(file, context));
    read.waiting ||= claim === undefined;
    return claim;
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    read.trouble.push({ agent: parts.sender, name: parts.file, code });
    return undefined;
  }
}
