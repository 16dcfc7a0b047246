/**
 * What an adapter says of a wake that it was asked for, and never more than it knows. `woken`: a turn has
 * begun. `queued`: the client has taken the wake, and acts on it when it can. `no-way`: nothing was done
 * that could wake it.
 */
export interface WakeAnswer {
  result: 'woken' | 'queued' | 'no-way';
  why: WakeReason;
}

/** Each reason, as the log and `status` tell it: what is so, and what to do where something can be done. */
export const WAKE_REASONS = {
  queued: 'a wake waits in the queue of its session',
  'no-program': 'its client is not in the PATH of the router: start the router where it is',
  'unknown-session': 'its session has an id that its client does not give',
  'unknown-home':
    'the router does not know its CODEX_HOME: name it in hive.json under doorbell.codexHomes',
  'unsafe-home': 'its CODEX_HOME is another user’s, or others may write there',
  refused: 'its client would not take the wake',
  'too-long': 'its client took too long to take the wake',
  typed: 'a line was typed into its terminal',
  'no-pane': 'it runs in no tmux that the router may use: see "tmux" in docs/clients.md',
  'no-tmux': 'tmux is not in the PATH of the router: start the router where it is',
  'not-idle': 'it is no longer idle',
  dialog: 'a person has to decide something there',
  'pane-gone': 'its tmux pane is gone, or nothing runs in it',
  'copy-mode': 'its tmux pane is in copy-mode: leave that, and it is tried again',
  'not-in-front': 'its process is not in the foreground of that tmux pane',
  draft: 'something is typed in its line of input, or a menu is open: send or remove it',
  restless: 'its screen does not come to rest',
  unsent: 'a line was typed and no turn began: press Enter there, or remove the line',
} as const satisfies Record<string, string>;

/** One of {@link WAKE_REASONS}. */
export type WakeReason = keyof typeof WAKE_REASONS;

/** Tells whether a word is a reason. */
export function isWakeReason(word: unknown): word is WakeReason {
  return typeof word === 'string' && Object.hasOwn(WAKE_REASONS, word);
}

/** An answer that says that nothing was done. */
export function noWay(why: WakeReason): WakeAnswer {
  return { result: 'no-way', why };
}
