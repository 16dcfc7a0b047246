/**
 * Which notices a batch gives rise to: at most one to each sender, folded; bounded for a sender whose
 * letters keep failing; and the orchestrator told once of each loop. Texts are in notice-text.ts.
 */
import { type AgentId, DESK, SYSTEM } from '../protocol/addresses.ts';
import type { Decision, DecisionContext } from './decide.ts';
import { explain, explainLoop, explainSilence } from './notice-text.ts';

/** A notice before it has an id. */
export interface NoticeDraft {
  to: AgentId;
  subject: string;
  body: string;
  of: string;
  code: string;
  file?: string | undefined;
  conversation?: string | undefined;
  hops: number;
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
    const { sender } = decision.claim;
    if (isAccepted(decision)) forgetFailures(sender, context);
    if (decision.loop !== undefined) drafts.push(...loopNotice(decision, context));
    if (!needsNotice(decision)) continue;
    const grant = admitNotice(decision, context, told.has(sender));
    if (grant === 'tell') told.set(sender, [...(told.get(sender) ?? []), decision]);
    if (grant === 'last') drafts.push(silenceNotice(decision, context));
  }
  for (const [sender, about] of told) drafts.push(fold(sender, about));
  return drafts;
}

function forgetFailures(sender: AgentId, { memory }: DecisionContext): void {
  for (const key of [`notices\n${sender}`, `answers\n${sender}`]) {
    if (memory.count(key) > 0) memory.setCount(key, 0);
  }
}

function isAccepted({ outcome }: Decision): boolean {
  return outcome === 'delivered' || outcome === 'partial';
}

function needsNotice({ outcome, code, envelope }: Decision): boolean {
  if (outcome !== 'delivered') return true;
  return code === 'filed' && envelope?.requires_reply === true;
}

function isAnswerToNotice(decision: Decision, { memory }: DecisionContext): boolean {
  if (decision.code === 'reply-to-system') return true;
  const parent = decision.envelope?.in_reply_to;
  return typeof parent === 'string' && memory.message(parent)?.from === SYSTEM;
}

/** `tell`: the sender is told. `last`: it is not, and the orchestrator learns that. `hush`: nobody is. */
function admitNotice(
  decision: Decision,
  context: DecisionContext,
  alreadyTold: boolean,
): 'tell' | 'last' | 'hush' {
  const { memory, rules } = context;
  const { sender } = decision.claim;
  if (sender === DESK) return 'tell';
  if (isAnswerToNotice(decision, context)) {
    const key = `answers\n${sender}`;
    memory.setCount(key, memory.count(key) + 1);
    if (memory.count(key) > 1) return 'hush';
  }
  if (alreadyTold) return 'tell';
  const inARow = memory.count(`notices\n${sender}`) + 1;
  memory.setCount(`notices\n${sender}`, inARow);
  if (inARow <= rules.noticesInARow) return 'tell';
  return inARow === rules.noticesInARow + 1 ? 'last' : 'hush';
}

function fold(to: AgentId, about: readonly Decision[]): NoticeDraft {
  const [first] = about as [Decision, ...Decision[]];
  const { claim, code, outcome, envelope } = first;
  const texts = about.slice(0, MOST_FOLDED).map(explain);
  const rest = about.length - texts.length;
  if (rest > 0) texts.push(`And ${rest} more; see your outbox/.sent/ and the log.`);
  return {
    to,
    subject:
      about.length === 1
        ? `${outcome}: ${code}: ${envelope?.subject || claim.file}`
        : `${about.length} letters not delivered: ${code} and others`,
    body: texts.join('\n\n'),
    of: claim.id,
    code,
    file: claim.file,
    conversation: envelope?.conversation,
    hops: (envelope?.hops ?? 0) + 1,
  };
}

/** The agent that is told of what a sender can't mend: the orchestrator, or else the person. */
function overseer({ roster }: DecisionContext, sender: string): AgentId {
  const { orchestrator } = roster;
  return orchestrator === undefined || orchestrator === sender ? DESK : orchestrator;
}

function loopNotice(decision: Decision, context: DecisionContext): NoticeDraft[] {
  const key = `loop\n${decision.loop?.key}`;
  if (context.memory.count(key) > 0) return [];
  context.memory.setCount(key, 1);
  return [
    {
      to: overseer(context, decision.claim.sender),
      subject: `Held, looks like a loop: ${decision.envelope?.subject ?? ''}`,
      body: explainLoop(decision),
      of: decision.claim.id,
      code: decision.code,
      hops: 0,
    },
  ];
}

function silenceNotice(decision: Decision, context: DecisionContext): NoticeDraft {
  const { sender, id } = decision.claim;
  return {
    to: overseer(context, sender),
    subject: `The letters of ${sender} keep failing`,
    body: explainSilence(sender, context.rules.noticesInARow),
    of: id,
    code: 'notices-stopped',
    hops: 0,
  };
}
