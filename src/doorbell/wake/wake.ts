import { noWay, type WakeAnswer } from './answer.ts';
import type { WakeCall } from './call.ts';
import { wakeCodex } from './codex.ts';
import { isWakeable } from './ways.ts';

/**
 * Wakes an idle session, and says truthfully what came of it.
 * @throws the signal's reason
 */
export async function wakeSession(call: WakeCall): Promise<WakeAnswer> {
  return isWakeable(call.holder) ? await wakeCodex(call) : noWay('refused');
}
