import { type RecordedMessage, randomTail, showMessage } from '../index.ts';

/** Shows a message as the history has it, in full: safe for a terminal, secrets hidden. */
export function showRecorded({ to, outcome, code, ...message }: RecordedMessage): string {
  const ending = outcome === 'delivered' ? '' : `ended:        ${outcome} (${code})\n`;
  // The history has one record for all recipients, so there is no single one to name.
  const shown = { ...message, to: to.join(', ') as never };
  return `${ending}${showMessage(shown, { nonce: randomTail(), redact: true })}`.trimEnd();
}
