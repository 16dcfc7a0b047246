import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { expect } from 'vitest';
import { type ClaudeOptions, installClaude } from '../clients/claude.ts';
import { type StubModel, startStubModel } from '../clients/stub-model.ts';
import type { Decide, Turn } from '../clients/turn.ts';
import { HIVEMAIL, hivemail, makePlace, type Place } from './built.ts';

/** Settings that hold something of the person's own. */
export const SETTINGS = '{\n\t"env": { "MINE": "1" },\n\t"hooks": { "Stop": [ ] }\n}\n';

/** A hive, and the settings of a Claude Code that is its agent coder. */
export interface ClaudePlace extends Place {
  dir: string;
  /** The settings file; hooks are installed into it. */
  settings: string;
  /** What a session needs. */
  session(model: StubModel, ...args: string[]): ClaudeOptions;
  /** Runs hivemail as the planner, which must end well. */
  planner(...args: string[]): Promise<string>;
  /** Installs the hooks anew, with other options. */
  install(...args: string[]): Promise<string>;
}

/** Makes a hive of planner and coder, and installs the hooks of coder. */
export async function makeClaudePlace(dir: string, ...options: string[]): Promise<ClaudePlace> {
  const place = await makePlace(dir, 'planner,coder');
  const claude = await installClaude();
  const settings = join(dir, 'settings.json');
  const cwd = join(dir, 'project');
  mkdirSync(cwd);
  writeFileSync(settings, SETTINGS);
  const PATH = [dirname(claude), place.env['PATH'] ?? ''].join(delimiter);
  const run = async (args: string[], agent: string): Promise<string> => {
    const result = await hivemail({ ...place, env: { ...place.env, PATH } }, args, agent);
    if (result.exitCode !== 0) throw new Error(`${args.join(' ')}: ${result.stderr}`);
    return result.stdout;
  };
  const install = (...more: string[]): Promise<string> =>
    run(['hooks', 'install', 'claude', '--scope', 'file', settings, ...more], 'coder');
  await install(...options);
  return {
    ...{ ...place, dir, settings, install },
    planner: (...args) => run(args, 'planner'),
    session: ({ url }, ...args) => ({
      ...{ home: join(dir, 'home'), cwd, model: url, args: ['--settings', settings, ...args] },
      env: { HIVEMAIL_HIVE: place.hive, HIVEMAIL_AGENT: 'coder' },
    }),
  };
}

/** A letter of the planner, as words of a command line. */
export function letter(subject: string): string[] {
  return ['send', '--to', 'coder', '--act', 'request', '--subject', subject, '--body', 'Please.'];
}

/** A shell command by which the planner sends a letter while a tool runs. */
export function sending(subject: string): string {
  const words = letter(subject).map((word) => `'${word}'`);
  return `${process.execPath} ${HIVEMAIL} --agent planner ${words.join(' ')}`;
}

/** What a digest in the text of a turn says. */
export interface SeenDigest {
  id: string;
  line: string;
  command: string;
}

/** Finds the digests in a text. */
export function digestsIn(text: string): SeenDigest[] {
  const found = text.matchAll(
    /Hivemail: \d[^\n]*\n(\S+)[^]*?\nCommands, after "([^\n]*?)": read ID/g,
  );
  return [...found].map(([line, id = '', command = '']) => ({ id, line, command }));
}

/** All that a request holds, as text: earlier turns of the session, too. */
export function bodyText(stub: StubModel, turn: Turn): string {
  return JSON.stringify(stub.requests().find((request) => request.turn === turn)?.body);
}

/** Starts a model that answers by a list, one answer a turn, and fails the test after the last. */
export function scripted(answers: Decide[]): Promise<StubModel> {
  let step = 0;
  return startStubModel((turn) => {
    const answer = answers[step];
    step += 1;
    if (answer === undefined) throw new Error(`There is no answer ${step} in the script.`);
    return answer(turn);
  });
}

/** The session has talked to its model and nobody else. */
export function expectNoStrays(stub: StubModel): void {
  expect(stub.strays()).toEqual([]);
  expectNoProblems(stub);
}

/** The model had an answer to everything. */
export function expectNoProblems(stub: StubModel): void {
  expect(stub.requests().flatMap(({ problem }) => problem ?? [])).toEqual([]);
}

/** Reads a file as text. */
export function textOf(path: string): string {
  return readFileSync(path, 'utf8');
}
