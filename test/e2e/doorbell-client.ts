/**
 * The doorbell in a real client: the built program, its own `hooks install`, a running router, and a model
 * that is played by a script. Two sessions are enough for all of it, since each takes seconds.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Child, ChildResult } from '../clients/child.ts';
import { startStubModel } from '../clients/stub-model.ts';
import type { Decision } from '../clients/turn.ts';
import { clientTestsWanted } from '../clients/wanted.ts';
import { tempDir } from '../helpers/temp-dir.ts';
import { HIVEMAIL, hivemail, lettersIn, makePlace, type Place, startRouter } from './built.ts';
import {
  commandOf,
  helperTask,
  replyOf,
  type ScriptedModel,
  type Step,
  scriptedModel,
} from './doorbell-script.ts';

/** A session to run. */
export interface SessionCall {
  home: string;
  cwd: string;
  prompt: string;
  /** Go on with the session before. */
  resume: boolean;
  /** Base address of the stub model. */
  model: string;
  env: NodeJS.ProcessEnv;
}

/** A client whose doorbell is tested. */
export interface TestedClient {
  name: 'codex' | 'gemini';
  title: string;
  install(): Promise<unknown>;
  run(call: SessionCall): Promise<ChildResult>;
  /** Where its user's settings lie in a home, and what was in them before. */
  settings: { path: string; before: string };
  /** How its model gives a task to a subagent, and what it does until that has ended. */
  helper(task: string): Decision;
  awaitHelper?(started: string): Decision;
}

const INSTALL_LIMIT_MS = 10 * 60_000;
const SESSIONS_LIMIT_MS = 400_000;
const DONE: Decision = { text: 'That is all.' };

/** What the two sessions of a client left behind. */
interface Played {
  place: Place;
  first: ScriptedModel;
  second: ScriptedModel;
  ends: ChildResult[];
  strays: string[];
  settingsAfter: string;
}

/** Registers the tests of one client. */
export function testDoorbell(client: TestedClient): void {
  describe.skipIf(!clientTestsWanted(client.title))(`the doorbell in ${client.title}`, () => {
    let played: Played;
    let router: Child | undefined;

    beforeAll(async () => {
      await client.install();
      const place = await makePlace(tempDir(), 'god,planner,coder');
      router = await startRouter(place, SESSIONS_LIMIT_MS);
      played = await playSessions(client, place);
    }, INSTALL_LIMIT_MS + SESSIONS_LIMIT_MS);

    afterAll(async () => {
      await router?.[Symbol.asyncDispose]();
    });

    it('runs two sessions to their end, and lets them reach nothing but the stub model', () => {
      expect(played.ends.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
      expect(played.strays).toEqual([]);
    });

    it('brings mail that comes during a tool call into the next request', () => {
      expect(played.first.read[0]).not.toContain('Hivemail:');
      expect(played.first.read[1]).toContain('Hivemail: 1 new letter for coder');
      expect(played.first.read[1]).toContain('During a tool');
    });

    it('has the agent answer and file it by the commands of the digest', () => {
      const answers = lettersIn(played.place, 'planner', 'inbox');
      expect(answers).toMatchObject([{ from: 'coder', act: 'done', body: 'Answered by a tool.' }]);
      const done = lettersIn(played.place, 'coder', 'inbox/.done');
      expect(done.map(({ subject }) => subject)).toContain('During a tool');
    });

    it('goes on for mail at the end of a turn three times in a row and no more', () => {
      const { read } = played.first;
      expect(read.slice(3, 6).map((text) => /At the end \d/.exec(text)?.[0])).toEqual([
        'At the end 1',
        'At the end 2',
        'At the end 3',
      ]);
      expect(read).toHaveLength(6);
    });

    it('offers what is not handled to the session that is resumed', () => {
      expect(played.second.read[0]).toContain('At the end 4');
    });

    it('tells a subagent nothing, and the session once the subagent has ended', () => {
      const { helperRead, read } = played.second;
      expect(helperRead.length).toBeGreaterThan(1);
      expect(helperRead.join('\n')).not.toContain('Hivemail:');
      expect(read.slice(1).join('\n')).toContain('During the work of a helper');
    });

    it('does not go on at the end of a turn in mode notify', () => {
      const { read } = played.second;
      expect(read.join('\n')).not.toContain('In mode notify');
      expect(lettersIn(played.place, 'coder', 'inbox')).toMatchObject(
        expect.arrayContaining([expect.objectContaining({ subject: 'In mode notify' })]) as object,
      );
    });

    it('tells each session of a letter once', () => {
      for (const { read } of [played.first, played.second]) {
        const text = read.join('\n');
        for (const subject of [
          'During a tool',
          'During the work',
          'At the end 1',
          'At the end 4',
        ]) {
          const lines = text.split(/\n|\\n/).filter((line) => isDigestLine(line, subject));
          expect(lines.length, subject).toBeLessThanOrEqual(1);
        }
      }
    });

    it('leaves the settings as they were when its hooks are taken out', () => {
      expect(played.settingsAfter).toBe(client.settings.before);
    });
  });
}

/** A line of a digest is about a letter from planner; prompts and commands of the script are not. */
function isDigestLine(line: string, subject: string): boolean {
  return (
    line.includes(subject) &&
    line.includes(' planner ') &&
    /^\s*\S*[0-9a-hjkmnp-tv-z]{12}-[0-9a-z]{8}/.test(line)
  );
}

async function playSessions(client: TestedClient, place: Place): Promise<Played> {
  const dir = dirname(place.hive);
  const [home, project] = [join(dir, 'home'), join(dir, 'project')];
  const settings = join(home, client.settings.path);
  mkdirSync(project);
  mkdirSync(dirname(settings), { recursive: true });
  writeFileSync(settings, client.settings.before);
  await hooks(place, client, home, ['install', '--mode', 'continue']);
  const first = scriptedModel(stepsOfFirst(place));
  const second = scriptedModel(stepsOfSecond(place, client));
  const ends: ChildResult[] = [];
  const strays: string[] = [];
  for (const [model, resume] of [
    [first, false],
    [second, true],
  ] as const) {
    if (resume) await hooks(place, client, home, ['install', '--mode', 'notify']);
    await using stub = await startStubModel(model.decide);
    const env = { HIVEMAIL_HIVE: place.hive, HIVEMAIL_AGENT: 'coder' };
    const call = { home, cwd: project, prompt: 'Do your work.', resume, model: stub.url, env };
    ends.push(await client.run(call));
    strays.push(...stub.strays(), ...stub.requests().flatMap(({ problem }) => problem ?? []));
  }
  await hooks(place, client, home, ['uninstall']);
  return { place, first, second, ends, strays, settingsAfter: readFileSync(settings, 'utf8') };
}

/** Mail during a tool call; an answer; then an inbox that is filled again at the end of every turn. */
function stepsOfFirst(place: Place): Step[] {
  let digest = '';
  const endTurn = (number: number) => async () => {
    await deliver(place, `At the end ${number}`);
    return DONE;
  };
  return [
    () => ({ shell: shellSend(place, 'During a tool') }),
    (read) => {
      digest = read;
      const subject = 'During a tool';
      return {
        shell: `${replyOf(read, subject, 'Answered by a tool.')} && ${commandOf(read, 'ack', subject)}`,
      };
    },
    () => {
      if (digest === '') throw new Error('There was no digest.');
      return endTurn(1)();
    },
    endTurn(2),
    endTurn(3),
    endTurn(4),
  ];
}

/** Mail while a subagent works; then mail at the end of a turn that is not to go on. */
function stepsOfSecond(place: Place, { helper, awaitHelper }: TestedClient): Step[] {
  return [
    () => helper(helperTask(shellSend(place, 'During the work of a helper'))),
    ...(awaitHelper === undefined ? [] : [(read: string) => awaitHelper(read)]),
    async () => {
      await deliver(place, 'In mode notify');
      return DONE;
    },
  ];
}

async function hooks(place: Place, { name }: TestedClient, home: string, words: string[]) {
  const [verb = '', ...options] = words;
  const env = { ...place.env, HOME: home };
  const args = ['hooks', verb, name, '--scope', 'user', ...options];
  const result = await hivemail({ ...place, env }, args, 'coder');
  expect(result, result.stderr).toMatchObject({ exitCode: 0 });
}

const SEND = ['send', '--to', 'coder', '--act', 'request', '--body', 'See subject.', '--subject'];

/** The command that sends a letter as another agent, from within a session of this one. */
function shellSend({ hive }: Place, subject: string): string {
  const words = [
    process.execPath,
    HIVEMAIL,
    '--hive',
    hive,
    '--agent',
    'planner',
    ...SEND,
    subject,
  ];
  return words.map((word) => `'${word}'`).join(' ');
}

async function deliver(place: Place, subject: string): Promise<void> {
  const result = await hivemail(place, [...SEND, subject], 'planner');
  expect(result, result.stderr).toMatchObject({ exitCode: 0 });
}
