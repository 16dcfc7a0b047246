import type { HiveFs } from '../hive/hive-fs.ts';
import type { HiveLayout } from '../hive/layout.ts';
import { putLetter } from '../hive/mailbox.ts';
import { readRegistry, rosterOf } from '../hive/registry.ts';
import { readSettings } from '../hive/settings.ts';
import { examineLetter } from '../letter/examine.ts';
import { parseLetter } from '../letter/parse.ts';
import { followLog } from '../log/follow.ts';
import { logPlace } from '../log/segments.ts';
import type { Act } from '../protocol/acts.ts';
import type { AgentId } from '../protocol/addresses.ts';
import { HivemailError } from '../protocol/errors.ts';
import type { LogRow } from '../protocol/event.ts';
import { resolveAddresses } from '../routing/resolve.ts';
import { readRouterState } from './status.ts';

/** A letter to send. At least one of `subject` and `body` says something. */
export interface LetterToSend {
  /** May be left out of a reply: then it goes to the sender of that letter. */
  to?: string | readonly string[];
  act: Act;
  subject?: string;
  body?: string;
  inReplyTo?: string;
  conversation?: string;
  /** Date by which an answer is wanted. */
  replyBy?: string;
}

/** What became of a letter that was sent. */
export type SendResult =
  | {
      /** Nobody answered in time; the letter is in the outbox and need not be sent again. */
      status: 'queued';
      /** Its file in the outbox. */
      file: string;
      /** A router runs, as far as can be seen. */
      isUp: boolean;
    }
  | { status: 'routed'; file: string; row: LogRow };

/** How a letter is sent. */
export interface SendOptions {
  agent: AgentId;
  /** How long to wait for the outcome, in milliseconds; 5 s, or not at all with no router up. */
  waitMs?: number | undefined;
}

const WAIT_MS = 5000;

/**
 * Puts a letter into an agent's outbox and waits for its outcome.
 * @throws HivemailError `usage` for a letter that would be refused as it stands, `refused` for a
 *   recipient that the hive does not have; then nothing was written
 */
export async function sendLetter(
  { fs, layout }: { fs: HiveFs; layout: HiveLayout },
  letter: LetterToSend,
  { agent, waitMs }: SendOptions,
): Promise<SendResult> {
  const content = toFile(letter);
  requireSendable(fs, layout, content, agent);
  const isUp = readRouterState(fs, layout).router !== 'down';
  const from = fs.stat(layout.log)?.sizeBytes ?? 0;
  const file = await putLetter(fs, layout, agent, content);
  const signal = AbortSignal.timeout(waitMs ?? (isUp ? WAIT_MS : 0));
  for await (const row of followLog(fs, { ...logPlace(layout), from, signal, pollMs: 20 })) {
    if (row.kind === 'letter' && row.from === agent && row.file === file) {
      return { status: 'routed', file, row };
    }
  }
  return { status: 'queued', file, isUp };
}

function toFile(letter: LetterToSend): Record<string, unknown> {
  const { to, act, subject, body, inReplyTo, conversation, replyBy } = letter;
  return {
    ...(to === undefined ? {} : { to }),
    act,
    ...(subject === undefined ? {} : { subject }),
    ...(body === undefined ? {} : { body }),
    ...(inReplyTo === undefined ? {} : { in_reply_to: inReplyTo }),
    ...(conversation === undefined ? {} : { conversation }),
    ...(replyBy === undefined ? {} : { reply_by: replyBy }),
  };
}

function requireSendable(
  fs: HiveFs,
  layout: HiveLayout,
  content: Record<string, unknown>,
  sender: AgentId,
): void {
  const { limits } = readSettings(fs, layout.settings);
  const parsed = parseLetter(examineLetter(Buffer.from(JSON.stringify(content)), limits));
  if (!parsed.ok) {
    const sentences = parsed.issues.map(({ message, hint }) => `${message} ${hint}`);
    throw new HivemailError('usage', sentences.join(' '));
  }
  const { to } = parsed.letter;
  if (to.length === 0) return;
  const roster = rosterOf(readRegistry(fs, layout.registry));
  const { failures } = resolveAddresses(to, { roster, sender, repliesToPerson: false });
  const sentences = failures.flatMap(({ to: name, code, candidates }) => {
    const them = candidates.join(', ');
    if (code === 'ambiguous-recipient') return `Several agents are called "${name}": ${them}.`;
    if (code !== 'unknown-recipient') return [];
    return `There is no agent "${name}".${them === '' ? '' : ` Did you mean ${them}?`}`;
  });
  if (sentences.length === 0) return;
  throw new HivemailError('refused', `${sentences.join(' ')} Nothing was sent.`);
}
