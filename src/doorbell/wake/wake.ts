import { wakeByTmux } from '../tmux/wake.ts';
import { noWay, type WakeAnswer, type WakeReason } from './answer.ts';
import type { WakeCall } from './call.ts';
import { wakeCodex } from './codex.ts';
import { hasQueue, isTypedInto } from './ways.ts';

/** Without these the queue has surely not taken the wake. */
const NOT_ASKED: ReadonlySet<WakeReason> = new Set(['no-program', 'unknown-home', 'unsafe-home']);

/**
 * Wakes an idle session, by keystrokes only where nothing else does, and says truthfully what came of it.
 * @throws the signal's reason
 */
export async function wakeSession(call: WakeCall): Promise<WakeAnswer> {
  const { holder, mayType } = call;
  const queued = hasQueue(holder) ? await wakeCodex(call) : undefined;
  const isOpen = queued === undefined || NOT_ASKED.has(queued.why);
  if (isOpen && mayType && isTypedInto(holder)) return await wakeByTmux(call);
  return queued ?? noWay('no-pane');
}
