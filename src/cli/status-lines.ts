import {
  type AgentStatus,
  ageOf,
  escapeLine,
  type HiveStatus,
  type Leftovers,
  shellQuote,
} from '../index.ts';
import { attentionLines, sessionCell, toldCell } from './session-lines.ts';
import { renderTable } from './table.ts';

/** A router that is well writes its health every half minute; one this late is stopped or stuck. */
const SILENT_MS = 120_000;

/** Tells whether a router that is up has not written its health for two minutes. */
export function isSilent({ router, owner, health }: HiveStatus, nowMs: number): boolean {
  if (router !== 'up' || owner === undefined) return false;
  const isOwn = health?.epoch === owner.epoch;
  return nowMs - Date.parse(isOwn ? health.at : owner.since) > SILENT_MS;
}

/** Renders how a hive stands, for a person. */
export function statusLines(now: HiveStatus, nowMs: number): string[] {
  const head = [now.dir, ...routerLines(now, nowMs), ...healthLines(now, nowMs), ...mailLines(now)];
  const rest = [...attentionLines(now.agents, nowMs), ...restLines(now)];
  return [
    ...head.map(escapeLine),
    '',
    ...agentLines(now, nowMs),
    ...(rest.length > 0 ? ['', ...rest.map(escapeLine)] : []),
  ];
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

function mailLines({ rates }: HiveStatus): string[] {
  if (rates === undefined) return [];
  const { minute, hour } = rates;
  return [
    `mail     ${count(minute.letters, 'letter')} in the last minute, ${hour.letters} in the last hour, to ${count(hour.copies, 'inbox', 'inboxes')}`,
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
  const heads = ['AGENT', 'STATE', 'UNREAD', 'DUE', 'OLDEST', 'TO SEND', ...TOLD_HEADS];
  return renderTable([[...heads, ...(hasDoorbells ? ['TOLD', 'SESSION'] : [])], ...rows]);
}

function mailCells(agent: AgentStatus, nowMs: number): string[] {
  const { id, state, unread, due, oldestUnread, waiting } = agent;
  const age = unread === 0 ? '-' : ageOf(oldestUnread ?? '', nowMs);
  return [id, state, String(unread), String(due), age, String(waiting), ...toldCells(agent, nowMs)];
}

const TOLD_HEADS = ['OWES', 'IS OWED', 'SEEN', 'SENT'];

/** Who owes what, with the age of the oldest debt: `2, 3h`. */
function toldCells({ told }: AgentStatus, nowMs: number): string[] {
  const { owes, isOwed, owesSince, lastSeen, lastSent } = told;
  const age = (since: string | undefined): string =>
    since === undefined ? '-' : ageOf(since, nowMs);
  const since = owesSince === undefined ? '' : `, ${age(owesSince)}`;
  return [`${owes ?? '-'}${since}`, `${isOwed ?? '-'}`, age(lastSeen), age(lastSent)];
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

function count(number: number, what: string, several = `${what}s`): string {
  return `${number} ${number === 1 ? what : several}`;
}
