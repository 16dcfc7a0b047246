import { makeAgentDirectory } from '../hive/agent-directory.ts';
import {
  answerRequest,
  type ControlResult,
  expireResults,
  listRequests,
  type PendingRequest,
  takeRequest,
} from '../hive/control.ts';
import { agentOf, writeRegistry } from '../hive/registry.ts';
import { changeRoster, type RosterChange } from '../hive/roster-change.ts';
import type { AgentId } from '../protocol/addresses.ts';
import { HivemailError, systemCode } from '../protocol/errors.ts';
import { escapeLine } from '../protocol/escape.ts';
import type { HiveEvent } from '../protocol/event.ts';
import type { HeldMessage } from '../routing/inputs.ts';
import { walkHeld } from './ended-holds.ts';
import { refreshHive } from './refresh.ts';
import type { Router } from './router.ts';

/** The releases that a pass was asked for, and what is to be answered once they are committed. */
export interface AppliedRequests {
  releases: HeldMessage[];
  answers: { pending: PendingRequest; result: ControlResult }[];
}

const LOOK_BACK_BYTES = 1024 * 1024;

/**
 * Takes the requests that wait in `.router/control/`, in their order; changes are made at once. Trouble
 * with them is theirs alone and stops no mail, and trouble with one of them stops no other.
 */
export async function applyRequests(router: Router): Promise<AppliedRequests> {
  const { fs, layout, clock, pendingEvents } = router;
  const applied: AppliedRequests = { releases: [], answers: [] };
  const trouble: string[] = [];
  await guarded(trouble, '.router/control', async () => {
    const found = listRequests(fs, layout);
    trouble.push(...found.trouble.map(({ name, code }) => `${name} (${code})`));
    for (const name of found.setAside) pendingEvents.push(setAsideEvent(name));
    for (const pending of found.pending) {
      await guarded(trouble, pending.name, () => carryOut(pending, router, applied));
    }
    expireResults(fs, layout, clock.now());
  });
  reportTrouble(trouble, router);
  return applied;
}

async function carryOut(
  pending: PendingRequest,
  router: Router,
  applied: AppliedRequests,
): Promise<void> {
  const { name, taken, request } = pending;
  if (request?.kind === 'release') {
    applied.answers.push({ pending, result: release(request.id, router, applied) });
    return;
  }
  const { fs, layout, unanswered } = router;
  const before = unanswered.get(name);
  if (before === undefined && !taken && request !== undefined) {
    await takeRequest(fs, layout, name);
    pending.taken = true;
  }
  // One that could not be answered is not carried out again for that.
  const result = before ?? (await applyChange(request?.change, taken, router));
  unanswered.set(name, result);
  await answerRequest(fs, layout, pending, result);
  unanswered.delete(name);
}

function setAsideEvent(name: string): HiveEvent {
  const note = `${escapeLine(name)} in .router/control is no file, and was set aside as no request.`;
  return { kind: 'warning', code: 'no-request', note };
}

/** Answers the requests for releases, once these are committed. */
export async function answerReleases({ answers }: AppliedRequests, router: Router): Promise<void> {
  if (answers.length === 0) return;
  const trouble: string[] = [];
  for (const { pending, result } of answers) {
    const answer = () => answerRequest(router.fs, router.layout, pending, result);
    await guarded(trouble, pending.name, answer);
  }
  if (trouble.length > 0) reportTrouble(trouble, router);
}

async function guarded(trouble: string[], name: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    trouble.push(`${name} (${code})`);
  }
}

function reportTrouble(trouble: readonly string[], { health }: Router): void {
  const [first] = trouble;
  if (first === undefined) return health.clear('control');
  const others = trouble.length === 1 ? '' : ` and ${trouble.length - 1} more`;
  const message = `A request in .router/control can't be read or answered: ${escapeLine(first)}${others}. It is tried again.`;
  health.report('control', { red: false, message });
}

function refused(code: 'usage' | 'not-found' | 'unhealthy' | 'io', message: string): ControlResult {
  return { ok: false, code, message };
}

/** @param again - a router that ended before it could answer may have made the change */
async function applyChange(
  change: RosterChange | undefined,
  again: boolean,
  router: Router,
): Promise<ControlResult> {
  const { census } = router;
  if (change === undefined) {
    return refused('usage', 'The request is not of a form that this router knows.');
  }
  if (census === undefined) {
    return refused('unhealthy', 'registry.json can not be read, so nothing can be changed.');
  }
  const result = changeRoster(census.registry, change);
  if (!result.ok) {
    // Refused because it is there already, and it is there by this very request.
    const isMade = again && change.op === 'add' && agentOf(census.registry, change.agent);
    if (!isMade) return result;
    return await complete(
      { agent: change.agent as AgentId, said: `${change.agent} is added.` },
      change,
      router,
    );
  }
  try {
    const { registry, agent } = result;
    await makeAgentDirectory(router.fs, router.layout, agent, agentOf(registry, agent) ?? {});
    await writeRegistry(router.fs, router.layout.registry, registry);
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    return refused(
      'io',
      `The change of ${result.agent} can't be written down (${code}). Try again.`,
    );
  }
  return await complete(result, change, router);
}

/** What follows a change that is written down. */
async function complete(
  { agent, said }: { agent: AgentId; said: string },
  change: RosterChange,
  router: Router,
): Promise<ControlResult> {
  await refreshHive(router);
  router.pendingEvents.push({ kind: 'roster', to: [agent], code: change.op, note: said });
  return { ok: true, said };
}

function release(id: string, router: Router, { releases }: AppliedRequests): ControlResult {
  const isMeant = ({ message }: HeldMessage) => message.id === id;
  if (!releases.some(isMeant)) {
    const entries = [...walkHeld(router)];
    const held = entries.filter((entry) => entry !== undefined).filter(isMeant);
    if (held.length === 0 && entries.includes(undefined)) {
      throw new HivemailError('io', 'Something in held/ can not be read now.');
    }
    if (held.length === 0) return notHeld(id, router);
    releases.push(...held.map((message) => ({ ...message, byPerson: true })));
  }
  return delivered(
    id,
    releases.filter(isMeant).map(({ holder }) => holder),
  );
}

/** A router that ended after the delivery and before the answer leaves the request to the next one. */
function notHeld(id: string, { log }: Router): ControlResult {
  const rows = log.tail(LOOK_BACK_BYTES).filter((row) => row.kind === 'release' && row.id === id);
  if (rows.length > 0) return delivered(id, [...new Set(rows.flatMap(({ to }) => to ?? []))]);
  return refused('not-found', `No held message has the id ${id}. See \`hivemail held\`.`);
}

function delivered(id: string, to: readonly string[]): ControlResult {
  return { ok: true, said: `${id} is delivered to ${to.join(', ')}.` };
}
