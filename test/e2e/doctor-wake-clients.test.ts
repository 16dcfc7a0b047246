// needs: git
/** `doctor wake` on sessions of real clients: only the model is played, and it acks what it is told of. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { doorbellPaths } from '../../src/doorbell/paths.ts';
import { readState } from '../../src/doorbell/state-file.ts';
import { isSameProcessAlive } from '../../src/hive/process-identity.ts';
import type { MomentProof, WakeReport } from '../../src/index.ts';
import { type Child, type ChildResult, startChild } from '../clients/child.ts';
import { claudeWanted, installClaude, say, startClaude } from '../clients/claude.ts';
import { installCodex, runCodex } from '../clients/codex.ts';
import { GEMINI_SETTINGS, installGemini, runGemini } from '../clients/gemini.ts';
import { startStubModel } from '../clients/stub-model.ts';
import type { Decide } from '../clients/turn.ts';
import { clientTestsWanted } from '../clients/wanted.ts';
import { tempDir } from '../helpers/temp-dir.ts';
import {
  HIVEMAIL,
  hivemail,
  lettersIn,
  makePlace,
  type Place,
  requireBuild,
  startRouter,
} from './built.ts';
import { makeClaudePlace } from './claude-place.ts';
import type { SessionCall } from './doorbell-client.ts';
import { commandOf, textIn } from './doorbell-script.ts';

const LIMIT_MS = 300_000;
const SOON = { timeout: 60_000, interval: 100 };

/** Starts `doctor wake`, and waits until its letters are there. */
async function startTest({ hive, env }: Place): Promise<Child> {
  const args = [HIVEMAIL, 'doctor', 'wake', '--agent', 'coder', '--json', '--hive', hive];
  const child = await startChild({
    ...{ file: process.execPath, args, cwd: hive, env },
    timeLimitMs: LIMIT_MS,
  });
  await vi.waitFor(() => expect(lettersIn({ hive, env }, 'coder', 'inbox')).toHaveLength(3), SOON);
  return child;
}

/** A model that acks a letter of the test as soon as it reads of it, and does nothing else. */
function ackingModel(): { decide: Decide; acked: string[] } {
  const acked: string[] = [];
  const decide: Decide = (turn) => {
    const text = textIn(turn);
    const subject = [...text.matchAll(/Test of the doorbell (?:while|at)[\w ]+/g)]
      .map(([each]) => each.trim())
      .find((each) => !acked.includes(each));
    if (subject === undefined) return { text: 'Done.' };
    acked.push(subject);
    return { shell: commandOf(text, 'ack', subject) };
  };
  return { decide, acked };
}

function momentsOf({ stdout }: ChildResult): Record<string, MomentProof> {
  const { moments } = JSON.parse(stdout) as WakeReport;
  return Object.fromEntries(moments.map((proof) => [proof.moment, proof]));
}

describe.skipIf(!(await claudeWanted()))(
  'doctor wake with Claude Code',
  { timeout: LIMIT_MS },
  () => {
    beforeAll(async () => {
      requireBuild();
      await installClaude();
    }, 10 * 60_000);

    it('proves all three ways of a session that takes its prompts from a stream', async () => {
      const place = await makeClaudePlace(tempDir(), '--mode', 'continue');
      await using _router = await startRouter(place, LIMIT_MS);
      const model = ackingModel();
      await using stub = await startStubModel(model.decide);
      await using session = await startClaude(place.session(stub));
      say(session, 'Work.');
      const { state } = doorbellPaths(join(place.hive, 'agents', 'coder'));
      await vi.waitFor(() => {
        const { activity, waiter } = readState(state).state;
        expect(activity).toBe('idle');
        expect(waiter !== undefined && isSameProcessAlive(waiter)).toBe(true);
      }, SOON);
      await using testing = await startTest(place);
      const ended = await testing.result();
      expect(ended, ended.stderr + ended.stdout).toMatchObject({ exitCode: 0 });
      expect(momentsOf(ended)).toMatchObject({
        tool: { result: 'works', event: 'PostToolBatch' },
        'turn-end': { result: 'works', event: 'Stop' },
        // The waiter began at whichever of them was first to take the place of the one.
        idle: { result: 'works', event: expect.stringMatching(/^(SessionStart|Stop)$/) },
      });
    });
  },
);

/** A client whose one-shot sessions are tested. */
interface OneShot {
  name: 'codex' | 'gemini';
  title: string;
  install(): Promise<unknown>;
  run(call: SessionCall): Promise<ChildResult>;
  events: { tool: string; 'turn-end': string };
  /** Settings that are in its home before the hooks are. */
  settings?: { path: string; value: object };
}

const ONE_SHOTS: readonly OneShot[] = [
  {
    name: 'codex',
    title: 'Codex',
    install: installCodex,
    run: ({ home, cwd, prompt, model, env }) => runCodex({ home, cwd, prompt, model, env }),
    events: { tool: 'PostToolUse', 'turn-end': 'Stop' },
  },
  {
    name: 'gemini',
    title: 'Gemini CLI',
    install: installGemini,
    run: runGemini,
    events: { tool: 'AfterTool', 'turn-end': 'AfterAgent' },
    settings: { path: '.gemini/settings.json', value: GEMINI_SETTINGS },
  },
];

for (const { name, title, install, run, events, settings } of ONE_SHOTS) {
  describe.skipIf(!clientTestsWanted(title))(
    `doctor wake with ${title}`,
    { timeout: LIMIT_MS },
    () => {
      beforeAll(async () => {
        requireBuild();
        await install();
      }, 10 * 60_000);

      it('proves tool call and turn end, and says that a session which ends is never idle', async () => {
        const place = await makePlace(tempDir(), 'god,coder');
        const dir = dirname(place.hive);
        const [home, cwd] = [join(dir, 'home'), join(dir, 'project')];
        mkdirSync(cwd);
        if (settings !== undefined) {
          const path = join(home, settings.path);
          mkdirSync(dirname(path), { recursive: true });
          writeFileSync(path, JSON.stringify(settings.value));
        }
        await using _router = await startRouter(place, LIMIT_MS);
        const options = ['--scope', 'user', '--mode', 'continue'];
        const installed = await hivemail(
          { ...place, env: { ...place.env, HOME: home } },
          ['hooks', 'install', name, ...options],
          'coder',
        );
        expect(installed, installed.stderr).toMatchObject({ exitCode: 0 });
        const model = ackingModel();
        const tests: Child[] = [];
        await using stub = await startStubModel(async (turn) => {
          if (tests.length > 0) return model.decide(turn);
          // From here on the session is at work, and mail can be told of at its tool call.
          tests.push(await startTest(place));
          return { shell: 'true' };
        });
        const env = { HIVEMAIL_HIVE: place.hive, HIVEMAIL_AGENT: 'coder' };
        const call = { home, cwd, prompt: 'Work.', resume: false, model: stub.url, env };
        const ran = await run(call);
        expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
        const [testing] = tests;
        const ended = await testing?.result();
        await testing?.[Symbol.asyncDispose]();
        expect(ended).toMatchObject({ exitCode: 7 });
        expect(momentsOf(ended as ChildResult)).toMatchObject({
          tool: { result: 'works', event: events.tool },
          'turn-end': { result: 'works', event: events['turn-end'] },
          idle: { result: 'not-told' },
        });
        expect(model.acked).toHaveLength(2);
      });
    },
  );
}
