const UNITS: readonly [name: string, seconds: number][] = [
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
];

/**
 * Renders how long ago something was, in its greatest unit: `5d`, `3h`, `12m`, `8s`.
 * @param since - ISO 8601
 * @returns `?` for what is no time
 */
export function ageOf(since: string, nowMs: number): string {
  const timeMs = Date.parse(since);
  if (Number.isNaN(timeMs)) return '?';
  const seconds = Math.max(0, Math.floor((nowMs - timeMs) / 1000));
  const [name, length] = UNITS.find(([, least]) => seconds >= least) ?? ['s', 1];
  return `${Math.floor(seconds / length)}${name}`;
}
