/**
 * Which copy lay where, folded from the rows of the log in their order. Tells what the rows witness: a
 * letter handled while no router was up counts as handled from the row on, and one that its owner moved
 * back out of `.done` still counts as handled.
 */
import {
  BROADCAST_NAMES,
  DESK,
  foldCase,
  hasMailbox,
  ORCHESTRATOR,
} from '../protocol/addresses.ts';
import type { LogRow } from '../protocol/event.ts';
import { isMessageId, type MessageId, messageIdTime } from '../protocol/ids.ts';
import type { Message } from '../protocol/message.ts';
import type { RecordedMessage } from '../protocol/record.ts';

/** The copy of a message for one recipient. */
export interface PastCopy {
  place: 'inbox' | 'done' | 'held' | 'owed' | 'removed';
  held?: NonNullable<Message['held']> | undefined;
  /** Where a release has changed it. */
  hops?: number | undefined;
  /** Agent through whom it is to reach the person. */
  through?: string | undefined;
  /** The message answers the person, so that the orchestrator's is a mere copy. */
  answersPerson: boolean;
}

/** See the head of this file. */
export class PastCopies {
  readonly #copies = new Map<MessageId, Map<string, PastCopy>>();

  /** Notes a row. */
  note(row: LogRow): void {
    const { id, kind } = row;
    if (!isMessageId(id)) return;
    if (kind === 'handled') {
      const place = row.note === 'removed' ? 'removed' : 'done';
      for (const agent of row.to ?? []) this.#put(id, agent, { place });
    } else {
      this.#noteArrivals(id, row);
    }
  }

  /** Lists the messages with all copies of each, in the order of their acceptance. */
  messages(): [MessageId, ReadonlyMap<string, PastCopy>][] {
    return [...this.#copies].sort(([a], [b]) => (a < b ? -1 : 1));
  }

  #noteArrivals(id: MessageId, row: LogRow): void {
    const { delivered = [], owed = [], held = [] } = row;
    const told = toldBy(row);
    const why = heldBy(id, row);
    for (const agent of owed) this.#put(id, agent, { ...told, ...why, place: 'owed' });
    for (const agent of delivered) this.#put(id, agent, { ...told, place: 'inbox' });
    for (const agent of held) {
      // What is held late was to be held before, and says so by what it was then.
      const before = row.kind === 'late' ? this.#copies.get(id)?.get(agent)?.held : undefined;
      this.#put(id, agent, { ...told, ...why, ...(before && { held: before }), place: 'held' });
    }
  }

  #put(id: MessageId, agent: string, copy: Partial<PastCopy> & Pick<PastCopy, 'place'>): void {
    if (!hasMailbox(agent)) return;
    const copies = this.#copies.get(id) ?? new Map<string, PastCopy>();
    this.#copies.set(id, copies);
    copies.set(agent, { answersPerson: false, ...copies.get(agent), ...copy });
  }
}

/** What a row tells of all the copies that it is about. */
function toldBy(row: LogRow): Partial<PastCopy> {
  const { kind, through, hops, from, to } = row;
  const answersPerson =
    from !== DESK && typeof row.in_reply_to === 'string' && to?.includes(DESK) === true;
  return {
    ...(kind === 'letter' ? { answersPerson } : {}),
    ...(kind === 'release' ? { hops } : {}),
    ...(through === undefined ? {} : { through }),
  };
}

/** Why a copy is held, and since when, as its file says. */
function heldBy(id: MessageId, { kind, outcome, code, batch }: LogRow): Pick<PastCopy, 'held'> {
  if (kind === 'expired') {
    const since = isMessageId(batch) ? batch : id;
    return { held: { code: code ?? 'undeliverable', at: timeOf(since) } };
  }
  const why = outcome === 'held' && code !== undefined && code !== 'owed' ? code : 'on-hold';
  return { held: { code: why, at: timeOf(id) } };
}

function timeOf(id: MessageId): string {
  return new Date(messageIdTime(id)).toISOString();
}

/** Tells whether the orchestrator is itself meant by what a letter is addressed to, and not by a copy alone. */
function isAddressed(agent: string, { to_all: all = [] }: RecordedMessage): boolean {
  const names = [agent, 'god', ORCHESTRATOR, ...BROADCAST_NAMES];
  return all
    .map((address) => foldCase(address).replace(/^@/, ''))
    .some((address) => names.includes(address) || address.startsWith('role:'));
}

/** Makes the message that an agent had; a copy that came late may have had its fields in another order. */
export function copyFor(
  agent: string,
  { message, copy }: { message: RecordedMessage; copy: PastCopy },
  orchestrator: string | undefined,
): Message {
  const { outcome: _outcome, code: _code, ...shared } = message;
  const { through, answersPerson, place, hops, held } = copy;
  const isWay = through === agent || agent === orchestrator;
  const isCopy =
    answersPerson && agent === orchestrator && through !== agent && !isAddressed(agent, message);
  return {
    ...shared,
    to: agent as Message['to'],
    requires_reply: shared.requires_reply && !isCopy,
    needs_human: shared.needs_human && (agent === DESK || (isWay && !isCopy)),
    hops: hops ?? shared.hops,
    ...(place === 'held' && held !== undefined ? { held } : {}),
  };
}
