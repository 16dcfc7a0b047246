/**
 * What the sender of a letter is told when it did not simply arrive: what happened, and what to do
 * now, ready to copy. One entry for each code; docs/format.md shows the same table.
 *
 * Another agent's words never stand in these texts: they come from `system`, and are believed.
 */
import { type AgentId, DESK } from '../protocol/addresses.ts';
import { escapeLine } from '../protocol/escape.ts';
import type { OutcomeCode } from '../protocol/outcomes.ts';
import { archiveName } from './archive-name.ts';
import type { Decision } from './decide.ts';
import type { StrayFile } from './inputs.ts';
import type { Loop } from './loops.ts';
import type { ResolveFailure } from './resolve.ts';

/**
 * Says what happened to a letter, and what its sender does now.
 * @param overseer - who is told of loops besides
 */
export function explain(decision: Decision, overseer: AgentId): string {
  const { claim, code, outcome, fates } = decision;
  const isFiledAlone = outcome === 'delivered' && fates.every((fate) => fate.code === 'filed');
  const said = isFiledAlone ? 'was filed where nobody works now' : SAYS[outcome];
  const head = `Your letter ${claim.file} (${claim.id}) ${said}: ${outcome === 'delivered' ? 'filed' : code}.`;
  return [head, ...details(decision, overseer)].join('\n');
}

/** Says in one line what became of letters: of one with its subject, of several by how they ended. */
export function summarize(about: readonly Decision[]): string {
  const endings = about.map(({ outcome, code }) => {
    return `${outcome}: ${outcome === 'delivered' ? 'filed' : code}`;
  });
  const [first] = about;
  const name = first?.letter?.subject || first?.claim.file || '';
  if (about.length === 1) return `${endings[0]}: ${name}`;
  const counted = [...new Set(endings)].map((ending) => {
    return `${ending} (${endings.filter((other) => other === ending).length})`;
  });
  return `${about.length} letters: ${counted.join(', ')}`;
}

const SAYS: Record<Decision['outcome'], string> = {
  delivered: 'was delivered, but in part only filed',
  partial: 'reached only some of its recipients',
  bounced: 'was not delivered',
  held: 'is held and not delivered',
  refused: 'was refused and not delivered',
  quarantined: 'could not be read and was not delivered',
};

function details(decision: Decision, overseer: AgentId): string[] {
  const { outcome, code, issues, failures, fates, loop } = decision;
  const lines = issues.map(({ path, message, hint }) => {
    const field = path === '' ? '' : `Field "${path}": `;
    return `${field}${message} ${hint}`;
  });
  lines.push(...failures.map(explainFailure));
  for (const fate of fates) {
    const advice = FATE_ADVICE[fate.code];
    if (advice !== undefined) lines.push(`${fate.to}: ${advice}`);
  }
  if (loop !== undefined) lines.push(...loopAdvice(decision, loop, overseer));
  const isExplained = issues.length > 0 || failures.some((failure) => failure.code === code);
  const general = LETTER_ADVICE[code];
  if (general !== undefined && !isExplained) lines.push(general);
  if (code === 'reply-to-terminal') lines.push(resendAsQuery(decision));
  if (outcome === 'bounced' || outcome === 'refused' || outcome === 'quarantined') {
    lines.push(`Its text is in outbox/.sent/${archiveName(decision)}.`);
  }
  return lines;
}

function explainFailure({ to, code, candidates }: ResolveFailure): string {
  const meant = candidates.length === 0 ? '' : ` Did you mean ${candidates.join(', ')}?`;
  return `"${escapeLine(to)}": ${ADDRESS_ADVICE[code] ?? code}${meant}`;
}

/** About one recipient whom it reached, or will. */
const FATE_ADVICE: Partial<Record<OutcomeCode, string>> = {
  delivered: 'delivered.',
  filed:
    'archived; nobody works there now. It lies in the inbox; ask someone else if you need an answer.',
  'on-hold': 'on hold. It is delivered when the hold ends. Nothing to do; do not send it again.',
};

/** About one address that it does not reach. */
const ADDRESS_ADVICE: Partial<Record<OutcomeCode, string>> = {
  'unknown-recipient':
    'no agent has this id or name (registry.json lists them). Write the letter again with the right one.',
  'ambiguous-recipient': 'several agents have this name. Write the letter again with an id.',
  'send-only': 'this agent only sends and reads no mail. Write to another one.',
  'no-orchestrator': 'this hive has no orchestrator. Write to the agent itself, or to "human".',
  'nobody-reached': 'no other agent gets mail there now. Nothing to do.',
  'to-self': 'that is you. Keep notes in memory.md; write to another agent.',
  'reply-to-system':
    'notices come from the router, and nobody reads answers to them. Nothing to do.',
};

/** About a letter as a whole. */
const LETTER_ADVICE: Partial<Record<OutcomeCode, string>> = {
  'no-recipient':
    'It names no "to", and its "in_reply_to" is no message that you got. Write it again with "to": an agent id, "orchestrator", "human" or "broadcast".',
  'reply-to-terminal':
    'The message you answer was an inform, agree, refuse or done: it ended the exchange, so no thanks or confirmation is needed. Nothing to do, unless you do need an answer.',
  'broadcast-reply':
    'A broadcast is not answered by a broadcast. If its sender needs your answer, write the letter again without "to": then it goes to that sender.',
};

function loopAdvice({ claim }: Decision, { code, what }: Loop, overseer: AgentId): string[] {
  const whom = overseer === DESK ? 'the person' : overseer;
  const stop = {
    'hop-cap': 'Such a chain is most often a loop. Stop answering it.',
    'loop-window': 'Such a pattern is most often a loop. Stop sending for now.',
  }[code];
  return [
    `There were ${what}.`,
    `${stop} Do not send it again. If the work must go on, wait until you hear from ${whom}, who is told of the loop.`,
    `A person can have it delivered: hivemail release ${claim.id}`,
  ];
}

/** Longest body that a notice repeats, in characters. */
const MOST_REPEATED = 4000;

function resendAsQuery(decision: Decision): string {
  const { letter } = decision;
  if (letter === undefined) return '';
  const { to, subject, body, conversation, inReplyTo, replyBy } = letter;
  const again = {
    ...(to.length === 0 ? {} : { to: to.length === 1 ? to[0] : to }),
    act: 'query',
    subject,
    body:
      body.length <= MOST_REPEATED ? body : `(the body of outbox/.sent/${archiveName(decision)})`,
    in_reply_to: inReplyTo,
    conversation,
    reply_by: replyBy,
  };
  return `If you do need an answer, send it as a query, in a new file:\n${JSON.stringify(again, undefined, 2)}`;
}

/** Says to the orchestrator that a letter was held because it looks like a loop. */
export function explainLoop({ claim, fates, envelope }: Decision, { code, what }: Loop): string {
  const to = fates.map((fate) => fate.to).join(', ');
  return [
    `A letter from ${claim.sender} to ${to} is held: ${code}. There were ${what}.`,
    `It looks like agents answering each other without end, in conversation ${envelope?.conversation}. You are told of this loop once; more of its letters may be held.`,
    'Tell them to stop, or what to do instead, in a new letter. To have the held one delivered, the person runs:',
    `hivemail release ${claim.id}`,
  ].join('\n');
}

/** Says to the orchestrator that an agent's letters keep failing and it is no longer told. */
export function explainSilence(agent: string, notices: number): string {
  return [
    `${agent} was sent ${notices} notices in a row, and none of its letters in between was delivered.`,
    `It gets no more notices until one is. See agents/${agent}/outbox/ and .sent/ in it for what it sends, and help it.`,
  ].join('\n');
}

/** Says to the sender that a delivered letter could not be put into an inbox for too long. */
export function explainExpiry(id: string, to: string): string {
  return [
    `Your letter ${id} could not be put into the inbox of ${to}, although it was tried for days.`,
    `It waits in held/${to}/. Ask the person to look at that inbox, then run: hivemail release ${id}`,
  ].join('\n');
}

/** Says to the owner of an outbox that something in it is no letter. */
export function explainStray({ name, kind }: StrayFile): string {
  const path = `outbox/${escapeLine(name)}`;
  const why = {
    directory: `${path} is a directory. Letters lie in outbox/ itself; nothing inside a directory is sent.`,
    name: `${path} is not sent, because its name does not end in .json.`,
    temporary: `${path} has the name of a temporary file and has not changed for a while.`,
  }[kind];
  const move =
    kind === 'directory'
      ? 'move what is to be sent into outbox/ itself'
      : 'move it to a name that ends in .json';
  return `${why}\nIf it is a letter, ${move}; otherwise remove it.`;
}
