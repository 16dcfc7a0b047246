// needs: git
/**
 * The doorbell in a real opencode, with the built program and a running router; only the model is played
 * by a script. What reached the model is what the requests to it hold.
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Child, startChild } from '../clients/child.ts';
import {
  installOpencode,
  keepFromInstalling,
  type Opencode,
  startOpencode,
} from '../clients/opencode.ts';
import { type StubModel, startStubModel } from '../clients/stub-model.ts';
import type { Decide, Turn } from '../clients/turn.ts';
import { clientTestsWanted } from '../clients/wanted.ts';
import { tempDir } from '../helpers/temp-dir.ts';
import { HIVEMAIL, hivemail, lettersIn, makePlace, type Place } from './built.ts';

const LIMIT_MS = 300_000;
const PATIENCE = { timeout: 60_000, interval: 100 };
/** Long enough for a doorbell that should be silent to be heard if it is not. */
const SILENCE_MS = 6_000;

let place: Place;
let router: Child;
let stub: StubModel;
let opencode: Opencode;
let script: Decide;
let letters = 0;
let project: string;
/** The files of the project before hooks were installed. */
let before: readonly string[];

const hooks = (command: string) =>
  hivemail(place, ['hooks', command, 'opencode', '--agent', 'coder'], undefined, project);

/** Lists the files of a directory with what they hold. */
function filesIn(dir: string): string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .map(
      (entry) =>
        join(entry.parentPath, entry.name) +
        (entry.isFile() ? `: ${readFileSync(join(entry.parentPath, entry.name), 'utf8')}` : ''),
    )
    .sort();
}

/** Sends a letter to the coder, and waits until the router has delivered it. */
async function mail(subject: string): Promise<string> {
  const outbox = join(place.hive, 'agents', 'planner', 'outbox');
  const name = `letter-${(letters += 1)}.json`;
  const letter = { to: 'coder', act: 'request', subject, body: 'Please.' };
  writeFileSync(join(outbox, `.tmp-${name}`), JSON.stringify(letter));
  renameSync(join(outbox, `.tmp-${name}`), join(outbox, name));
  return await vi.waitFor(() => {
    const found = lettersIn(place, 'coder', 'inbox').find((got) => got['subject'] === subject);
    if (found === undefined) throw new Error(`No letter yet. The router: ${router.stderr()}`);
    return String(found['id']);
  }, PATIENCE);
}

function setMode(mode: 'notify' | 'continue'): void {
  const dir = join(place.hive, 'agents', 'coder', '.doorbell');
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, 'settings.json'), JSON.stringify({ mode }));
}

/** Plays the next turns: answers by their number within the test. */
function play(decide: (turn: Turn, number: number) => ReturnType<Decide>): readonly Turn[] {
  const turns: Turn[] = [];
  script = (turn) => {
    turns.push(turn);
    return decide(turn, turns.length);
  };
  return turns;
}

const readByModel = ({ userText, toolOutput = '' }: Turn) => userText + toolOutput;
const timesTold = (turns: readonly Turn[], subject: string) =>
  turns.filter((turn) => readByModel(turn).includes(subject)).length;
const isTold = (turns: readonly Turn[], subject: string) =>
  vi.waitFor(() => expect(timesTold(turns, subject)).toBe(1), PATIENCE);
const silence = () =>
  new Promise((resolve) => {
    setTimeout(resolve, SILENCE_MS);
  });

describe.skipIf(!clientTestsWanted('opencode'))('opencode', { timeout: LIMIT_MS }, () => {
  beforeAll(async () => {
    await installOpencode();
    const dir = tempDir();
    place = await makePlace(dir, 'planner,coder');
    const [file, cwd, env] = [process.execPath, place.hive, place.env];
    router = await startChild({
      ...{ file, cwd, env, timeLimitMs: LIMIT_MS },
      args: [HIVEMAIL, 'up', place.hive],
    });
    project = join(dir, 'project');
    mkdirSync(join(dir, 'tmp'));
    mkdirSync(join(project, '.opencode'), { recursive: true });
    keepFromInstalling(join(project, '.opencode'));
    before = filesIn(project);
    const installed = await hooks('install');
    if (installed.exitCode !== 0) throw new Error(installed.stderr);
    stub = await startStubModel((turn) => script(turn));
    opencode = await startOpencode({
      ...{ home: join(dir, 'home'), cwd: project, model: stub.url },
      env: { TMPDIR: join(dir, 'tmp'), HIVEMAIL_HIVE: place.hive, HIVEMAIL_AGENT: 'coder' },
    });
  }, 600_000);

  afterAll(async () => {
    await opencode?.[Symbol.asyncDispose]();
    await router?.[Symbol.asyncDispose]();
    await stub?.[Symbol.asyncDispose]();
  });

  beforeEach(() => {
    setMode('notify');
    const inbox = join(place.hive, 'agents', 'coder', 'inbox');
    for (const name of readdirSync(inbox).filter((entry) => entry.endsWith('.json')))
      renameSync(join(inbox, name), join(inbox, '.done', name));
  });

  it('shows mail of a tool call in the next request, and lets the agent act on it', async () => {
    let id = '';
    const turns = play(async (turn, number) => {
      if (number === 1) {
        id = await mail('Parse numbers');
        return { shell: 'echo worked' };
      }
      const command = /Commands, after "(.*?)"/.exec(readByModel(turn))?.[1];
      if (number === 2) return { shell: `${command} read ${id}` };
      const reply = `node ${HIVEMAIL} reply ${id} --act done --body Finished.`;
      if (number === 3) return { shell: `${reply}; node ${HIVEMAIL} ack ${id}` };
      return { text: 'I have answered.' };
    });
    await opencode.prompt(await opencode.createSession(), 'Go on.');
    expect(turns[1]?.toolOutput).toMatch(/^worked\n\n\nHivemail: 1 new letter for coder in /);
    expect(turns[1]?.toolOutput).toContain(`${id}  planner  request`);
    expect(turns[2]?.toolOutput).toContain('Please.');
    expect(timesTold(turns.slice(3), 'Hivemail:')).toBe(0);
    expect(existsSync(join(place.hive, 'agents/coder/inbox/.done', `${id}.json`))).toBe(true);
    const answers = () => lettersIn(place, 'planner', 'inbox');
    await vi.waitFor(
      () => expect(answers()).toMatchObject([{ in_reply_to: id, body: 'Finished.' }]),
      PATIENCE,
    );
    expect(stub.strays()).toEqual([]);
  });

  it('waits for the next prompt when mail may not start a turn', async () => {
    const turns = play(async (_, number) => {
      if (number === 1) await mail('Parse dates');
      return { text: 'Done.' };
    });
    const session = await opencode.createSession();
    await opencode.prompt(session, 'Go on.');
    await silence();
    expect(turns).toHaveLength(1);
    await opencode.prompt(session, 'And now?');
    expect(turns[1]?.userText).toMatch(/And now\?[^]*Hivemail: 1 new letter[^]*Parse dates/);
    await opencode.prompt(session, 'Thank you.');
    expect(timesTold(turns, 'Parse dates')).toBe(1);
  });

  it('goes on with mail at the end of a turn, and wakes when it comes later', async () => {
    setMode('continue');
    const turns = play(async (_, number) => {
      if (number === 1) await mail('Parse lists');
      return { text: 'Done.' };
    });
    await opencode.prompt(await opencode.createSession(), 'Go on.');
    await isTold(turns, 'Parse lists');
    await silence();
    const sentAt = Date.now();
    await mail('Parse maps');
    await isTold(turns, 'Parse maps');
    process.stderr.write(`idle wake: ${Date.now() - sentAt} ms from outbox to request\n`);
    await silence();
    expect(turns).toHaveLength(3);
  });

  it('stops after three turns in a row when there is always more mail', async () => {
    setMode('continue');
    const turns = play(async (_, number) => {
      await mail(`Job ${number}.`);
      return { text: 'Done.' };
    });
    await opencode.prompt(await opencode.createSession(), 'Go on.');
    await vi.waitFor(() => expect(turns).toHaveLength(4), PATIENCE);
    await silence();
    expect(turns).toHaveLength(4);
  });

  it('tells a subagent nothing, and its parent at the end of it', async () => {
    const task = { description: 'Look', prompt: 'Look around.', subagent_type: 'general' };
    const turns = play(async (turn, number) => {
      if (number === 1) return { call: 'task', args: task };
      if (turn.userText.includes('Look around.')) {
        await mail('Parse tables');
        return { shell: 'echo looked' };
      }
      return { text: 'Done.' };
    });
    await opencode.prompt(await opencode.createSession(), 'Go on.');
    const told = turns.map((turn) => readByModel(turn).includes('Parse tables'));
    expect(told).toEqual([false, false, false, true]);
  });

  it('leaves nothing behind, neither processes nor files', async () => {
    setMode('continue');
    play(() => ({ text: 'Done.' }));
    await opencode.prompt(await opencode.createSession(), 'Go on.');
    await vi.waitFor(() => expect(waitersOf(place)).toHaveLength(1), PATIENCE);
    opencode.kill();
    await vi.waitFor(() => expect(waitersOf(place)).toEqual([]), PATIENCE);
    // opencode itself leaves a list of what git is to ignore.
    const left = (await hooks('uninstall')) && filesIn(project);
    expect(left.filter((file) => !file.includes('.gitignore'))).toEqual(before);
  });
});

/** Lists the command lines of the waiters of this test's hive. */
function waitersOf({ hive }: Place): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
        return line.includes('--wake') && line.includes(hive) ? [line] : [];
      } catch {
        // It has ended meanwhile.
        return [];
      }
    });
}
