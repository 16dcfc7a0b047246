/**
 * Cuts the power at every change that a router makes, and lets the real router start on what is left.
 * A cut can leave many states; all of them are tried when they are few, and a sample otherwise.
 *
 * Not tried: the very first log.jsonl of a hive, whose name no sync of the directory covers. The file
 * systems we know bring the name of a new file with its first sync.
 */
import { layoutOf } from '../../src/hive/layout.ts';
import type { AgentId } from '../../src/protocol/addresses.ts';
import type { Message } from '../../src/protocol/message.ts';
import { parseMessage } from '../../src/protocol/parse-message.ts';
import { createFaultyFs, onlyReads } from '../helpers/faulty-fs.ts';
import type { MemoryFs } from '../helpers/memory-fs.ts';
import {
  createRecordingFs,
  type DiskModel,
  type RecordingFs,
  type Survives,
  type Sync,
} from '../helpers/recording-fs.ts';
import { checkRest } from '../simulation/check-rest.ts';
import { makeWorld, type Seen, World, type Written } from '../simulation/world.ts';
import { openRouterOn } from './router-on.ts';

/** A hive before the router starts, and what happens to it between passes. */
export interface Scene {
  letters: { agent: string; letter: Record<string, unknown> }[];
  /** Agents whose inbox is broken in the first pass and mended after it. */
  broken?: string[];
}

/** What is tried. */
export interface Trial {
  scene: Scene;
  model: DiskModel;
  leavesOut?: (sync: Sync) => boolean;
  /** Most states that are tried of each cut. */
  mostStates: number;
  /** Cuts the power again while the next router starts, at every so-manieth change. */
  again?: number;
  /** Of all cuts, only every so-manieth. */
  every?: number;
}

/** What was found. */
export interface Found {
  cuts: number;
  states: number;
  problems: string[];
}

interface Cut {
  where: string;
  model: DiskModel;
  /** The power is cut again. */
  twice: boolean;
  files: MemoryFs;
  seen: Seen[];
  written: Written[];
}

/** Tries a scene until something is wrong, or to its end. */
export async function cutPower(trial: Trial): Promise<Found> {
  const found: Found = { cuts: 0, states: 0, problems: [] };
  const world = await makeWorld();
  for (const { agent, letter } of trial.scene.letters) world.write(agent, letter, (text) => text);
  for (const agent of trial.scene.broken ?? []) world.breakInbox(agent);
  // A hive that was routed before: the name of a new log is not synced by itself (see the head).
  world.files.write(world.layout.log, '');
  const { files, written } = world;
  const twice = trial.again !== undefined;
  const base: Cut = { where: '', model: trial.model, twice, files, seen: [], written };
  await cutAlong(base, trial, found, twice ? 2 : 1);
  return found;
}

/** Runs a router on files and cuts the power at its changes; what is left goes on. */
async function cutAlong(from: Cut, trial: Trial, found: Found, depth: number): Promise<void> {
  const cuts: Cut[] = [];
  const recording = createRecordingFs(from.files.copy(), trial.model, trial.leavesOut);
  const fs = createFaultyFs(recording);
  const every = depth === 1 && trial.again !== undefined ? trial.again : (trial.every ?? 1);
  let changes = 0;
  fs.plan = (operation) => {
    if (onlyReads(operation) || (changes += 1) % every !== 0) return undefined;
    found.cuts += 1;
    const seen = [...from.seen, ...seenIn(recording.live)];
    const where = `${from.where}; before ${operation.kind} ${operation.path}`;
    for (const survives of states(recording, trial, changes)) {
      cuts.push({ ...from, where, files: recording.cut(survives), seen });
    }
    return undefined;
  };
  const router = await openRouterOn(fs);
  await router.passes(1);
  mend(recording, trial.scene);
  await router.passes(3);
  for (const [place, cut] of cuts.entries()) {
    found.states += 1;
    const problems = await comeToRest(cut, place % 2 === 0);
    if (problems.length > 0) found.problems.push(`${cut.where}: ${problems.join(' ')}`);
    if (found.problems.length > 0) return;
    if (depth > 1 && place % 5 === 0) await cutAlong(cut, trial, found, depth - 1);
    if (found.problems.length > 0) return;
  }
}

function mend({ live }: RecordingFs, { broken = [] }: Scene): void {
  const world = new World(live);
  for (const agent of broken) world.mendInbox(agent);
}

/** What agents can see in their inboxes. */
function seenIn(files: MemoryFs): Seen[] {
  const layout = layoutOf('/hive');
  return files.list(layout.agents).flatMap((agent) => {
    const { inbox } = layout.agent(agent as AgentId);
    if (files.stat(inbox)?.kind !== 'directory') return [];
    return files
      .list(inbox)
      .filter((name) => name.endsWith('.json'))
      .map((name) => ({ agent, message: messageIn(files, `${inbox}/${name}`) }));
  });
}

function messageIn(files: MemoryFs, path: string): Message {
  const message = parseMessage(files.text(path) ?? '');
  if (message === undefined) throw new Error(`${path} holds no message.`);
  return message;
}

/** Ways in which what is not durable may have come through a cut. */
function states(recording: RecordingFs, { model, mostStates }: Trial, seed: number): Survives[] {
  const loose = recording.loose();
  if (model === 'ordered') {
    const lengths = Array.from({ length: loose + 1 }, (_, length) => length);
    const step = Math.max(1, Math.ceil(lengths.length / mostStates));
    const some = lengths.filter((length) => (loose - length) % step === 0);
    return some.map((length) => (place) => place < length);
  }
  if (2 ** loose <= mostStates) {
    return Array.from({ length: 2 ** loose }, (_, bits) => (place) => ((bits >> place) & 1) === 1);
  }
  const last = (count: number): Survives[] =>
    Array.from({ length: count }, (_, back) => (place) => place !== loose - 1 - back);
  const drawn = Array.from({ length: Math.max(0, mostStates - 5) }, (_, draw) => {
    const random = randomBits(seed * 31 + draw);
    const chosen = Array.from({ length: loose }, () => random() < 0.5);
    return (place: number) => chosen[place] === true;
  });
  return [() => false, () => true, ...last(3), ...drawn].slice(0, mostStates);
}

/** A small generator of numbers in [0, 1), the same for the same seed (mulberry32). */
function randomBits(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Starts the router on what is left, and compares with the ledger. */
async function comeToRest(cut: Cut, handled: boolean): Promise<string[]> {
  const world = new World(cut.files.copy());
  world.written.push(...cut.written);
  world.passTime(60_000);
  try {
    if (handled) removeSeen(world, cut.seen);
    await world.rest();
  } catch (error) {
    return [String(error)];
  }
  // Shown again under the same id is the one thing that is allowed.
  const key = ({ agent, message }: Seen) => `${message.id} ${agent}`;
  const known = new Set(world.seen.map(key));
  for (const each of cut.seen) {
    if (known.has(key(each))) continue;
    known.add(key(each));
    world.seen.push(each);
  }
  return checkRest(world).filter((problem) => !isToldWrong(problem, world, cut));
}

/**
 * What the log may tell wrong after a cut, on a disk that keeps no order, though the mail is right: a
 * row says `owed` of a copy that came through, since the row was durable before the move of that copy
 * to `deferred/`; and after two cuts several rows say `late`, since the batch that failed to deliver it
 * was not durably recorded when the one that did was committed.
 */
function isToldWrong(problem: string, world: World, { model, twice }: Cut): boolean {
  if (model === 'ordered') return false;
  const [, id, agent, said] =
    /^(\S+) (\S+): found 1 times, (\d+) rows say delivered/.exec(problem) ?? [];
  if (id === undefined) return false;
  const lines = (world.files.text(world.layout.log) ?? '').split('\n');
  const own = lines.filter((line) => line.includes(id));
  if (said === '0') return own.some((line) => line.includes(`"owed":["${agent}"]`));
  return twice && own.filter((line) => line.includes('"kind":"late"')).length === Number(said);
}

/** Agents have taken what they saw before the cut, as far as that had reached the disk. */
function removeSeen({ files, layout }: World, seen: readonly Seen[]): void {
  for (const { agent, message } of seen) {
    const path = `${layout.agent(agent as AgentId).inbox}/${message.id}.json`;
    if (files.stat(path)?.kind === 'file') files.unlink(path);
  }
}
