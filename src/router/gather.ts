/**
 * Collects what a pass decides on: letters taken out of the outboxes or left in `claim/`, owed copies
 * that are due, held messages to release, strays to report. Reading may fail for each one alone.
 * Inputs that a committed batch has decided on are left out, wherever they lie.
 */
import { type AgentId, DESK } from '../protocol/addresses.ts';
import type { BatchInputs, HeldMessage } from '../routing/inputs.ts';
import { type ClaimedFile, claimLetters } from '../spool/claim.ts';
import { dueDeferred } from './due-deferred.ts';
import { dueEscalations } from './due-escalations.ts';
import { endedHolds } from './ended-holds.ts';
import { noteFindings } from './note-findings.ts';
import { noteStrays } from './note-strays.ts';
import { readClaims } from './read-claims.ts';
import type { Router } from './router.ts';
import { inputKey } from './spoken-for.ts';

/** What a pass has to decide on, and what it leaves. */
export interface Work {
  inputs: BatchInputs;
  /** The budget ran out before the letters did. */
  more: boolean;
  /** Something waits for its writer. */
  waiting: boolean;
  /** The machine refuses something. */
  refused: boolean;
}

/** What a pass was asked for besides the letters. */
export interface GatherOptions {
  /** Held messages that a person releases. */
  releases: readonly HeldMessage[];
  /** Inputs that committed batches have decided on; see {@link inputKey}. */
  spokenFor: ReadonlySet<string>;
  /** False to leave new letters in the outboxes. */
  takeIn: boolean;
}

/** Nothing to decide on. */
export const NO_WORK: Work = {
  inputs: { claims: [], deferred: [], releases: [], escalations: [], strays: [] },
  more: false,
  waiting: false,
  refused: false,
};

/** Tells whether there is anything to decide on. */
export function hasInputs(inputs: BatchInputs): boolean {
  return Object.values(inputs).some((each) => each.length > 0);
}

/** Gathers the work of a pass. */
export function gatherWork(router: Router, options: GatherOptions): Work {
  const { settings, settling: watch, ids, clock } = router;
  const { limits, settle, budget } = settings;
  const nowMs = clock.monotonic();
  const floodLetters = router.floodPace.letters;
  const context = {
    ...{ ...router, limits, settle, budget, floodLetters, watch, nextId: ids.next, nowMs },
  };
  const left = readClaims(claimsLeft(router, options), context, budget);
  const { awake, resting } = senders(router, options);
  const found = router.scanner.scan(awake, budget, nowMs);
  const claimed = claimLetters(found.candidates, { ...context, budget: left.budget });
  const taken = readClaims(claimed.claimed, context, left.budget);
  const strays = noteStrays(found.strays, router, nowMs);
  for (const candidate of claimed.stayed) router.scanner.passOver(candidate);
  for (const agent of [...claimed.pending, ...strays.pending]) router.scanner.keepPending(agent);
  noteFindings({ found, claimed, unread: [...left.trouble, ...taken.trouble] }, router);
  return {
    inputs: {
      claims: [...left.claims, ...taken.claims],
      deferred: dueDeferred(router, options.spokenFor, nowMs),
      releases: releases(router, options),
      escalations: options.takeIn ? dueEscalations(router, nowMs) : [],
      strays: strays.due,
    },
    more: claimed.more || left.more || found.more,
    waiting: resting || claimed.waiting || strays.waiting || left.waiting || taken.waiting,
    refused: [found, claimed, left, taken].some(({ trouble }) => trouble.length > 0),
  };
}

/** Those whose letters are taken in now; not those who rest from slow ones. */
function senders(
  { census, slowSenders }: Router,
  { takeIn }: GatherOptions,
): { awake: AgentId[]; resting: boolean } {
  if (!takeIn || census === undefined) return { awake: [], resting: false };
  const all = [...census.roster.agents.keys(), DESK];
  const awake = all.filter((sender) => !slowSenders.rests(sender));
  return { awake, resting: awake.length < all.length };
}

/** The claims that no earlier pass could decide on, in the order they were accepted. */
function claimsLeft({ fs, epoch }: Router, { spokenFor }: GatherOptions): ClaimedFile[] {
  const isFree = (name: string) => !spokenFor.has(inputKey({ from: 'claim', name }));
  const names = fs.list(epoch.claim).filter(isFree);
  return names.sort().map((name) => ({ name }));
}

/** Each held message once, also when a person releases it at the end of the hold. */
function releases(router: Router, options: GatherOptions): HeldMessage[] {
  const keyOf = ({ holder, message }: HeldMessage) =>
    inputKey({ from: 'held', holder, id: message.id });
  const all = new Map<string, HeldMessage>();
  for (const held of [...options.releases, ...endedHolds(router)]) {
    const key = keyOf(held);
    if (!options.spokenFor.has(key) && !all.has(key)) all.set(key, held);
  }
  return [...all.values()];
}
