import type { Decide, Decision, Turn } from '../clients/turn.ts';

/** What a session read in one request: what the user side said, and what its tool put out. */
export function textIn({ userText, toolOutput = '' }: Turn): string {
  return `${userText}\n${toolOutput}`;
}

/** One answer of a scripted model: made from what it has just read. */
export type Step = (read: string, turn: Turn) => Decision | Promise<Decision>;

/** A model that plays steps, one a request, and keeps what it read before each. */
export interface ScriptedModel {
  decide: Decide;
  /** What the session itself read, request by request. */
  read: string[];
  /** What its subagent read. */
  helperRead: string[];
}

const HELPER_TASK = 'HELPER-TASK';
const HELPER_MARK = 'helper-mark';

/** The task of a subagent: the command that it runs. */
export function helperTask(command: string): string {
  return `${HELPER_TASK} <<${command} && echo ${HELPER_MARK}>>`;
}

/** Plays a session's model by steps, and that of the subagent that it may start. */
export function scriptedModel(steps: readonly Step[]): ScriptedModel {
  const read: string[] = [];
  const helperRead: string[] = [];
  let ended = false;
  const playHelper = (turn: Turn): Decision => {
    const text = textIn(turn);
    helperRead.push(text);
    const command = /<<(.*)>>/s.exec(text)?.[1];
    if (text.includes(HELPER_TASK) && command !== undefined) return { shell: command };
    ended = true;
    const response = 'The helper has ended.';
    return turn.tools.includes('complete_task')
      ? { call: 'complete_task', args: { result: { response } } }
      : { text: response };
  };
  return {
    read,
    helperRead,
    decide: async (turn) => {
      const text = textIn(turn);
      const isHelper = text.includes(HELPER_TASK) || text.includes(HELPER_MARK);
      if (isHelper && !ended) return playHelper(turn);
      read.push(text);
      const step = steps[read.length - 1];
      return (await step?.(text, turn)) ?? { text: 'There is nothing more to do.' };
    },
  };
}

/** Takes the commands out of a digest, as a model would: `CMD ack ID`. */
export function commandOf(digest: string, command: 'ack' | 'read', subject: string): string {
  return `${programIn(digest)} ${command} ${idOf(digest, subject)}`;
}

/** Takes the command of an answer out of a digest. */
export function replyOf(digest: string, subject: string, body: string): string {
  return `${programIn(digest)} reply ${idOf(digest, subject)} --act done --body ${JSON.stringify(body)}`;
}

function programIn(digest: string): string {
  const program = /Commands, after \\?"(.*?)\\?":/.exec(digest)?.[1];
  if (program === undefined) throw new Error(`This names no commands:\n${digest.slice(-2000)}`);
  return program;
}

function idOf(digest: string, subject: string): string {
  const line = digest.split(/\n|\\n/).find((one) => one.includes(subject));
  const id = /[0-9a-hjkmnp-tv-z]{12}-[0-9a-z]{8}/.exec(line ?? '')?.[0];
  if (id === undefined) throw new Error(`There is no id on the line of ${subject}:\n${line}`);
  return id;
}
