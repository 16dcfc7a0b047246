import { makeAgentDirectory } from '../hive/agent-directory.ts';
import { answerRequest, type ControlResult, listRequests } from '../hive/control.ts';
import { agentOf, writeRegistry } from '../hive/registry.ts';
import { changeRoster, type RosterChange } from '../hive/roster-change.ts';
import { HivemailError, systemCode } from '../protocol/errors.ts';
import type { HeldMessage } from '../routing/inputs.ts';
import { walkHeld } from './ended-holds.ts';
import { refreshHive } from './refresh.ts';
import type { Router } from './router.ts';

/** The releases that a pass was asked for, and what is to be answered once they are committed. */
export interface AppliedRequests {
  releases: HeldMessage[];
  answers: { name: string; result: ControlResult }[];
}

const LOOK_BACK_BYTES = 1024 * 1024;

/**
 * Takes the requests that wait in `.router/control/`, in their order; changes are made at once. Trouble
 * with them is theirs alone and stops no mail.
 */
export async function applyRequests(router: Router): Promise<AppliedRequests> {
  const { fs, layout } = router;
  const applied: AppliedRequests = { releases: [], answers: [] };
  await guarded(router, async () => {
    for (const { name, request } of listRequests(fs, layout)) {
      if (request?.kind === 'release') {
        applied.answers.push({ name, result: release(request.id, router, applied) });
      } else {
        await answerRequest(fs, layout, name, await applyChange(request?.change, router));
      }
    }
  });
  return applied;
}

/** Answers the requests for releases, once these are committed. */
export async function answerReleases({ answers }: AppliedRequests, router: Router): Promise<void> {
  if (answers.length === 0) return;
  await guarded(router, async () => {
    for (const { name, result } of answers) {
      await answerRequest(router.fs, router.layout, name, result);
    }
  });
}

async function guarded({ health }: Router, work: () => Promise<void>): Promise<void> {
  try {
    await work();
    health.clear('control');
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    const message = `A request in .router/control can't be read or answered (${code}). It is tried again.`;
    health.report('control', { red: false, message });
  }
}

function refused(code: 'usage' | 'not-found' | 'unhealthy' | 'io', message: string): ControlResult {
  return { ok: false, code, message };
}

async function applyChange(
  change: RosterChange | undefined,
  router: Router,
): Promise<ControlResult> {
  const { census, pendingEvents } = router;
  if (change === undefined) {
    return refused('usage', 'The request is not of a form that this router knows.');
  }
  if (census === undefined) {
    return refused('unhealthy', 'registry.json can not be read, so nothing can be changed.');
  }
  const result = changeRoster(census.registry, change);
  if (!result.ok) return result;
  const { registry, agent, said } = result;
  try {
    await makeAgentDirectory(router.fs, router.layout, agent, agentOf(registry, agent) ?? {});
    await writeRegistry(router.fs, router.layout.registry, registry);
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    return refused('io', `The change of ${agent} can't be written down (${code}). Try again.`);
  }
  await refreshHive(router);
  pendingEvents.push({ kind: 'roster', to: [agent], code: change.op, note: said });
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
