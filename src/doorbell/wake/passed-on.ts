/** Of the environment of the one that wakes, what a program needs to run at all. */
const NAMES = ['PATH', 'HOME', 'TMPDIR', 'SystemRoot', 'USERPROFILE'];

/** Picks what a program that wakes a session gets of the environment: no key, no agent's name. */
export function passedOn(
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const entries = NAMES.map((name) => [name, env[name]] as const);
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
