/** What an outbox held when it was last listed, as far as no pass has come to it yet. */
export interface Backlog {
  /** Names of letters, in the order in which they are taken. */
  names: readonly string[];
  /** Monotonic. */
  listedAtMs: number;
}

/**
 * How long a listing is gone by. Listing and sorting 5 000 names takes some 40 ms, as long as routing
 * the letters of a pass; what comes meanwhile is younger than what is on the list.
 */
const FRESH_MS = 2000;

/** Tells whether a listing is still gone by. */
export function isFresh({ listedAtMs }: Backlog, nowMs: number): boolean {
  return nowMs - listedAtMs < FRESH_MS;
}

/** What a pass takes off a backlog. */
export interface TakenNames<Found> {
  found: Found[];
  /** What is left for the next pass, in order; nothing when the end was reached. */
  left: readonly string[] | undefined;
}

/**
 * Takes the next letters off a backlog. Those that were offered before and stayed where they are, as a
 * file that is still written does, are offered again and keep no other from its turn.
 * @param look - gives nothing for a name that is no letter any more
 * @param stayed - names that an earlier pass could not take
 * @param most - letters that are taken besides those
 */
export function takeNext<Found>(
  { names }: Backlog,
  look: (name: string) => Found | undefined,
  { stayed, most }: { stayed: ReadonlySet<string>; most: number },
): TakenNames<Found> {
  const found: Found[] = [];
  const kept: string[] = [];
  let next = 0;
  for (let taken = 0; next < names.length && taken < most; next++) {
    const name = names[next] as string;
    const here = look(name);
    if (here === undefined) continue;
    found.push(here);
    kept.push(name);
    if (!stayed.has(name)) taken++;
  }
  return { found, left: next < names.length ? [...kept, ...names.slice(next)] : undefined };
}
