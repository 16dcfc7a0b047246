/** The system calls that the built program makes on a hive, out of what strace tells of them. */
import { type HeldRouter, hasEnded, Tracer } from './held-router.ts';

/** One system call that touches the hive. */
export interface Call {
  name: string;
  /** Which of the program's threads makes it. */
  thread: number;
  /** Its number among the calls of that name in its thread, from 1. */
  ordinal: number;
  /** Its place among those of them that touch the hive, from 0. */
  place: number;
  /** What it is about, without what differs from run to run. */
  text: string;
  /** Whether it changes anything, or only looks. */
  changes: boolean;
  /** A file of the hive: `ordinal` counts the calls on it alone. */
  file?: string;
}

/** Whatever takes a path or a descriptor. */
const ALL = 'trace=%file,%desc';
const LINE = /^(?:(\d+) +)?(\w+)\((.*)$/;
const CHANGING =
  /^(rename|mkdir|rmdir|unlink|link|symlink|p?write|f?sync|fdatasync|ftruncate|f?chmod|utime)/;
/** Node makes these for itself as well, on its pipes, a different number of them in each run. */
const UNSTEADY = /^(read|write|close)$/;
/** Part of a name that is another in each run. */
const RANDOM = /ID|EPOCH|\.tmp$/;
/** A directory that the program holds open; only our programs name one so. */
const BY_DESCRIPTOR = /\/proc\/self\/fd\/(\d+)/g;
const OPENED = /= (\d+)<(\/[^>]*)>$/;
const CHILD_ENDED = '--- SIGCHLD ';

/** Runs a command line once without a fault, and lists its calls on the hive in their order. */
export async function listCalls(
  router: HeldRouter,
  hive: string,
  args: readonly string[] = ['up', hive, '--once'],
): Promise<Call[]> {
  const options = { output: `${hive}.trace`, args: ['-e', ALL] };
  await using tracer = await Tracer.attach(router.threads, options);
  const exitCode = await router.run(args);
  if (!hasEnded(exitCode))
    throw new Error(`The traced run ended with ${exitCode}: ${router.stderr}`);
  const told = tracer.told();
  // From the first signal on, node writes to a pipe of its own for each.
  const steady = parseCalls(told.slice(0, told.indexOf(CHILD_ENDED)), hive, router.threads).length;
  return countByFile(parseCalls(told, hive, router.threads), steady);
}

/**
 * Counts calls whose number is not steady by their file. One on a file of random name counts among those
 * of its thread, while their number is steady; a close also later, where there is none of its kind before.
 */
function countByFile(calls: readonly Call[], steady: number): Call[] {
  const counts = new Map<string, number>();
  const closed = new Set<string>();
  return calls.flatMap((call, place) => {
    if (!UNSTEADY.test(call.name)) return [call];
    const file = / <(\/[^>]*)>$/.exec(call.text)?.[1] ?? '';
    if (RANDOM.test(file)) {
      const isNew = call.name === 'close' && !closed.has(call.text);
      closed.add(call.text);
      return isNew || (place < steady && call.name !== 'read') ? [call] : [];
    }
    const ordinal = (counts.get(call.text) ?? 0) + 1;
    counts.set(call.text, ordinal);
    return [{ ...call, ordinal, place: ordinal - 1, file }];
  });
}

/**
 * Reads the calls on a hive out of a trace.
 * @param threads - all that were traced; without numbers in its lines it is of the only one
 */
export function parseCalls(trace: string, hive: string, threads: readonly number[]): Call[] {
  const counts = new Map<string, number>();
  const places = new Map<string, number>();
  const open = new Map<string, string>();
  return trace.split('\n').flatMap((line) => {
    const [, id, name, given] = LINE.exec(line) ?? [];
    if (name === undefined || given === undefined) return [];
    const [, opened, path] = OPENED.exec(given) ?? [];
    const rest = given.replaceAll(BY_DESCRIPTOR, (all, fd: string) => open.get(fd) ?? all);
    if (opened !== undefined && path !== undefined) open.set(opened, path);
    const thread = id === undefined ? 0 : threads.indexOf(Number(id));
    const key = `${thread} ${name}`;
    const ordinal = (counts.get(key) ?? 0) + 1;
    counts.set(key, ordinal);
    const about = aboutOf(name, rest);
    if (!touches(about, hive)) return [];
    const place = (places.get(key) ?? -1) + 1;
    places.set(key, place);
    const changes = CHANGING.test(name) || /\bO_(CREAT|TRUNC)\b/.test(rest);
    const text = tell(name, about.replaceAll(hive, ''));
    return [{ name, thread, ordinal, place, text, changes }];
  });
}

/** What a call is about: its paths and flags, not what is written or read. */
function aboutOf(name: string, rest: string): string {
  const own = /^p?(write|read)/.test(name) ? rest.slice(0, rest.indexOf('>') + 1) : rest;
  return own.replace(/AT_FDCWD<[^>]*>/, '');
}

function touches(about: string, hive: string): boolean {
  // Where only calls of one name are traced, nobody sees what its descriptors are.
  return ['"/proc/self/fd/', `${hive}/`, `<${hive}>`, `"${hive}"`].some((path) =>
    about.includes(path),
  );
}

/** Names a call without what differs from run to run. */
function tell(name: string, about: string): string {
  const paths = about.match(/"(\/[^"]*)?"|<(\/[^>]*)?>/g) ?? [];
  const flags = /\bO_[A-Z_|]+/.exec(about)?.[0].replaceAll(/\|?O_(CLOEXEC|NOFOLLOW|NONBLOCK)/g, '');
  return [name, ...paths, ...(flags === undefined ? [] : [flags])]
    .join(' ')
    .replaceAll(/\b[0-9a-z]{12}-[0-9a-z]{8}\b/g, 'ID')
    .replaceAll(/\be\d+-[0-9a-z]{8,}\b/g, 'EPOCH')
    .replaceAll(/\.tmp-[0-9a-z]{8}\b/g, '.tmp');
}
