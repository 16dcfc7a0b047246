/**
 * Decides on one letter: whether it goes, where to, and how it ends. Pure but for the memory it is
 * given, which it tells of what was routed. What it says to whom is in notices.ts; what becomes of
 * files is in plan.ts.
 */
import type { Letter, LetterIssue } from '../letter/letter.ts';
import { obliges } from '../protocol/acts.ts';
import { type AgentId, BROADCAST_NAMES, DESK } from '../protocol/addresses.ts';
import { toTimestamp } from '../protocol/clock.ts';
import { messageIdTime } from '../protocol/ids.ts';
import type { Message } from '../protocol/message.ts';
import { OUTCOME_OF, type Outcome, type OutcomeCode } from '../protocol/outcomes.ts';
import { type Exchange, isBoundByHops, isPolitenessLoop, placeInExchange } from './exchange.ts';
import type { Claim } from './inputs.ts';
import { findLoop, type Loop } from './loops.ts';
import type { RoutingMemory } from './memory.ts';
import { type Resolution, type ResolveFailure, resolveAddresses } from './resolve.ts';
import type { Roster } from './roster.ts';
import type { RoutingRules } from './rules.ts';
import { countInWindows, type WindowedLetter } from './windows.ts';

/** What every decision is made with. */
export interface DecisionContext {
  roster: Roster;
  memory: RoutingMemory;
  rules: RoutingRules;
}

/** What becomes of a letter for one recipient. */
export interface Fate {
  to: AgentId;
  place: 'inbox' | 'held';
  code: OutcomeCode;
}

/** How a letter ends. */
export interface Decision {
  claim: Claim;
  outcome: Outcome;
  code: OutcomeCode;
  /** What all copies share; absent where no message could be made of the letter. */
  envelope?: Omit<Message, 'to'>;
  /** One for each copy that is made. */
  fates: Fate[];
  /** Everyone it was addressed to, as resolved, also those that it does not reach. */
  recipients: AgentId[];
  /** Addresses that it does not reach. */
  failures: ResolveFailure[];
  /** Who gets it as a copy of what went to the person, so that nothing is asked of it. */
  copyTo?: AgentId | undefined;
  /** What is wrong with a letter that was refused or quarantined for its content. */
  issues: LetterIssue[];
  /** The letter as read, for a notice that offers it again in another form. */
  letter?: Letter;
  /** Why it is held, where a window or the hop cap holds it. */
  loop?: Loop;
  /** `in_reply_to` names a message that its sender never got. */
  unknownParent: boolean;
}

/** Decides on a claimed letter. */
export function decideLetter(claim: Claim, context: DecisionContext): Decision {
  const { parsed } = claim;
  if (!parsed.ok) return problem(claim, parsed.issues[0].code, parsed.issues);
  const { letter } = parsed;
  const exchange = placeInExchange(claim, letter, context);
  const addresses = letter.to.length > 0 ? letter.to : senderOf(exchange);
  const resolution = resolveAddresses(addresses, {
    roster: context.roster,
    sender: claim.sender,
    repliesToPerson: exchange.repliesTo?.from === DESK,
  });
  const routable = { claim, letter, exchange, addresses, resolution };
  const decision = decideRoute(routable, context);
  remember(decision, routable, context);
  return decision;
}

function senderOf(exchange: Exchange): string[] {
  return exchange.repliesTo === undefined ? [] : [exchange.repliesTo.from];
}

function problem(claim: Claim, code: OutcomeCode, issues: LetterIssue[]): Decision {
  return {
    claim,
    outcome: OUTCOME_OF[code],
    code,
    fates: [],
    recipients: [],
    failures: [],
    issues,
    unknownParent: false,
  };
}

/** A letter that reads well, and what was found out about it. */
interface Routable {
  claim: Claim;
  letter: Letter;
  exchange: Exchange;
  /** Its own, or that of the sender it replies to. */
  addresses: readonly string[];
  resolution: Resolution;
}

function decideRoute(routable: Routable, context: DecisionContext): Decision {
  const { claim, letter, exchange, addresses, resolution } = routable;
  const decision: Decision = {
    ...problem(claim, 'delivered', []),
    letter,
    recipients: resolution.recipients,
    failures: resolution.failures,
    copyTo: resolution.copyTo,
    unknownParent: exchange.unknownParent,
  };
  if (addresses.length === 0) return { ...decision, ...ended('no-recipient') };
  decision.envelope = envelopeOf(routable);
  const refusal = findRefusal(routable);
  if (refusal !== undefined) return { ...decision, ...ended(refusal) };
  const results = resolution.recipients.map((to) => fateOf(to, context.roster));
  const fates = results.filter((result): result is Fate => 'place' in result);
  const unreachable = results.filter((result): result is ResolveFailure => !('place' in result));
  const failures = [...resolution.failures, ...unreachable];
  const [failure] = failures;
  if (fates.length === 0) {
    return { ...decision, ...ended(failure?.code ?? 'no-recipient'), failures };
  }
  const loop = findLoop(windowed(routable, fates, context), context.memory, context.rules);
  if (loop === undefined) return { ...decision, ...summarize(fates, failures), fates, failures };
  const held = fates.map(({ to }): Fate => ({ to, place: 'held', code: loop.code }));
  return { ...decision, ...ended(loop.code), fates: held, failures, loop };
}

function findRefusal({ claim, letter, exchange, resolution }: Routable): OutcomeCode | undefined {
  const toSystem = resolution.failures.some(({ code }) => code === 'reply-to-system');
  if (toSystem && resolution.recipients.length === 0) return 'reply-to-system';
  if (isPolitenessLoop(letter, exchange, claim.sender)) return 'reply-to-terminal';
  const answersBroadcast = resolution.broadcast && exchange.repliesTo?.broadcast === true;
  return answersBroadcast && claim.sender !== DESK ? 'broadcast-reply' : undefined;
}

function ended(code: OutcomeCode): { code: OutcomeCode; outcome: Outcome } {
  return { code, outcome: OUTCOME_OF[code] };
}

function fateOf(to: AgentId, roster: Roster): Fate | ResolveFailure {
  const agent = roster.agents.get(to);
  if (agent === undefined) return { to, place: 'inbox', code: 'delivered' };
  if (agent.sendOnly) return { to, code: 'send-only', candidates: [] };
  if (agent.archived) return { to, place: 'inbox', code: 'filed' };
  if (agent.onHold) return { to, place: 'held', code: 'on-hold' };
  return { to, place: 'inbox', code: 'delivered' };
}

/** Partial is what somebody got and somebody did not; what nobody got is held as a whole. */
function summarize(
  fates: readonly Fate[],
  failures: readonly ResolveFailure[],
): { code: OutcomeCode; outcome: Outcome } {
  const codes = new Set<OutcomeCode>(fates.map(({ code }) => code));
  if (codes.size === 1 && codes.has('on-hold')) return ended('on-hold');
  if (failures.length > 0 || codes.has('on-hold')) return ended('partial');
  return ended(codes.has('delivered') ? 'delivered' : 'filed');
}

function windowed(
  { claim, letter, exchange, resolution }: Routable,
  fates: readonly Fate[],
  { memory }: DecisionContext,
): WindowedLetter & { hops: number } {
  const { sender } = claim;
  const { conversation, thread, hops, parent } = exchange;
  return {
    sender,
    recipients: fates.map(({ to }) => to),
    conversation,
    thread,
    hops,
    broadcast: resolution.broadcast,
    boundByHops: isBoundByHops({ sender, act: letter.act, hops }, parent, memory),
    at: messageIdTime(claim.id),
  };
}

function envelopeOf(routable: Routable): Omit<Message, 'to'> {
  const { claim, letter, exchange, addresses, resolution } = routable;
  const { recipients, failures, broadcast } = resolution;
  const several = broadcast || recipients.length + failures.length > 1;
  return {
    id: claim.id,
    conversation: exchange.conversation,
    in_reply_to: letter.inReplyTo ?? null,
    from: claim.sender,
    act: letter.act,
    subject: letter.subject,
    body: letter.body,
    hops: exchange.hops,
    requires_reply: obliges(letter.act),
    needs_human: resolution.needsHuman,
    created_at: toTimestamp(messageIdTime(claim.id)),
    ...(several ? { to_all: [...new Set(addresses.map(asAddressed))] } : {}),
    ...(letter.replyBy === undefined ? {} : { reply_by: letter.replyBy }),
    ...(letter.extra === undefined ? {} : { extra: letter.extra }),
  };
}

function asAddressed(address: string): string {
  return BROADCAST_NAMES.includes(address.toLowerCase()) ? 'broadcast' : address;
}

function remember(decision: Decision, routable: Routable, context: DecisionContext): void {
  const { envelope, outcome, fates } = decision;
  if (envelope === undefined || outcome === 'refused') return;
  const { memory, rules } = context;
  const { exchange, resolution } = routable;
  const reached = fates.filter(({ place }) => place === 'inbox');
  if (reached.length > 0) {
    countInWindows(windowed(routable, reached, context), memory, rules);
    const { parent } = exchange;
    if (parent !== undefined) memory.rememberReply(parent.id, envelope.from, envelope.act);
  }
  const { id, conversation, act, hops, from } = envelope;
  const to = reached.map((fate) => fate.to);
  const { broadcast } = resolution;
  memory.remember({ id, conversation, act, hops, from, to, broadcast, thread: exchange.thread });
}
