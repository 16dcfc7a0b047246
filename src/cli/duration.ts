const UNITS: readonly [name: string, ms: number][] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
];

/** Renders how long something took, in its two greatest units: `3d 4h`, `2m 5s`, `1.2s`, `40ms`. */
export function showDuration(ms: number): string {
  const whole = Math.max(0, Math.round(ms));
  if (whole < 1000) return `${whole}ms`;
  if (whole < 60_000) return `${(Math.floor(whole / 100) / 10).toFixed(1)}s`;
  const place = UNITS.findIndex(([, length]) => whole >= length);
  const [name, length] = UNITS[place] ?? ['ms', 1];
  const [smaller, part] = UNITS[place + 1] ?? ['ms', 1];
  return `${Math.floor(whole / length)}${name} ${Math.floor((whole % length) / part)}${smaller}`;
}
