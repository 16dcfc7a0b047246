import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answerHook, type HookCall, type HookResult } from '../../src/doorbell/answer-hook.ts';
import type { ClientName } from '../../src/doorbell/clients.ts';
import { type DoorbellPaths, doorbellPaths } from '../../src/doorbell/paths.ts';
import type { AgentId } from '../../src/index.ts';

/** An agent's directory of a test, and hooks that are called for it. */
export interface TestMailbox {
  hive: string;
  agent: AgentId;
  root: string;
  paths: DoorbellPaths;
  /** Delivers a letter as the router does. */
  deliver(id: string, fields?: object): void;
  /** The agent handles it. */
  handle(id: string): void;
  settle(settings: object): void;
}

/** Makes a hive of one agent, as far as the doorbell looks at one. */
export function makeMailbox(dir: string): TestMailbox {
  const hive = join(dir, 'hive');
  const root = join(hive, 'agents', 'coder');
  const paths = doorbellPaths(root);
  mkdirSync(join(paths.inbox, '.done'), { recursive: true });
  writeFileSync(join(hive, 'hive.json'), '{}\n');
  return {
    ...{ hive, root, paths, agent: 'coder' as AgentId },
    deliver: (id, fields = {}) => {
      const temporary = join(root, `.tmp-${id}`);
      const letter = { id, from: 'planner', to: 'coder', act: 'request', subject: `About ${id}` };
      writeFileSync(temporary, JSON.stringify({ ...letter, body: '', ...fields }));
      renameSync(temporary, join(paths.inbox, `${id}.json`));
    },
    handle: (id) =>
      renameSync(join(paths.inbox, `${id}.json`), join(paths.inbox, '.done', `${id}.json`)),
    settle: (settings) => {
      mkdirSync(join(root, '.doorbell'), { recursive: true });
      writeFileSync(paths.settings, JSON.stringify(settings));
    },
  };
}

/** What a hook is called with, besides what happened. */
export function callFor(
  { hive, agent, root }: TestMailbox,
  client: ClientName,
): Omit<HookCall, 'event' | 'payload' | 'now'> {
  return {
    ...{ client, hive, agent, root },
    env: { HIVEMAIL_HIVE: hive, HIVEMAIL_AGENT: agent },
    parent: process.pid,
    launcher: '/opt/hivemail.cjs',
    checkTime: () => {},
  };
}

/** Calls a hook of opencode, whose payloads are our own. */
export function opencodeHook(
  mailbox: TestMailbox,
  event: string,
  { now = Date.now(), ...payload }: { now?: number; [field: string]: unknown } = {},
): HookResult {
  const call = callFor(mailbox, 'opencode');
  return answerHook({ ...call, event, payload: { session_id: 'ses_1', ...payload }, now });
}
