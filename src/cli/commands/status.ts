import {
  type AgentStatus,
  ageOf,
  ERRORS,
  escapeLine,
  type HiveStatus,
  isLeftBehind,
  type Leftovers,
  shellQuote,
  systemClock,
} from '../../index.ts';
import type { Context } from '../context.ts';
import { attentionLines, sessionCell, toldCell } from '../session-lines.ts';
import { renderTable } from '../table.ts';

/** A router that is well writes its health every half minute; one this late is stopped or stuck. */
const SILENT_MS = 120_000;

/** Shows how the hive stands. */
export async function status(context: Context): Promise<number> {
  const now = context.hive.status();
  const nowMs = systemClock.now();
  if (context.json) context.printJson({ ...now, atRisk: isAtRisk(now, nowMs) });
  else printStatus(context, now, nowMs);
  return isAtRisk(now, nowMs) ? ERRORS.unhealthy.exitCode : 0;
}

/** A router that is down has nothing to be red about, unless it left something that it had accepted. */
function isAtRisk(now: HiveStatus, nowMs: number): boolean {
  const { health, router, problems, leftovers } = now;
  if (problems.length > 0 || isSilent(now, nowMs)) return true;
  return router === 'down' ? isLeftBehind(leftovers) : health?.state === 'red';
}

function isSilent({ router, owner, health }: HiveStatus, nowMs: number): boolean {
  if (router !== 'up' || owner === undefined) return false;
  const isOwn = health?.epoch === owner.epoch;
  return nowMs - Date.parse(isOwn ? health.at : owner.since) > SILENT_MS;
}

function printStatus(context: Context, now: HiveStatus, nowMs: number): void {
  context.print(escapeLine(now.dir));
  for (const line of [...routerLines(now, nowMs), ...healthLines(now, nowMs)]) {
    context.print(escapeLine(line));
  }
  context.print('');
  for (const line of agentLines(now, nowMs)) context.print(line);
  const rest = [...attentionLines(now.agents, nowMs).map(escapeLine), ...restLines(now)];
  if (rest.length > 0) context.print(`\n${rest.join('\n')}`);
}

function routerLines(now: HiveStatus, nowMs: number): string[] {
  const { router, owner } = now;
  if (router === 'down' || owner === undefined) {
    return [
      `router   down; start it with: hivemail up ${shellQuote(now.dir)}`,
      ...leftoverLines(now.leftovers),
    ];
  }
  const since = `process ${owner.pid} on ${owner.host}, for ${ageOf(owner.since, nowMs)}`;
  if (router === 'elsewhere')
    return [`router   on another machine (${since}); it can't be seen from here`];
  const lines = [`router   up, ${since}`];
  if (isSilent(now, nowMs)) {
    lines.push(
      `         It has not said anything for a while: it is stopped or stuck. Wake it with \`kill -CONT ${owner.pid}\`, or end it and start another.`,
    );
  }
  return lines;
}

function leftoverLines({ letters, batches, copies }: Leftovers): string[] {
  const parts = [
    ...Object.entries(copies).map(([to, number]) => `${count(number, 'message')} for ${to}`),
    ...(letters > 0 ? [`${count(letters, 'letter')} taken in`] : []),
    ...(batches > 0 ? [`${batches} unfinished batch${batches === 1 ? '' : 'es'}`] : []),
  ];
  if (parts.length === 0) return [];
  return [
    `         .router/ holds accepted mail, which the next router brings to its end: ${parts.join(', ')}.`,
    '         Do not delete it.',
  ];
}

function healthLines(now: HiveStatus, nowMs: number): string[] {
  return [...reportLines(now, nowMs), ...now.problems.map((problem) => `         ${problem}`)];
}

function reportLines({ health, router, owner }: HiveStatus, nowMs: number): string[] {
  if (health === undefined) return [];
  if (router === 'up' && health.epoch !== owner?.epoch) return ['health   the router is starting'];
  const when = router === 'down' ? ` when the router stopped, ${ageOf(health.at, nowMs)} ago` : '';
  const counts = [
    [health.owedBatches, 'batches to finish'],
    [health.deferredCopies, 'copies wait for an inbox'],
    [health.historyBehind, 'batches not in the history yet'],
  ].flatMap(([count, what]) => (Number(count) > 0 ? [`${count} ${what}`] : []));
  return [
    `health   ${[`${health.state}${when}`, ...counts].join('; ')}`,
    ...health.problems.map(
      ({ red, message, since }) =>
        `         ${red ? 'red' : 'note'}, for ${ageOf(since, nowMs)}: ${message}`,
    ),
  ];
}

function agentLines({ agents, problems }: HiveStatus, nowMs: number): string[] {
  if (agents.length === 0 && problems.length > 0) return [];
  if (agents.length === 0) return ['No agents. Add one with `hivemail agent add ID`.'];
  const hasDoorbells = agents.some(({ doorbell }) => doorbell !== undefined);
  const rows = agents.map((agent) => [
    ...mailCells(agent, nowMs),
    ...(hasDoorbells ? [toldCell(agent, nowMs), sessionCell(agent, nowMs)] : []),
  ]);
  const heads = ['AGENT', 'STATE', 'UNREAD', 'DUE', 'OLDEST', 'TO SEND'];
  return renderTable([[...heads, ...(hasDoorbells ? ['TOLD', 'SESSION'] : [])], ...rows]);
}

function mailCells(agent: AgentStatus, nowMs: number): string[] {
  const { id, state, unread, due, oldestUnread, waiting } = agent;
  const age = unread === 0 ? '-' : ageOf(oldestUnread ?? '', nowMs);
  return [id, state, String(unread), String(due), age, String(waiting)];
}

function restLines({ desk, held, router, agents }: HiveStatus): string[] {
  const waiting = agents.reduce((sum, agent) => sum + agent.waiting, 0);
  return [
    desk > 0 ? `${count(desk, 'letter')} for the person: hivemail inbox --agent human` : '',
    held > 0 ? `${count(held, 'letter')} held back: hivemail held` : '',
    waiting > 0 && router === 'down'
      ? `${count(waiting, 'letter')} to send, once a router is up`
      : '',
  ].filter((line) => line !== '');
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
