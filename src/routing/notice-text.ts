/**
 * What the sender of a letter is told when it did not simply arrive: what happened, and what to do
 * now, ready to copy. One entry for each code; docs/format.md shows the same table.
 */

import { ACTS } from '../protocol/acts.ts';
import type { OutcomeCode } from '../protocol/outcomes.ts';
import type { Decision } from './decide.ts';
import type { StrayFile } from './inputs.ts';
import type { ResolveFailure } from './resolve.ts';

/** Says what happened to a letter, in a sentence or two and without its body. */
export function explain(decision: Decision): string {
  const { claim, code } = decision;
  const head = `Your letter ${claim.file} (${claim.id}) ${SAYS[decision.outcome]}: ${code}.`;
  return [head, ...details(decision)].join('\n');
}

const SAYS: Record<Decision['outcome'], string> = {
  delivered: 'was filed',
  partial: 'reached only some of its recipients',
  bounced: 'was not delivered',
  held: 'is held and not delivered',
  refused: 'was refused and not delivered',
  quarantined: 'could not be read and was not delivered',
};

function details(decision: Decision): string[] {
  const perIssue = decision.issues.map(({ path, message, hint, line, column }) => {
    const field = path === '' ? '' : `Field "${path}": `;
    const place = line === undefined ? '' : ` (line ${line}, column ${column ?? 1})`;
    return `${field}${message}${place} ${hint}`;
  });
  const perFailure = decision.failures.map(explainFailure);
  const perFate = decision.fates
    .filter(({ code }) => code === 'filed' || code === 'on-hold')
    .map(({ to, code }) => `${to}: ${ADVICE[code] ?? ''}`);
  const shown = new Set([...decision.failures, ...decision.fates].map(({ code }) => code));
  const general = ADVICE[decision.code];
  const perLetter = general === undefined || shown.has(decision.code) ? [] : [general];
  if (decision.loop !== undefined) {
    perLetter.unshift(`There were ${decision.loop.what}.`, loopAdvice(decision));
  }
  if (decision.code === 'reply-to-terminal') perLetter.push(resendAsQuery(decision));
  return [...perIssue, ...perFailure, ...perFate, ...perLetter];
}

function explainFailure({ to, code, candidates }: ResolveFailure): string {
  const meant = candidates.length === 0 ? '' : ` Did you mean ${candidates.join(', ')}?`;
  return `"${to}": ${ADVICE[code] ?? code}${meant}`;
}

const ADVICE: Partial<Record<OutcomeCode, string>> = {
  filed:
    'archived; nobody works there now. It lies in the inbox; ask someone else if you need an answer.',
  'on-hold': 'on hold. It is delivered when the hold ends; there is nothing to do.',
  'unknown-recipient': 'no agent has this id or name. Write the letter again with the right one.',
  'ambiguous-recipient': 'several agents have this name. Write the letter again with an id.',
  'send-only': 'this agent only sends and reads no mail. Write to another one.',
  'no-orchestrator': 'this hive has no orchestrator. Write to the agent itself, or to "human".',
  'nobody-reached': 'no other agent of this hive receives mail now. Nothing to do.',
  'to-self': 'that is you. Keep notes in memory.md; write to another agent.',
  'reply-to-system':
    'notices come from the router, and nobody reads answers to them. Nothing to do.',
  'no-recipient':
    'It says neither "to" nor an "in_reply_to" that you got. Write it again with "to": an agent id, "orchestrator", "human" or "broadcast".',
  'broadcast-reply':
    'A broadcast is not answered by a broadcast. Write the letter again with "to" set to its sender.',
  'reply-to-terminal':
    'The message you answer was an inform, agree, refuse or done: it ended the exchange, so no thanks or confirmation is needed. Nothing to do, unless you do need an answer.',
  'bad-act': `The acts are ${ACTS.join(', ')}.`,
};

function loopAdvice({ code }: Decision): string {
  return code === 'hop-cap'
    ? 'Such a chain is most often a loop. Stop answering; the orchestrator was told. If the work must go on, start anew with a letter without "in_reply_to" and "conversation". A person can release this one.'
    : 'Such a pattern is most often a loop. Stop sending for now; the orchestrator was told. A person can release this one.';
}

function resendAsQuery({ claim, letter, envelope }: Decision): string {
  if (letter === undefined || envelope === undefined) return '';
  const again = {
    to: letter.to.length === 1 ? letter.to[0] : letter.to,
    act: 'query',
    in_reply_to: envelope.in_reply_to,
    subject: letter.subject,
    body: `(the body of outbox/.sent/refused-${claim.id}.${claim.file})`,
  };
  return `If you do need an answer, send it as a query:\n${JSON.stringify(again, undefined, 2)}`;
}

/** Says to the orchestrator that a letter was held because it looks like a loop. */
export function explainLoop(decision: Decision): string {
  const { claim, fates, loop } = decision;
  const to = fates.map((fate) => fate.to).join(', ');
  return [
    `A letter from ${claim.sender} to ${to} is held: ${decision.code}. There were ${loop?.what ?? 'too many turns'}.`,
    `It looks like agents answering each other without end, in conversation ${decision.envelope?.conversation}.`,
    'Tell them to stop, or what to do instead, in a new letter. To deliver the held one, the person runs:',
    `hivemail release ${claim.id}`,
  ].join('\n');
}

/** Says to the orchestrator that an agent's letters keep failing and it is no longer told. */
export function explainSilence(agent: string, notices: number): string {
  return [
    `${agent} was sent ${notices} notices in a row and none of its letters in between was accepted.`,
    'It gets no more notices until one is. See its outbox/.sent/ for what it sends, and help it.',
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
  const why = {
    directory: `outbox/${name} is a directory. Letters lie in outbox/ itself; nothing inside a directory is sent.`,
    name: `outbox/${name} is not sent, because its name does not end in .json.`,
    temporary: `outbox/${name} has the name of a temporary file and has not changed for a while.`,
  }[kind];
  return `${why}\nIf it is a letter, move it to a name that ends in .json; otherwise remove it.`;
}
