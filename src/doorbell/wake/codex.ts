import { findInPath } from '../../hive/path-lookup.ts';
import { runProcess } from '../../hive/process-run.ts';
import { HivemailError, systemCode } from '../../protocol/errors.ts';
import { noWay, type WakeAnswer } from './answer.ts';
import type { WakeCall } from './call.ts';
import { findCodexHome } from './codex-home.ts';
import { passedOn } from './passed-on.ts';

/** A thread of Codex: a UUID. Anything else could be an option, or the name of another session. */
const THREAD = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Wakes a Codex session by its own queue: an idle one begins a turn with the line, a busy one after its
 * turn. Only the line is queued; the hook that Codex then calls tells of the mail, or takes the line back
 * when that has been handled by then. A draft that a person has typed stays.
 */
export async function wakeCodex(call: WakeCall): Promise<WakeAnswer> {
  const { holder, line, env, codexHomes, timeoutMs, signal } = call;
  if (!THREAD.test(holder.session)) return noWay('unknown-session');
  const found = findCodexHome(holder.place, { env, codexHomes });
  if (found.home === undefined) return noWay(found.why);
  const file = findInPath('codex', env['PATH'] ?? '');
  if (file === undefined) return noWay('no-program');
  // A server that has put the session aside loads it again; a session of its own terminal needs none.
  const resume = holder.shared === true ? ['--resume'] : [];
  try {
    const { exitCode } = await runProcess({
      ...{ file, timeoutMs, signal },
      args: ['queue', '--thread', holder.session, '--message', line, ...resume],
      // Settings of a project are looked for where it runs.
      cwd: found.home,
      env: { ...passedOn(env), CODEX_HOME: found.home },
    });
    return exitCode === 0 ? { result: 'queued', why: 'queued' } : noWay('refused');
  } catch (error) {
    if (signal.aborted) throw error;
    if (error instanceof HivemailError)
      return noWay(error.code === 'timeout' ? 'too-long' : 'refused');
    if (systemCode(error) === undefined) throw error;
    return noWay('refused');
  }
}
