import { isHive } from '../hive/init.ts';
import { type HiveLayout, layoutOf } from '../hive/layout.ts';
import { acknowledge, findInInbox, type InboxEntry, listInbox } from '../hive/mailbox.ts';
import { createNodeFs } from '../hive/node-fs.ts';
import { readMessageText } from '../hive/read-message.ts';
import { agentOf, type RegistryAgent, readRegistry, rosterOf } from '../hive/registry.ts';
import type { RosterChange } from '../hive/roster-change.ts';
import { systemClock } from '../hive/system-clock.ts';
import { followLog } from '../log/follow.ts';
import { type ReadLogOptions, readLog } from '../log/read-log.ts';
import type { RowFilter } from '../log/row-filter.ts';
import { logPlace } from '../log/segments.ts';
import type { AgentId } from '../protocol/addresses.ts';
import { HivemailError } from '../protocol/errors.ts';
import type { LogRow } from '../protocol/event.ts';
import type { RecordedMessage } from '../protocol/record.ts';
import { type ConversationPart, readConversation } from '../replay/conversation.ts';
import {
  listOpenConversations,
  type OpenConversation,
  type OpenConversationsOptions,
} from '../replay/open-conversations.ts';
import { readPastRows } from '../replay/past-rows.ts';
import { type ReplayIntoOptions, type ReplayReport, replayInto } from '../replay/replay-into.ts';
import { readTimeline, type TimelineOptions } from '../replay/timeline.ts';
import { type Trace, traceMessage } from '../replay/trace.ts';
import { requestControl } from '../router/control-client.ts';
import { listHeld } from '../router/ended-holds.ts';
import type { HeldMessage } from '../routing/inputs.ts';
import { type Answer, answerTo } from './reply.ts';
import { type LetterToSend, type SendOptions, type SendResult, sendLetter } from './send.ts';
import { type HiveStatus, type RouterState, readRouterState, readStatus } from './status.ts';
import { type WaitOptions, waitForMail } from './wait.ts';

/** A hive, seen from outside its router. */
export interface Hive {
  /** Absolute path. */
  readonly dir: string;
  /** Absolute paths of everything in it. */
  readonly layout: HiveLayout;
  /** Lists the agents with what the registry says of each. */
  agents(): { id: AgentId; orchestrator: boolean; entry: RegistryAgent }[];
  /** Puts a letter into an agent's outbox and waits for its outcome. */
  send(letter: LetterToSend, options: SendOptions): Promise<SendResult>;
  /** Answers a letter of the agent's, found as {@link Hive.read} does; else like {@link Hive.send}. */
  reply(id: string, answer: Answer, options: SendOptions): Promise<SendResult>;
  /** Waits until the agent has a letter; returns the new ones, none when time is up. Changes nothing. */
  wait(agent: AgentId, options?: WaitOptions): Promise<InboxEntry[]>;
  /** Lists the letters of an agent, oldest first; the handled ones when asked. Changes nothing. */
  inbox(agent: AgentId, options?: { handled?: boolean }): InboxEntry[];
  /** Finds a letter by id or by the beginning of one. Changes nothing. */
  read(agent: AgentId, id: string): InboxEntry;
  /** Reads the text of a letter's file, found as {@link Hive.read} does, also of one that is no message. */
  readText(agent: AgentId, id: string): string;
  /** Marks a letter as handled. */
  ack(agent: AgentId, id: string): InboxEntry;
  /** Lists the held messages. */
  held(): HeldMessage[];
  /** Delivers a held message; returns the sentence to tell. */
  release(id: string): Promise<string>;
  /** Changes the roster; returns the sentence to tell. */
  changeRoster(change: RosterChange): Promise<string>;
  /** Reads rows of the log, oldest first: those a filter lets pass, or only the last of them. */
  rows(options?: ReadLogOptions): Generator<LogRow>;
  /** Reads the same, also rows of segments that the hive has no more and its history has. */
  pastRows(options?: ReadLogOptions): AsyncGenerator<LogRow>;
  /** Yields the rows that a filter lets pass, each as it is written, until the signal says so. */
  follow(options: { signal: AbortSignal; filter?: RowFilter | undefined }): AsyncGenerator<LogRow>;
  /** Tells one message's life, found by its id or the beginning of one. Changes nothing. */
  trace(id: string): Promise<Trace>;
  /** Yields a conversation, oldest first, found by its name or a message of it. Changes nothing. */
  conversation(name: string): AsyncGenerator<ConversationPart>;
  /** Lists the conversations in which someone owes an answer, the longest open first. Changes nothing. */
  conversations(options?: OpenConversationsOptions): OpenConversation[];
  /** Yields what was said, oldest first, out of the history. Changes nothing. */
  timeline(options?: TimelineOptions): AsyncGenerator<RecordedMessage>;
  /** Rebuilds the hive as it stood at a moment, in another directory that can only be read. */
  replayInto(wanted: ReplayIntoOptions): Promise<ReplayReport>;
  /** Tells whether a router runs. */
  router(): RouterState;
  /** Reads how the hive stands. Changes nothing. */
  status(): HiveStatus;
}

/**
 * Opens a hive to send, read and look. Takes no lock and starts nothing.
 * @param dir - absolute path
 * @throws HivemailError `hive-not-found`
 */
export function openHive(dir: string): Hive {
  const fs = createNodeFs();
  const layout = layoutOf(dir);
  if (!isHive(fs, layout)) {
    throw new HivemailError(
      'hive-not-found',
      `There is no hive at ${dir}. Make one with \`hivemail init\`.`,
    );
  }
  return {
    dir,
    layout,
    agents: () => {
      const registry = readRegistry(fs, layout.registry);
      const { agents, orchestrator } = rosterOf(registry);
      return [...agents.keys()].map((id) => ({
        id,
        orchestrator: id === orchestrator,
        entry: agentOf(registry, id) ?? {},
      }));
    },
    send: (letter, options) => sendLetter({ fs, layout }, letter, options),
    reply: async (id, answer, options) => {
      const entry = findInInbox(fs, layout, options.agent, id);
      return sendLetter({ fs, layout }, answerTo(entry, answer), options);
    },
    wait: (agent, options = {}) => waitForMail({ fs, layout }, agent, options),
    inbox: (agent, { handled = false } = {}) => listInbox(fs, layout, agent, handled),
    read: (agent, id) => findInInbox(fs, layout, agent, id),
    readText: (agent, id) => {
      const { path } = findInInbox(fs, layout, agent, id);
      return readMessageText(fs, path);
    },
    ack: (agent, id) => acknowledge(fs, layout, agent, id),
    held: () => listHeld({ fs, layout }),
    release: (id) => requestControl(dir, { kind: 'release', id }, systemClock),
    changeRoster: (change) => requestControl(dir, { kind: 'roster', change }, systemClock),
    rows: (options) => readLog(fs, logPlace(layout), options),
    pastRows: (options) => readPastRows({ fs, layout }, options),
    follow: (options) => followLog(fs, { ...logPlace(layout), ...options }),
    trace: (id) => traceMessage({ fs, layout }, id),
    conversation: (name) => readConversation({ fs, layout }, name),
    conversations: (wanted) => listOpenConversations({ fs, layout }, wanted),
    timeline: (wanted) => readTimeline({ fs, layout }, wanted),
    replayInto: (wanted) => replayInto({ fs, layout }, wanted),
    router: () => readRouterState(fs, layout),
    status: () => readStatus(fs, layout, systemClock.now()),
  };
}
