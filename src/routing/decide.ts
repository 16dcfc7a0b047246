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
import { type Exchange, isPolitenessLoop, placeInExchange } from './exchange.ts';
import type { Claim } from './inputs.ts';
import type { RoutingMemory } from './memory.ts';
import { type Resolution, type ResolveFailure, resolveAddresses } from './resolve.ts';
import type { Roster } from './roster.ts';
import type { RoutingRules } from './rules.ts';
import { countInWindows } from './windows.ts';

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
  /** Addresses that it does not reach. */
  failures: ResolveFailure[];
  /** What is wrong with a letter that was refused or quarantined for its content. */
  issues: LetterIssue[];
  /** The letter as read, for a notice that offers it again in another form. */
  letter?: Letter;
  /** Why it is held, where a window or the hop cap holds it; the key is told to the orchestrator once. */
  loop?: { key: string; what: string };
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
  if (addresses.length === 0) return withLetter(problem(claim, 'no-recipient', []), letter);
  const resolution = resolveAddresses(addresses, {
    roster: context.roster,
    sender: claim.sender,
    repliesToPerson: exchange.repliesTo?.from === DESK,
  });
  const decision = withLetter(
    decideRoute({ claim, letter, exchange, resolution }, context),
    letter,
  );
  decision.unknownParent = exchange.unknownParent;
  remember(decision, resolution.broadcast, context.memory);
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
    failures: [],
    issues,
    unknownParent: false,
  };
}

function withLetter(decision: Decision, letter: Letter): Decision {
  decision.letter = letter;
  return decision;
}

/** A letter that reads well, and what was found out about it. */
interface Routable {
  claim: Claim;
  letter: Letter;
  exchange: Exchange;
  resolution: Resolution;
}

function decideRoute(routable: Routable, context: DecisionContext): Decision {
  const { claim, letter, exchange, resolution } = routable;
  const { recipients, failures } = resolution;
  const decision: Decision = {
    ...problem(claim, 'delivered', []),
    envelope: envelopeOf(routable),
    failures,
  };
  if (failures.some(({ code }) => code === 'reply-to-system')) {
    return { ...decision, ...ended('reply-to-system') };
  }
  if (isPolitenessLoop(letter, exchange, claim.sender)) {
    return { ...decision, ...ended('reply-to-terminal') };
  }
  if (resolution.broadcast && exchange.repliesTo?.broadcast === true && claim.sender !== DESK) {
    return { ...decision, ...ended('broadcast-reply') };
  }
  if (recipients.length === 0)
    return { ...decision, ...ended(failures[0]?.code ?? 'no-recipient') };
  const loop = findLoop(routable, context);
  if (loop !== undefined) {
    const fates = recipients.map((to): Fate => ({ to, place: 'held', code: loop.code }));
    return { ...decision, ...ended(loop.code), fates, loop };
  }
  const fates = recipients.map((to) => fateOf(to, context.roster));
  return summarize(decision, fates);
}

function ended(code: OutcomeCode): { code: OutcomeCode; outcome: Outcome } {
  return { code, outcome: OUTCOME_OF[code] };
}

function findLoop(
  { claim, exchange, resolution }: Routable,
  { memory, rules }: DecisionContext,
): { code: 'hop-cap' | 'loop-window'; key: string; what: string } | undefined {
  const { hops, conversation } = exchange;
  if (hops > rules.hopCap) {
    const what = `${hops} hops, more than ${rules.hopCap}`;
    return { code: 'hop-cap', key: `hops\n${conversation}`, what };
  }
  const full = countInWindows(
    {
      sender: claim.sender,
      recipients: resolution.recipients,
      conversation,
      hops,
      broadcast: resolution.broadcast,
      at: messageIdTime(claim.id),
    },
    memory,
    rules,
  );
  return full === undefined ? undefined : { code: 'loop-window', ...full };
}

function fateOf(to: AgentId, roster: Roster): Fate | ResolveFailure {
  const agent = roster.agents.get(to);
  if (agent === undefined) return { to, place: 'inbox', code: 'delivered' };
  if (agent.sendOnly) return { to, code: 'send-only', candidates: [] };
  if (agent.archived) return { to, place: 'inbox', code: 'filed' };
  if (agent.onHold) return { to, place: 'held', code: 'on-hold' };
  return { to, place: 'inbox', code: 'delivered' };
}

function summarize(decision: Decision, results: (Fate | ResolveFailure)[]): Decision {
  const fates = results.filter((result): result is Fate => 'place' in result);
  const unreachable = results.filter((result): result is ResolveFailure => !('place' in result));
  const failures = [...decision.failures, ...unreachable];
  const codes = new Set<OutcomeCode>([...fates, ...failures].map(({ code }) => code));
  const outcomes = new Set<Outcome>([...codes].map((code) => OUTCOME_OF[code]));
  const [first] = codes;
  const code = outcomes.size > 1 ? 'partial' : codes.has('delivered') ? 'delivered' : first;
  return { ...decision, ...ended(code ?? 'no-recipient'), fates, failures };
}

function envelopeOf({ claim, letter, exchange, resolution }: Routable): Omit<Message, 'to'> {
  const several = letter.to.length > 1 || resolution.broadcast || resolution.recipients.length > 1;
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
    ...(several ? { to_all: letter.to.map(asAddressed) } : {}),
    ...(letter.replyBy === undefined ? {} : { reply_by: letter.replyBy }),
    ...(letter.extra === undefined ? {} : { extra: letter.extra }),
  };
}

function asAddressed(address: string): string {
  return BROADCAST_NAMES.includes(address.toLowerCase()) ? 'broadcast' : address;
}

function remember(decision: Decision, broadcast: boolean, memory: RoutingMemory): void {
  const { envelope, fates } = decision;
  if (envelope === undefined || decision.outcome === 'refused') return;
  const reached = fates.filter(({ place }) => place === 'inbox').map(({ to }) => to);
  memory.remember({
    id: envelope.id,
    conversation: envelope.conversation,
    act: envelope.act,
    hops: envelope.hops,
    from: envelope.from,
    to: reached,
    broadcast,
  });
}
