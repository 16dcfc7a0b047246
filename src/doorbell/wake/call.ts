import type { DoorbellState, Holder } from '../state.ts';
import type { WakeAnswer } from './answer.ts';

/** Whom to wake, and by what. */
export interface WakeCall {
  /** The idle session; all of it comes from the agent's own files. */
  holder: Holder;
  /** What is put into it: one fixed line, without control characters. */
  line: string;
  /** The environment of the one that wakes; the session's own is not to be trusted. */
  env: Readonly<Record<string, string | undefined>>;
  /** Directories of settings of Codex that may be used; see codex-home.ts. */
  codexHomes: readonly string[];
  /** Sockets of tmux that may be used besides the user's own; see tmux/socket.ts. */
  tmuxSockets: readonly string[];
  /** The agent's settings allow keystrokes into its terminal. */
  mayType: boolean;
  /** Reads how the session stands at this moment; nothing when that can't be told. */
  current(): DoorbellState | undefined;
  /** A client that takes longer to answer is ended. */
  timeoutMs: number;
  signal: AbortSignal;
}

/** Wakes an idle session. */
export type Wake = (call: WakeCall) => Promise<WakeAnswer>;
