import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { HIVEMAIL, type Place } from './built.ts';

/** How a hook process ended. */
export interface HookResult {
  exitCode: unknown;
  stdout: string;
  stderr: string;
}

/** A session of a client that is played by the test: this process calls the hooks, as the client would. */
export interface HookSession {
  /** Calls a hook of Claude Code and waits for its end. */
  hear(event: string, words?: string[]): Promise<HookResult>;
}

const LIMIT_MS = 60_000;

/** Plays a session of Claude Code that is the agent coder. */
export function openHookSession({ hive, env }: Place): HookSession {
  return {
    hear: async (event, words = []) => {
      const args = [
        HIVEMAIL,
        'hook',
        'claude',
        event,
        ...words,
        '--hive',
        hive,
        '--agent',
        'coder',
      ];
      const child = spawn(process.execPath, args, { env, timeout: LIMIT_MS });
      child.stdin.on('error', () => {});
      child.stdin.end(JSON.stringify({ session_id: 's', hook_event_name: event, cwd: '/' }));
      const [stdout, stderr, [exitCode]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, 'exit'),
      ]);
      return { exitCode, stdout, stderr };
    },
  };
}
