import { HivemailError } from '../index.ts';

const DAY_MS = 86_400_000;
const UNIT_MS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: DAY_MS,
  w: 7 * DAY_MS,
};

const AGO = /^(?:\d+(?:\.\d+)?[smhdw])+$/;
const AGO_PART = /(\d+(?:\.\d+)?)([smhdw])/g;
const CLOCK = /^(\d{1,2}):(\d{2})(?::(\d{2})(\.\d{1,3})?)?$/;
/** An ISO date, a time behind it or not, and its offset or none. */
const DATE =
  /^(\d{4}-\d{2}-\d{2})(?:[t ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?) ?(z|[+-]\d{2}:?\d{2})?)?$/;

/**
 * Parses a moment as people say it: so long ago (`45s`, `1h30m`, `7d`), a date with or without a time,
 * a time of the day that was last (`14:30`), `now`, `today`, `yesterday`. Without an offset it is UTC,
 * as is everything that we print, so that a time can be copied from there.
 * @returns ISO 8601, UTC
 * @throws HivemailError `usage`
 */
export function parseMoment(text: string, nowMs: number): string {
  const said = text.trim().toLowerCase();
  const timeMs = wordTime(said, nowMs) ?? agoTime(said, nowMs) ?? clockTime(said, nowMs);
  const moment = new Date(timeMs ?? dateTime(said));
  if (!Number.isNaN(moment.getTime())) return moment.toISOString();
  throw new HivemailError(
    'usage',
    `"${text}" is no time. Say how long ago, as in 45s, 30m, 2h or 7d, a time of the day as in 14:30, or a date as in 2026-11-30T17:00Z. Without an offset it is UTC.`,
  );
}

function wordTime(said: string, nowMs: number): number | undefined {
  if (said === 'now') return nowMs;
  if (said === 'today') return dayOf(nowMs);
  return said === 'yesterday' ? dayOf(nowMs) - DAY_MS : undefined;
}

function dayOf(timeMs: number): number {
  return Math.floor(timeMs / DAY_MS) * DAY_MS;
}

function agoTime(said: string, nowMs: number): number | undefined {
  if (!AGO.test(said)) return undefined;
  const parts = [...said.matchAll(AGO_PART)];
  const agoMs = parts.reduce((sum, [, count, unit = '']) => {
    return sum + Number(count) * (UNIT_MS[unit] ?? 0);
  }, 0);
  return Math.max(0, nowMs - agoMs);
}

/** The last time it was so late: a time of the day that is still to come was yesterday's. */
function clockTime(said: string, nowMs: number): number | undefined {
  const [, hours, minutes, seconds = '0', fraction = ''] = CLOCK.exec(said) ?? [];
  if (hours === undefined || Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) {
    return undefined;
  }
  const inDayMs =
    (Number(hours) * 3600 + Number(minutes) * 60 + Number(`${seconds}${fraction}`)) * 1000;
  const today = dayOf(nowMs) + inDayMs;
  return today <= nowMs ? today : today - DAY_MS;
}

/** Date.parse alone takes nearly everything for a date, a bare number too, and local time for a bare one. */
function dateTime(said: string): number {
  const [, date, time = '00:00', offset = 'z'] = DATE.exec(said) ?? [];
  return date === undefined ? Number.NaN : Date.parse(`${date}T${time}${offset.toUpperCase()}`);
}
