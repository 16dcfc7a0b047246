import { isMessageId } from '../protocol/ids.ts';
import type { RecordedBatch, RecordedMessage } from '../protocol/record.ts';

/** What the commit message is made of; whatever else a message has is kept as it is. */
const MESSAGE_TEXTS = ['conversation', 'from', 'act', 'subject', 'outcome', 'code'];

/**
 * Reads a batch out of its queue file, which is the batch's plan and holds more than the history
 * needs. Checks what paths and commit messages are made of.
 * @returns the batch with fields in the order of the file; nothing when it does not hold one
 */
export function parseBatch(bytes: Uint8Array): RecordedBatch | undefined {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
  return isBatch(value) ? value : undefined;
}

function isBatch(value: unknown): value is RecordedBatch {
  if (!isObject(value) || !isMessageId(value['batch'])) return false;
  const { at, records } = value;
  if (typeof at !== 'string' || Number.isNaN(Date.parse(at))) return false;
  return Array.isArray(records) && records.every(isRecord);
}

function isRecord(value: unknown): boolean {
  if (!isObject(value) || !isMessageId(value['id'])) return false;
  const { message, original } = value;
  if (original !== undefined && typeof original !== 'string') return false;
  return message === undefined ? original !== undefined : isRecordedMessage(message);
}

/** Tells whether a value has what every recorded message has. */
export function isRecordedMessage(value: unknown): value is RecordedMessage {
  if (!isObject(value) || !MESSAGE_TEXTS.every((key) => typeof value[key] === 'string')) {
    return false;
  }
  return Array.isArray(value['to']) && value['to'].every((name) => typeof name === 'string');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
