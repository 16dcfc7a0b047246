import type { OutcomeCode } from './outcomes.ts';

/** Why a letter ended as it did, for whoever looks back; its sender is told more in a notice. */
const REASONS: Readonly<Record<OutcomeCode, string>> = {
  delivered: 'it reached everyone it was meant for',
  filed: 'its recipient is archived: it lies in the inbox, and nobody works there',
  partial: 'it reached some of those it was meant for',
  'unknown-recipient': 'no agent has that id or name',
  'ambiguous-recipient': 'several agents have that name',
  'send-only': 'that agent only sends and reads no mail',
  'no-orchestrator': 'the hive has no orchestrator',
  'nobody-reached': 'nobody else that was meant receives mail',
  'hop-cap': 'the chain of answers had more hops than the hive allows, as in a loop',
  'loop-window': 'there were more turns in a short time than the hive allows, as in a loop',
  'on-hold': 'its recipient was on hold',
  undeliverable: 'the inbox could not be written to for days',
  owed: 'no inbox could be written to; it is tried again',
  'reply-to-terminal': 'it answers a message that had ended the exchange',
  'reply-to-system': 'it answers a notice, and nobody reads such answers',
  'broadcast-reply': 'it answers a broadcast by a broadcast',
  'to-self': 'it is addressed to its own sender',
  'no-recipient': 'it names no recipient, and answers nothing that its sender got',
  'bad-recipient': 'one of its addresses is none',
  'too-many-recipients': 'it has more recipients than the hive allows',
  'bad-act': 'it has none of the seven acts',
  'bad-field': 'one of its fields holds what that field does not take',
  'nothing-said': 'it has neither subject nor body',
  'empty-file': 'the file was empty',
  'cut-off': 'the file ended in the middle of the letter',
  'not-json': 'the file is no JSON, and could not be mended',
  'not-an-object': 'the file holds something else than one object',
  'not-text': 'the file is no text',
  'too-deep': 'it is nested deeper than the hive allows',
  'too-large': 'it is larger than the hive allows',
  'not-a-file': 'it is a link, a pipe or a device',
};

/** Says why a letter ended with a code, as a clause; nothing for a code that this release does not know. */
export function outcomeReason(code: string): string | undefined {
  return Object.hasOwn(REASONS, code) ? REASONS[code as OutcomeCode] : undefined;
}
