// A longer name is cut before it is compared, so that a hostile one can't buy time.
const COMPARED_LENGTH = 200;
const FARTHEST = 4;
const SHORTEST_PART = 3;

type Rank = 'same' | 'prefix' | 'part' | 'typo';
const RANKS: readonly Rank[] = ['same', 'prefix', 'part', 'typo'];

interface Match {
  candidate: string;
  rank: Rank;
  /** Edits for a typo; characters too many or too few for the others. */
  distance: number;
}

function comparable(name: string): string {
  return name.trim().slice(0, COMPARED_LENGTH).toLowerCase();
}

/** Edits between beginnings of two names; a row for each character of the first. Unset means too many. */
type Edits = (number | undefined)[][];

function known(edits: Edits, i: number, j: number): number {
  return edits[i]?.[j] ?? Number.POSITIVE_INFINITY;
}

/** Edits that make the first `i` characters of one name into the first `j` of the other. */
function leastEdits(a: string, b: string, edits: Edits, [i, j]: [i: number, j: number]): number {
  const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
  return Math.min(
    known(edits, i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1),
    known(edits, i - 1, j) + 1,
    known(edits, i, j - 1) + 1,
    swapped ? known(edits, i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY,
  );
}

/**
 * Counts inserted, deleted, changed characters and swapped neighbours (Damerau-Levenshtein, each place
 * edited once), within the band that can still be near; nothing when it takes more than `most`.
 */
function editDistance(a: string, b: string, most: number): number | undefined {
  const edits: Edits = [Array.from({ length: Math.min(b.length, most) + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row: (number | undefined)[] = i <= most ? [i] : [];
    edits.push(row);
    let least = row[0] ?? most + 1;
    for (let j = Math.max(1, i - most); j <= Math.min(b.length, i + most); j++) {
      row[j] = leastEdits(a, b, edits, [i, j]);
      least = Math.min(least, row[j] ?? least);
    }
    if (least > most) return undefined;
  }
  const distance = edits[a.length]?.[b.length];
  return distance !== undefined && distance <= most ? distance : undefined;
}

function match(wanted: string, candidate: string): Match | undefined {
  const name = comparable(candidate);
  const [short, long] = wanted.length < name.length ? [wanted, name] : [name, wanted];
  const distance = long.length - short.length;
  if (wanted === name) return { candidate, rank: 'same', distance };
  if (short.length >= SHORTEST_PART || short === wanted) {
    if (short !== '' && long.startsWith(short)) return { candidate, rank: 'prefix', distance };
  }
  if (short.length >= SHORTEST_PART && long.includes(short)) {
    return { candidate, rank: 'part', distance };
  }
  const most = Math.min(FARTHEST, Math.max(1, Math.floor(long.length / 3)));
  const edits = short.length >= SHORTEST_PART ? editDistance(wanted, name, most) : undefined;
  return edits === undefined ? undefined : { candidate, rank: 'typo', distance: edits };
}

function byNearness(a: Match, b: Match): number {
  const order = RANKS.indexOf(a.rank) - RANKS.indexOf(b.rank) || a.distance - b.distance;
  if (order !== 0) return order;
  return a.candidate < b.candidate ? -1 : 1;
}

/**
 * Finds the names that a mistyped one may have meant, for "did you mean" in a bounce. A hint and never
 * a route: mail goes only where it was addressed.
 * @param name - as written; case and space around it don't count
 * @param candidates - the names there are
 * @param most - how many to offer
 * @returns the same name in other case first, then beginnings, then parts, then names up to a third of
 * their characters (at most 4) away; ties in code-unit order, each name once; empty when none is near
 */
export function nearest(name: string, candidates: readonly string[], most = 3): string[] {
  const wanted = comparable(name);
  if (wanted === '') return [];
  return [...new Set(candidates)]
    .map((candidate) => match(wanted, candidate))
    .filter((found) => found !== undefined)
    .sort(byNearness)
    .slice(0, Math.max(0, most))
    .map((found) => found.candidate);
}
