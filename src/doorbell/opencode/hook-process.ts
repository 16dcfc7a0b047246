import { type ChildProcess, spawn } from 'node:child_process';

/** How a plugin calls the hook: as a process of its own, so that a slow disk never stops the client. */
export interface HookProgram {
  /** What comes before the event, for example `node …/hivemail.cjs hook opencode`. */
  command: readonly string[];
  /** What comes behind it: whose hook it is. */
  flags: readonly string[];
  /** Where it runs. */
  cwd: string;
}

/** What the hook wants done: text to show the model beside what it sees anyway, or a turn to start. */
export interface Asked {
  append?: string | undefined;
  prompt?: string | undefined;
}

/** A hook process under way. */
export interface RunningHook {
  /** What it asked for; nothing when it failed, was ended or took too long. */
  asked: Promise<Asked>;
  /** Whether it had to be ended for taking too long. */
  tookTooLong(): boolean;
  end(): void;
}

const MOST_CHARACTERS = 1024 * 1024;

/**
 * Calls the hook.
 * @param words - the event, and options
 * @param limitMs - ends it after so long; a waiter has no limit
 */
export function startHook(
  { command, flags, cwd }: HookProgram,
  words: readonly string[],
  { payload, limitMs }: { payload: object; limitMs?: number },
): RunningHook {
  const [file = '', ...before] = command;
  const child = spawn(file, [...before, ...words, ...flags], {
    ...{ cwd, windowsHide: true },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  let tookTooLong = false;
  const limit =
    limitMs === undefined
      ? undefined
      : setTimeout(() => {
          tookTooLong = true;
          child.kill('SIGKILL');
        }, limitMs);
  // It may end without reading: what it was to be told is then told to nobody.
  child.stdin.on('error', () => {});
  child.stdin.end(`${JSON.stringify(payload)}\n`);
  return {
    asked: printedBy(child).then((text) => {
      clearTimeout(limit);
      return askedIn(text);
    }),
    tookTooLong: () => tookTooLong,
    end: () => child.kill(),
  };
}

function printedBy(child: ChildProcess): Promise<string> {
  let text = '';
  child.stdout?.setEncoding('utf8').on('data', (part: string) => {
    if (text.length < MOST_CHARACTERS) text += part;
  });
  return new Promise((resolve) => {
    child.once('error', () => resolve(''));
    child.once('close', (code) => resolve(code === 0 ? text : ''));
  });
}

function askedIn(text: string): Asked {
  try {
    const value: unknown = JSON.parse(text);
    const { append, prompt } = { ...(value as Record<string, unknown> | null) };
    return {
      append: typeof append === 'string' ? append : undefined,
      prompt: typeof prompt === 'string' ? prompt : undefined,
    };
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}
