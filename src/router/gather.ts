/**
 * Collects what a pass decides on: letters taken out of the outboxes or left in `claim/`, owed copies
 * that are due, held messages to release, strays to report. Reading may fail for each one alone.
 */
import { join } from 'node:path';
import { type AgentId, DESK } from '../protocol/addresses.ts';
import { systemCode } from '../protocol/errors.ts';
import type { BatchInputs, Claim, HeldMessage } from '../routing/inputs.ts';
import { claimLetters } from '../spool/claim.ts';
import { parseClaimName } from '../spool/claim-name.ts';
import { readClaim } from '../spool/read-claim.ts';
import { dueDeferred } from './due-deferred.ts';
import { endedHolds } from './ended-holds.ts';
import { noteFindings } from './note-findings.ts';
import { noteStrays } from './note-strays.ts';
import type { Router } from './router.ts';

/** What a pass has to decide on, and what it leaves. */
export interface Work {
  inputs: BatchInputs;
  /** Keys of the strays among the inputs, to be remembered once they are reported. */
  reported: string[];
  /** The budget ran out before the letters did. */
  more: boolean;
  /** Something waits for its writer or for a machine in trouble. */
  waiting: boolean;
}

/** Nothing to decide on. */
export const NO_WORK: Work = {
  inputs: { claims: [], deferred: [], releases: [], strays: [] },
  reported: [],
  more: false,
  waiting: false,
};

/** Tells whether there is anything to decide on. */
export function hasInputs({ claims, deferred, releases, strays }: BatchInputs): boolean {
  return claims.length + deferred.length + releases.length + strays.length > 0;
}

/**
 * Gathers the work of a pass. Called when nothing is owed, so every file in `claim/`, `deferred/` and
 * `held/` is free to be decided on.
 */
export function gatherWork(
  router: Router,
  { releases, takeIn }: { releases: HeldMessage[]; takeIn: boolean },
): Work {
  const { settings, settling: watch, ids, clock } = router;
  const { limits, settle, budget } = settings;
  const nowMs = clock.monotonic();
  const left = router.fs.list(router.epoch.claim).sort();
  const context = { ...router, limits, settle, budget, watch, nextId: ids.next, nowMs };
  const found = router.scanner.scan(takeIn ? senders(router) : [], budget.sortedNames, nowMs);
  const claimed = claimLetters(found.candidates, context);
  const strays = noteStrays(found.strays, router, nowMs);
  for (const agent of [...claimed.pending, ...strays.pending]) router.scanner.keepPending(agent);
  const read = readClaims([...left, ...claimed.claimed], context, router);
  noteFindings({ found, claimed }, router);
  return {
    inputs: {
      claims: read.claims,
      deferred: dueDeferred(router, nowMs),
      releases: [...releases, ...endedHolds(router)],
      strays: strays.due,
    },
    reported: strays.keys,
    more: claimed.more,
    waiting: claimed.pending.size > 0 || strays.waiting || read.waiting,
  };
}

function senders({ census }: Router): AgentId[] {
  return census === undefined ? [] : [...census.roster.agents.keys(), DESK];
}

function readClaims(
  names: readonly string[],
  context: Parameters<typeof readClaim>[1],
  router: Router,
): { claims: Claim[]; waiting: boolean } {
  const claims: Claim[] = [];
  const troubled = new Set<string>();
  let waiting = false;
  for (const name of names) {
    try {
      const claim = readClaim(name, context);
      if (claim !== undefined) claims.push(claim);
      waiting ||= claim === undefined;
    } catch (error) {
      const code = systemCode(error);
      if (code === undefined) throw error;
      waiting = true;
      troubled.add(`claim/${name}`);
      const { sender, file } = parseClaimName(name) ?? { sender: '?', file: name };
      const message = `The letter ${file} of ${sender} can't be read (${code}). It is kept and tried again: ${join(context.epoch.claim, name)}`;
      router.health.report(`claim/${name}`, { red: true, message });
    }
  }
  router.health.keepOnly('claim/', troubled);
  return { claims, waiting };
}
