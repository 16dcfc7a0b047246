/**
 * Which notices a batch gives rise to: at most one to each sender, folded; bounded for a sender whose
 * letters keep failing; and the orchestrator told once of each loop. Texts are in notice-text.ts.
 *
 * Everything that is counted here can be counted again from the log's rows (recall.ts): the letters of
 * a batch first, then its notices.
 */
import type { Act } from '../protocol/acts.ts';
import { obliges } from '../protocol/acts.ts';
import { type AgentId, DESK, SYSTEM } from '../protocol/addresses.ts';
import { messageIdTime } from '../protocol/ids.ts';
import type { Outcome } from '../protocol/outcomes.ts';
import type { Decision, DecisionContext } from './decide.ts';
import { isNewsOfLoop, type Loop } from './loops.ts';
import type { RoutingMemory } from './memory.ts';
import { explain, explainLoop, explainSilence, summarize } from './notice-text.ts';
import { wayToPerson } from './roster.ts';

/** A notice before it has an id. */
export interface NoticeDraft {
  to: AgentId;
  subject: string;
  body: string;
  of: string;
  /** The letter was written by whom this goes to, so that this is in reply to it. */
  isAboutOwnLetter: boolean;
  code: string;
  file?: string | undefined;
  conversation?: string | undefined;
  hops: number;
  /** The agent that gets no more notices. */
  silenced?: AgentId | undefined;
}

/** Most letters that one folded notice speaks of one by one. */
const MOST_FOLDED = 20;

/** Drafts the notices of a batch, and counts them in the memory. */
export function draftNotices(
  decisions: readonly Decision[],
  context: DecisionContext,
): NoticeDraft[] {
  const told = new Map<AgentId, Decision[]>();
  const drafts: NoticeDraft[] = [];
  for (const decision of decisions) {
    const { loop } = decision;
    if (loop !== undefined) drafts.push(...loopNotice(decision, loop, context));
    const { sender } = decision.claim;
    if (isToBeTold(decision, context)) told.set(sender, [...(told.get(sender) ?? []), decision]);
  }
  for (const [sender, about] of told) drafts.push(...tellSender(sender, about, context));
  return drafts;
}

function isToBeTold(decision: Decision, { memory }: DecisionContext): boolean {
  const { claim, envelope, outcome, fates } = decision;
  const toSystem = decision.failures.some(({ code }) => code === 'reply-to-system');
  return countAnswer(
    {
      sender: claim.sender,
      outcome,
      isFiled: fates.some(({ code }) => code === 'filed'),
      act: envelope?.act,
      answersNotice: toSystem || answersNotice(envelope?.in_reply_to, memory),
    },
    memory,
  );
}

/** Tells whether a letter names a notice in `in_reply_to`. */
export function answersNotice(inReplyTo: string | null | undefined, memory: RoutingMemory) {
  return typeof inReplyTo === 'string' && memory.message(inReplyTo)?.from === SYSTEM;
}

/** What the notices' bookkeeping needs of a letter that has its outcome. */
export interface EndedLetter {
  sender: string;
  outcome: Outcome;
  /** An archived agent is among those it went to. */
  isFiled: boolean;
  act: Act | undefined;
  /** It is addressed to `system`, or in reply to a notice. */
  answersNotice: boolean;
}

/**
 * Counts a letter for what its sender is told. A letter that goes through ends a row of failures; of
 * letters that answer notices only the first is answered again.
 * @returns whether its sender is to be told of it
 */
export function countAnswer(letter: EndedLetter, memory: RoutingMemory): boolean {
  const { sender, outcome } = letter;
  const [answers, failures] = [`answers\n${sender}`, `notices\n${sender}`];
  if (outcome === 'delivered' || outcome === 'partial') {
    const ended = [failures, `silenced\n${sender}`, ...(letter.answersNotice ? [] : [answers])];
    for (const key of ended) if (memory.count(key) > 0) memory.setCount(key, 0);
  }
  if (outcome === 'delivered') {
    return letter.isFiled && letter.act !== undefined && obliges(letter.act);
  }
  if (!letter.answersNotice || sender === DESK) return true;
  memory.setCount(answers, memory.count(answers) + 1);
  return memory.count(answers) === 1;
}

function tellSender(
  sender: AgentId,
  about: readonly Decision[],
  context: DecisionContext,
): NoticeDraft[] {
  if (isAdmitted(sender, context)) return [fold(sender, about, context)];
  const [first] = about;
  const isLoopAlone = about.every(({ loop }) => loop !== undefined);
  return first === undefined || isLoopAlone ? [] : silence(sender, first.claim.id, context);
}

/** Tells whether an agent may get one more notice, and counts it then. */
export function isAdmitted(agent: AgentId, { roster, memory, rules }: DecisionContext): boolean {
  if (agent === DESK) return true;
  if (!roster.agents.has(agent)) return false;
  const inARow = memory.count(`notices\n${agent}`);
  if (inARow >= rules.noticesInARow) return false;
  memory.setCount(`notices\n${agent}`, inARow + 1);
  return true;
}

function fold(to: AgentId, about: readonly Decision[], context: DecisionContext): NoticeDraft {
  const [first] = about as [Decision, ...Decision[]];
  const { claim, code, outcome, envelope } = first;
  const overseer = overseerOf(context, to);
  const texts = about.slice(0, MOST_FOLDED).map((decision) => explain(decision, overseer));
  const rest = about.length - texts.length;
  if (rest > 0) texts.push(`And ${rest} more; see your outbox/.sent/ and the log.`);
  return {
    to,
    subject: summarize(about),
    body: texts.join('\n\n'),
    of: claim.id,
    isAboutOwnLetter: true,
    code: outcome === 'delivered' ? 'filed' : code,
    file: claim.file,
    conversation: envelope?.conversation,
    hops: (envelope?.hops ?? 0) + 1,
  };
}

/** The one that is told of what a sender can't mend: the orchestrator, or else the person. */
function overseerOf({ roster }: DecisionContext, sender: string): AgentId {
  return wayToPerson(roster, sender) ?? DESK;
}

function loopNotice(decision: Decision, loop: Loop, context: DecisionContext): NoticeDraft[] {
  const { id, sender } = decision.claim;
  if (!isNewsOfLoop(loop, { sender, at: messageIdTime(id) }, context)) return [];
  const to = decision.fates.map((fate) => fate.to).join(', ');
  return [
    {
      to: overseerOf(context, sender),
      subject: `held: ${loop.code}: looks like a loop of ${sender} with ${to}`,
      body: explainLoop(decision, loop),
      of: id,
      isAboutOwnLetter: false,
      code: loop.code,
      hops: 0,
    },
  ];
}

/** Tells the overseer, once, that an agent gets no more notices. */
export function silence(agent: AgentId, of: string, context: DecisionContext): NoticeDraft[] {
  const { memory, rules, roster } = context;
  if (memory.count(`silenced\n${agent}`) > 0 || !roster.agents.has(agent)) return [];
  memory.setCount(`silenced\n${agent}`, 1);
  return [
    {
      to: overseerOf(context, agent),
      subject: `The letters of ${agent} keep failing`,
      body: explainSilence(agent, rules.noticesInARow),
      of,
      isAboutOwnLetter: false,
      code: 'notices-stopped',
      hops: 0,
      silenced: agent,
    },
  ];
}
