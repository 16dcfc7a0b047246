import type { Moment, Signal } from '../moment.ts';

/** A hook's payload, as parsed from its standard input: any JSON object. */
export type Payload = Readonly<Record<string, unknown>>;

/** What a hook prints, and how it ends. */
export interface HookAnswer {
  stdout: string;
  stderr: string;
  exitCode: number;
}

/** How the doorbell speaks with one coding agent's client. docs/clients.md says where each fact is from. */
export interface Client {
  /**
   * Reads what happened out of a hook's call.
   * @param event - by the client's own name
   * @returns nothing for what does not concern the doorbell
   */
  readSignal(event: string, payload: Payload): Signal | undefined;
  /**
   * Puts a digest into the one shape that the client takes at this event.
   * @param moment - at `turn-end` and `idle` the digest has the session go on
   */
  ring(event: string, moment: Moment, digest: string): HookAnswer;
  /**
   * Tells whether a session, by the words its client was called with, ends with its prompt: then there is
   * nothing to wait for. Never, when left out.
   */
  isOneShot?(commandLine: readonly string[]): boolean;
  /** What the client wants to see when there is nothing to say. */
  readonly quiet: HookAnswer;
  /**
   * Takes back a prompt that was a wake, when there is nothing to tell any more: no turn begins. Where a
   * client has no such answer, the wake is read and leads to nothing.
   */
  readonly decline?: HookAnswer;
  /** Matches the command line of a process of this client that serves many sessions. */
  readonly server?: RegExp;
  /** Environment variables by which a wake from outside finds the session again. */
  readonly place: readonly string[];
}

/** An answer that prints one JSON object, or nothing. */
export function printing(value?: object): HookAnswer {
  return { stdout: value === undefined ? '' : JSON.stringify(value), stderr: '', exitCode: 0 };
}

/** Reads a text out of a payload; nothing when it is none, or empty. */
export function textIn(payload: Payload, field: string): string | undefined {
  const value = payload[field];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** What each event of a client tells, by the client's own name; nothing for what is of no concern. */
export type Readers = Readonly<
  Record<string, (payload: Payload) => Omit<Signal, 'session' | 'subagent'> | undefined>
>;

/** Reads a signal by the reader of its event, of a client whose payloads name their `session_id`. */
export function readSignalBy(
  readers: Readers,
  event: string,
  payload: Payload,
): Signal | undefined {
  const session = textIn(payload, 'session_id');
  const read = Object.hasOwn(readers, event) ? readers[event] : undefined;
  const told = session === undefined ? undefined : read?.(payload);
  return session === undefined || told === undefined
    ? undefined
    : { session, subagent: false, ...told };
}
