import {
  ageOf,
  DESK,
  ERRORS,
  escapeLine,
  findAgent,
  type MomentProof,
  type NotTold,
  type ProbeMoment,
  type ProvenSession,
  proveWake,
  type SessionStatus,
  systemClock,
  versionOf,
  WAKE_REASONS,
  type WakeReport,
} from '../../index.ts';
import type { Context } from '../context.ts';
import { WHY_UNTOLD } from '../session-lines.ts';
import { exitCodeOf, listenForStop } from '../stop-signals.ts';

/** Options of `doctor wake`. */
export interface DoctorWakeOptions {
  /** Seconds. */
  timeout: number;
}

const MS_IN_S = 1000;

/** Proves on the running session of an agent how mail reaches it. */
export async function doctorWake(
  context: Context,
  { timeout }: DoctorWakeOptions,
): Promise<number> {
  const agent = context.agent();
  const { dir } = context.hive;
  const { env, cwd } = context.surface;
  // The letters are the person's, and no agent may send such.
  findAgent(dir, { flag: DESK, env, cwd: cwd() });
  context.surface.keepRunning();
  using signals = listenForStop();
  const stopping = new AbortController();
  let stoppedBy: NodeJS.Signals | undefined;
  void signals.first.then((signal) => {
    stoppedBy = signal;
    stopping.abort();
  });
  const report = await proveWake(dir, agent, {
    timeoutMs: timeout * MS_IN_S,
    signal: stopping.signal,
    onSent: (session) => tellSent(context, session, timeout),
  });
  const version = versionOf(report.client, env);
  if (context.json) context.printJson({ version, ...report });
  else printReport(context, report, version);
  if (stoppedBy !== undefined) return exitCodeOf(stoppedBy);
  const isProven = report.moments.every(({ result }) => result === 'works' || result === 'off');
  return isProven ? 0 : ERRORS.timeout.exitCode;
}

function tellSent(context: Context, { agent, status, mode }: ProvenSession, limitS: number): void {
  const why = status.unannounced?.why;
  const isWoken = mode === 'continue' && (why === 'waking' || why === 'rests');
  const isIdle = status.session?.activity === 'idle';
  const hint =
    isIdle && !isWoken
      ? ' Nothing wakes this session: give it something to do that calls a tool.'
      : '';
  context.note(
    escapeLine(
      `The test letters are with ${agent}. Waiting for its session, at most ${limitS} s.${hint}`,
    ),
  );
}

const NAMES: Readonly<Record<ProbeMoment, string>> = {
  tool: 'tool call',
  'turn-end': 'turn end',
  idle: 'idle',
};
const NAME_WIDTH = 'tool call'.length;
const RESULTS: Readonly<Record<MomentProof['result'], string>> = {
  works: 'works',
  told: 'not sure',
  'not-told': 'not seen',
  off: 'off',
};
const RESULT_WIDTH = 'not seen'.length;

function printReport(context: Context, report: WakeReport, version: string | undefined): void {
  const { agent, client, mode, status, moments, ended } = report;
  const { activity, since } = status.session ?? {};
  const stood =
    activity === undefined ? '' : `, ${activity} ${ageOf(since ?? '', systemClock.now())}`;
  const known = version ?? '(its version is not known: it is not in PATH)';
  context.print(escapeLine(`${agent}: ${client} ${known}${stood}, mode ${mode}`));
  for (const proof of moments) {
    const head = `${NAMES[proof.moment].padEnd(NAME_WIDTH)}  ${RESULTS[proof.result].padEnd(RESULT_WIDTH)}`;
    context.print(escapeLine(`${head}  ${detailOf(proof, agent)}${wakeDetail(proof, ended)}`));
  }
}

function detailOf({ result, ...proof }: MomentProof, agent: string): string {
  const { toldAfterMs = 0, event, handledAfterMs = 0, why } = proof;
  const told = `told after ${secondsOf(toldAfterMs)}${event === undefined ? '' : ` at ${event}`}`;
  switch (result) {
    case 'works':
      return `${told}, handled after ${secondsOf(handledAfterMs)}`;
    case 'told':
      return `${told}, not handled: the client may not have passed it on, or the model did nothing about it`;
    case 'not-told':
      return why === undefined ? '' : WHY_NOT[why];
    case 'off':
      return `not in mode notify; \`hivemail hooks install CLIENT --agent ${agent} --mode continue\` turns it on`;
  }
}

/** Why the router had no way to wake it. */
function wakeDetail({ why }: MomentProof, { wake }: SessionStatus): string {
  return why === 'not-woken' && wake !== undefined ? ` (${WAKE_REASONS[wake.why]})` : '';
}

const WHY_NOT: Readonly<Record<NotTold, string>> = {
  ...WHY_UNTOLD,
  ended: 'its session has ended meanwhile',
  'at-work': 'its session is at work all the time, and its hook was not called',
  'no-tool-call': 'its session is idle and called no tool: give it something to do',
  'no-turn-end': 'no turn of its session ended',
  'passed-by':
    'a turn ended, and its hook did not tell of it: `hivemail hooks show` says how the hooks stand',
  elsewhere:
    'it was told at another moment: its hooks are of an earlier hivemail; install them again',
  'handled-before': 'the agent handled the letter before it was told of it: test again',
};

function secondsOf(ms: number): string {
  return `${(ms / MS_IN_S).toFixed(1)} s`;
}
