/**
 * What happens in a client's session, as far as the doorbell cares. `start`: a session begins, is resumed
 * or has lost its memory. `prompt`: the person, or a wake, gives it something to do. `tool`: a tool has
 * run. `turn-end`: the model has ended its turn. `idle`: nothing happens, and a waiter asks whether to
 * wake it. `dialog`: a person has to decide. `dialog-over`: that is done. `end`: the session is over.
 */
export const MOMENTS = [
  'start',
  'prompt',
  'tool',
  'turn-end',
  'idle',
  'dialog',
  'dialog-over',
  'end',
] as const;

/** One of {@link MOMENTS}. */
export type Moment = (typeof MOMENTS)[number];

/** What a client's hook tells, in the doorbell's own words. */
export interface Signal {
  moment: Moment;
  /** The client's id of the session; the same over its whole life, also after a resume. */
  session: string;
  /** The model's helper of its own, not the session that reads the mail. */
  subagent: boolean;
  /** Name of the tool that ran, or that a person has to allow. */
  tool?: string | undefined;
  /** With `dialog`: what a person has to decide, in a few words. */
  need?: string | undefined;
  /** The client takes no text at this event. */
  deaf?: boolean | undefined;
  /** With `start`: the session has lost its memory, but goes on with what it does. */
  goesOn?: boolean | undefined;
  /** With `prompt`: it is the line by which a wake from outside asks the session to look at its mail. */
  wake?: boolean | undefined;
  /**
   * With `tool`, where the client's subagents can't be told from the session itself: one begins its work,
   * or has ended it.
   */
  helper?: 'begins' | 'ends' | undefined;
}
