import { EVENT_KINDS, HivemailError } from '../index.ts';
import { splitList } from './lists.ts';

const UNIT_MS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/**
 * Parses the kinds of rows that are wanted.
 * @throws HivemailError `usage`
 */
export function parseKinds(text: string): ReadonlySet<string> {
  const kinds = splitList(text.toLowerCase());
  const known: readonly string[] = EVENT_KINDS;
  const unknown = kinds.find((kind) => !known.includes(kind));
  if (unknown === undefined && kinds.length > 0) return new Set(kinds);
  const problem = unknown === undefined ? 'No kind is named.' : `"${unknown}" is no kind of row.`;
  throw new HivemailError('usage', `${problem} Use ${EVENT_KINDS.join(', ')}.`);
}

/**
 * Parses a moment: so long ago, or a date with or without a time.
 * @returns ISO 8601, UTC
 * @throws HivemailError `usage`
 */
export function parseSince(text: string, nowMs: number): string {
  const [, count, unit = ''] = /^(\d+(?:\.\d+)?)([smhd])$/i.exec(text.trim()) ?? [];
  const agoMs = Number(count) * (UNIT_MS[unit.toLowerCase()] ?? 0);
  const timeMs = count === undefined ? parseDate(text.trim()) : Math.max(0, nowMs - agoMs);
  if (Number.isFinite(timeMs)) return new Date(timeMs).toISOString();
  throw new HivemailError(
    'usage',
    `"${text}" is no time. Say how long ago, as in 45s, 30m, 2h or 7d, or a date as in 2026-11-30T17:00Z.`,
  );
}

/** Date.parse alone takes nearly everything for a date, a bare number too. */
function parseDate(text: string): number {
  return /^\d{4}-\d{2}-\d{2}(?:$|[T ])/.test(text) ? Date.parse(text) : Number.NaN;
}
