import { eventInNote } from '../doorbell/events.ts';
import { PROBE_MOMENTS, type ProbeMoment } from '../doorbell/probe.ts';
import type { SessionStatus, Untold } from '../doorbell/session-status.ts';
import type { LogRow } from '../protocol/event.ts';

/**
 * Why a session was not told of a letter at the moment that was tested. As {@link Untold}, and:
 * `no-tool-call`: it was idle and called no tool. `no-turn-end`: no turn of it ended. `passed-by`: a turn
 * ended, and its hook said nothing. `elsewhere`: it was told at another moment. `handled-before`: the agent
 * handled the letter before it was told.
 */
export type NotTold =
  | Untold
  | 'no-tool-call'
  | 'no-turn-end'
  | 'passed-by'
  | 'elsewhere'
  | 'handled-before';

/** What the test of one moment has shown. Times are in milliseconds since the letter was sent. */
export interface MomentProof {
  moment: ProbeMoment;
  /**
   * `works`: the session was told, and the agent handled the letter, so the model has read it. `told`: the
   * hook told of it, and nothing shows that the model read that. `not-told`: see `why`. `off`: not tested,
   * since the mode notify does not tell then.
   */
  result: 'works' | 'told' | 'not-told' | 'off';
  /** Id of the letter. */
  id?: string;
  toldAfterMs?: number;
  /** The client's own name of the event. */
  event?: string;
  /** To within half a second. */
  handledAfterMs?: number;
  why?: NotTold;
}

/** A letter of a probe on its way. */
interface Probed {
  id: string;
  /** Milliseconds since the epoch. */
  sentAt: number;
  told?: { at: number; event: string | undefined };
  /** Another moment that it was told at. */
  elsewhere?: string;
  handledAt?: number;
}

/** So long after the last news an idle session is taken to have nothing more to do, in milliseconds. */
const SETTLED_MS = 15_000;

/** What is known of the letters of a probe, from the rows of the log and from the inbox. */
export class WakeProof {
  readonly #probed = new Map<ProbeMoment, Probed>();

  /** Ids of the letters that were sent. */
  get ids(): string[] {
    return [...this.#probed.values()].map(({ id }) => id);
  }

  noteSent(moment: ProbeMoment, id: string, sentAt: number): void {
    this.#probed.set(moment, { id, sentAt });
  }

  noteRow({ kind, id, code, at, ts, note = '' }: LogRow): void {
    if (kind !== 'announced') return;
    for (const [moment, probed] of this.#probed) {
      if (probed.id !== id || probed.told !== undefined) continue;
      if (code === moment) probed.told = { at: Date.parse(at ?? ts), event: eventInNote(note) };
      else probed.elsewhere = code ?? '';
    }
  }

  /** @param isUnhandled - tells of a letter by its id whether it still lies in the inbox */
  noteInbox(isUnhandled: (id: string) => boolean, now: number): void {
    for (const probed of this.#probed.values()) {
      if (probed.handledAt === undefined && !isUnhandled(probed.id)) probed.handledAt = now;
    }
  }

  /** Tells whether nothing more is to be seen of a session that is as the status says. */
  isComplete({ session }: SessionStatus, now: number): boolean {
    const all = [...this.#probed.values()];
    if (all.every(({ handledAt }) => handledAt !== undefined)) {
      // What was told right before it was handled is logged a little later.
      const last = Math.max(...all.map(({ handledAt = now }) => handledAt));
      return all.every(({ told }) => told !== undefined) || now - last > SETTLED_MS;
    }
    const isRead = all.every(({ told, elsewhere }) => (told ?? elsewhere) !== undefined);
    const last = Math.max(...all.map(({ told, sentAt }) => told?.at ?? sentAt));
    return isRead && session?.activity === 'idle' && now - last > SETTLED_MS;
  }

  /** Says what was shown, with the session as it is now. */
  moments(status: SessionStatus): MomentProof[] {
    return PROBE_MOMENTS.map((moment) => {
      const probed = this.#probed.get(moment);
      return probed === undefined
        ? { moment, result: 'off', why: 'notify' }
        : momentProof(moment, probed, status);
    });
  }
}

function momentProof(moment: ProbeMoment, probed: Probed, status: SessionStatus): MomentProof {
  const { id, sentAt, told, handledAt } = probed;
  const since = (at: number): number => Math.max(0, at - sentAt);
  const handled = handledAt === undefined ? {} : { handledAfterMs: since(handledAt) };
  if (told === undefined) {
    return { moment, result: 'not-told', id, ...handled, why: whyNotTold(moment, probed, status) };
  }
  const event = told.event === undefined ? {} : { event: told.event };
  const result = handledAt === undefined ? 'told' : 'works';
  return { moment, result, id, toldAfterMs: since(told.at), ...event, ...handled };
}

function whyNotTold(moment: ProbeMoment, probed: Probed, status: SessionStatus): NotTold {
  const { session, dialog } = status;
  if (probed.elsewhere !== undefined) return 'elsewhere';
  if (probed.handledAt !== undefined) return 'handled-before';
  if (session === undefined) return 'no-session';
  if (session.activity === 'ended') return 'ended';
  if (dialog !== undefined) return 'dialog';
  return session.activity === 'idle' ? whyNotIdle(moment, probed, status) : WHY_NOT_BUSY[moment];
}

const WHY_NOT_BUSY = {
  tool: 'at-work',
  'turn-end': 'no-turn-end',
  idle: 'at-work',
} as const satisfies Record<ProbeMoment, NotTold>;

function whyNotIdle(
  moment: ProbeMoment,
  { sentAt }: Probed,
  { session, unannounced }: SessionStatus,
): NotTold {
  const why = unannounced?.why ?? 'nothing-wakes';
  if (moment === 'idle') return why;
  if (moment === 'tool') return 'no-tool-call';
  if (Date.parse(session?.since ?? '') <= sentAt) return 'no-turn-end';
  return why === 'rests' ? 'rests' : 'passed-by';
}
