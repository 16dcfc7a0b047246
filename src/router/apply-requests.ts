import { makeAgentDirectory } from '../hive/agent-directory.ts';
import { answerRequest, type ControlResult, listRequests } from '../hive/control.ts';
import { agentOf, writeRegistry } from '../hive/registry.ts';
import { changeRoster, type RosterChange } from '../hive/roster-change.ts';
import type { HeldMessage } from '../routing/inputs.ts';
import { listHeld } from './ended-holds.ts';
import { refreshHive } from './refresh.ts';
import type { Router } from './router.ts';

/** The releases that a pass was asked for, and what is to be answered once they are committed. */
export interface AppliedRequests {
  releases: HeldMessage[];
  answers: { name: string; result: ControlResult }[];
}

/** Takes the requests that wait in `.router/control/`, in their order; changes are made at once. */
export async function applyRequests(router: Router): Promise<AppliedRequests> {
  const { fs, layout } = router;
  const applied: AppliedRequests = { releases: [], answers: [] };
  for (const { name, request } of listRequests(fs, layout)) {
    if (request?.kind === 'release') {
      applied.answers.push({ name, result: release(request.id, router, applied) });
    } else {
      await answerRequest(fs, layout, name, await applyChange(request?.change, router));
    }
  }
  return applied;
}

/** Answers the requests for releases, once these are committed. */
export async function answerReleases({ answers }: AppliedRequests, router: Router): Promise<void> {
  for (const { name, result } of answers) {
    await answerRequest(router.fs, router.layout, name, result);
  }
}

function refused(code: 'usage' | 'not-found' | 'unhealthy', message: string): ControlResult {
  return { ok: false, code, message };
}

async function applyChange(
  change: RosterChange | undefined,
  router: Router,
): Promise<ControlResult> {
  const { fs, layout, census, pendingEvents } = router;
  if (change === undefined) {
    return refused('usage', 'The request is not of a form that this router knows.');
  }
  if (census === undefined) {
    return refused('unhealthy', 'registry.json can not be read, so nothing can be changed.');
  }
  const result = changeRoster(census.registry, change);
  if (!result.ok) return result;
  const agent = agentOf(result.registry, result.agent);
  if (agent !== undefined) await makeAgentDirectory(fs, layout, result.agent, agent);
  await writeRegistry(fs, layout.registry, result.registry);
  await refreshHive(router);
  pendingEvents.push({ kind: 'roster', to: [result.agent], code: change.op, note: result.said });
  return { ok: true, said: result.said };
}

function release(id: string, router: Router, applied: AppliedRequests): ControlResult {
  const already = applied.releases.some(({ message }) => message.id === id);
  const held = already ? [] : listHeld(router).filter(({ message }) => message.id === id);
  if (held.length === 0) {
    return refused('not-found', `No held message has the id ${id}. See \`hivemail held\`.`);
  }
  applied.releases.push(...held.map((message) => ({ ...message, byPerson: true })));
  const to = held.map(({ holder }) => holder).join(', ');
  return { ok: true, said: `${id} is delivered to ${to}.` };
}
