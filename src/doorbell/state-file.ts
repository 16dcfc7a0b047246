/**
 * Where the memory of a doorbell lies: `agents/<id>/.doorbell/state/<n>.json`, the highest number being
 * the one that holds. Hooks of one session run side by side, so a change is made by creating the next
 * number, which only one can: no lock that could be left behind.
 *
 * Invariants: a state is visible as a whole; who could not make the next number has changed nothing and
 * decides again; two numbers are kept, so that a reader finds what it has just listed.
 */
import { linkSync, mkdirSync, readdirSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readRegular } from '../hive/read-file.ts';
import { systemCode } from '../protocol/errors.ts';
import { type DoorbellState, NO_STATE, parseState } from './state.ts';

/** A state, and the number it has. */
export interface Numbered {
  number: number;
  state: DoorbellState;
}

const NAME = /^(\d{10})\.json$/;
/** A larger file is no state. */
export const MOST_STATE_BYTES = 1024 * 1024;
const READ_TRIES = 5;
const KEPT = 2;

/**
 * Reads what is remembered.
 * @param dir - the `state` directory; it may be missing
 */
export function readState(dir: string): Numbered {
  for (let tries = 0; ; tries += 1) {
    const number = numbersIn(dir).at(-1) ?? 0;
    if (number === 0) return { number, state: NO_STATE };
    try {
      const { bytes } = readRegular(join(dir, nameOf(number)), MOST_STATE_BYTES);
      return { number, state: parseState(Buffer.from(bytes).toString('utf8')) };
    } catch (error) {
      // Others went on meanwhile and took this number away.
      if (systemCode(error) !== 'ENOENT' || tries === READ_TRIES) throw error;
    }
  }
}

/**
 * Remembers a state, unless another one was remembered since `after` was read.
 * @returns whether it is now the one that holds
 */
export function writeState(dir: string, after: number, state: DoorbellState): boolean {
  const number = after + 1;
  if (!create(dir, nameOf(number), JSON.stringify(state))) return false;
  const numbers = numbersIn(dir);
  for (const old of numbers.filter((other) => other <= number - KEPT)) {
    unlinkIfThere(join(dir, nameOf(old)));
  }
  // One so far behind that its number was free again has been overtaken.
  return numbers.at(-1) === number;
}

/** Creates a file as a whole if there is none of that name. */
function create(dir: string, name: string, text: string): boolean {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const temporary = join(dir, `.tmp-${process.pid}-${name}`);
  writeFileSync(temporary, text, { mode: 0o600 });
  try {
    linkSync(temporary, join(dir, name));
    return true;
  } catch (error) {
    const code = systemCode(error);
    if (code === 'EEXIST') return false;
    if (code === undefined || !WITHOUT_LINKS.has(code)) throw error;
    return createWithoutLink(join(dir, name), temporary);
  } finally {
    unlinkIfThere(temporary);
  }
}

const WITHOUT_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/** On a file system without hard links: an empty file takes the name, the whole one takes its place. */
function createWithoutLink(path: string, temporary: string): boolean {
  try {
    writeFileSync(path, '', { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  }
  renameSync(temporary, path);
  return true;
}

/** Picks, among the names in a `state` directory, that of the state that holds; nothing when there is none. */
export function newestState(names: readonly string[]): string | undefined {
  const number = numbersOf(names).at(-1);
  return number === undefined ? undefined : nameOf(number);
}

function numbersOf(names: readonly string[]): number[] {
  const numbers = names.map((name) => Number(NAME.exec(name)?.[1] ?? 0));
  return numbers.filter((number) => number > 0).sort((one, other) => one - other);
}

function numbersIn(dir: string): number[] {
  try {
    return numbersOf(readdirSync(dir));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
}

function nameOf(number: number): string {
  return `${String(number).padStart(10, '0')}.json`;
}

function unlinkIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
}
