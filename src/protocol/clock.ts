/** The two clocks that code is given; nothing reads the time by itself. */
export interface Clock {
  /** Wall clock in milliseconds since the epoch; may jump. For what people and files are told. */
  now(): number;
  /** Milliseconds from an arbitrary start that never step back. For every wait and interval. */
  monotonic(): number;
}

/** Formats a wall-clock time as messages and rows carry it: ISO 8601, UTC, milliseconds. */
export function toTimestamp(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
