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
  /** What the client wants to see when there is nothing to say. */
  readonly quiet: HookAnswer;
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
