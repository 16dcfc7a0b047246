import type { McpServer } from '@modelcontextprotocol/server';
import { type AgentStatus, ageOf, escapeLine, systemClock } from '../index.ts';
import type { Mailbox } from './mailbox.ts';
import { answered, toolResult } from './tool-result.ts';

/** Adds the tools that tell who is there and how the hive stands. */
export function addHiveTools(server: McpServer, mailbox: Mailbox): void {
  server.registerTool(
    'agents',
    {
      description: 'List the agents I can write to, with their roles.',
      annotations: { readOnlyHint: true },
    },
    async () => answered(async () => agentsOf(mailbox)),
  );
  server.registerTool(
    'status',
    {
      description: 'Tell whether mail flows, and how much of it waits where.',
      annotations: { readOnlyHint: true },
    },
    async () => answered(async () => statusOf(mailbox)),
  );
}

function agentsOf({ hive, agent: me }: Mailbox): ReturnType<typeof toolResult> {
  const agents = hive.agents().map(({ id, orchestrator, entry }) => ({
    id,
    ...{ name: entry.name, role: entry.role, capabilities: entry.capabilities },
    marks: [
      ...(id === me ? ['me'] : []),
      ...(orchestrator ? ['orchestrator'] : []),
      ...(entry.archived === true ? ['archived'] : []),
      ...(entry.onHold === true ? ['on hold'] : []),
      ...(entry.isAssistant === true ? ['send-only'] : []),
    ],
  }));
  const lines = agents.map(({ id, name, role, marks }) => {
    const notes = [name === id ? undefined : name, role === marks[0] ? undefined : role, ...marks];
    return escapeLine([id, ...notes.filter((note) => note !== undefined)].join('  '));
  });
  return toolResult(lines.join('\n'), { agents });
}

function statusOf({ hive, agent: me }: Mailbox): ReturnType<typeof toolResult> {
  const { router, health, agents, held, desk, problems } = hive.status();
  const mine = agents.find(({ id }) => id === me);
  const troubles = [...problems, ...(health?.problems ?? []).map(({ message }) => message)];
  const lines = [
    `router ${router}; health ${health?.state ?? 'unknown'}`,
    ...(mine === undefined ? [] : [mailboxLine(mine)]),
    `held ${held}; on the person's desk ${desk}`,
    ...troubles.map((sentence) => escapeLine(sentence)),
  ];
  const data = { router, health: health?.state, held, desk, me: mine, problems: troubles };
  return toolResult(lines.join('\n'), data);
}

function mailboxLine({ unread, oldestUnread: oldest, due, waiting }: AgentStatus): string {
  const age = oldest === undefined ? '' : `, the oldest ${ageOf(oldest, systemClock.now())} old`;
  return `my inbox: ${unread} letters${age}, ${due} want an answer; my outbox: ${waiting} not routed yet`;
}
