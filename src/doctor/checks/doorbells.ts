import { join } from 'node:path';
import { readProbe } from '../../doorbell/probe.ts';
import { readDoorbell, type SeenDoorbell } from '../../doorbell/read-doorbell.ts';
import { parseEventName } from '../../doorbell/read-event.ts';
import { AnchoredPaths } from '../../hive/anchored-paths.ts';
import { isSameProcessAlive } from '../../hive/process-identity.ts';
import { removeFile } from '../../hive/remove-file.ts';
import type { AgentId } from '../../protocol/addresses.ts';
import { ageOf } from '../../protocol/age.ts';
import { toTimestamp } from '../../protocol/clock.ts';
import { systemCode } from '../../protocol/errors.ts';
import { type Examination, inHive, namesIn } from '../examination.ts';
import { allWell, count, nameSome, type Observation } from '../finding.ts';

/** Looks at what tells sessions of their mail: what hooks remember, and what they left behind. */
export async function checkDoorbells(exam: Examination): Promise<Observation[]> {
  const { fs, layout, owners } = exam;
  const rung = owners.filter((id) => fs.stat(layout.agent(id).doorbell)?.kind === 'directory');
  const found = rung.flatMap((id) => aboutDoorbell(exam, id));
  if (found.length > 0) return found;
  return [allWell(`${count(rung.length, 'doorbell')}, in order.`)];
}

function aboutDoorbell(exam: Examination, agent: AgentId): Observation[] {
  const { fs, layout } = exam;
  try {
    const seen = readDoorbell(fs, layout, agent);
    return [
      ...(seen === undefined ? [] : aboutWaiter(agent, seen)),
      ...aboutEvents(exam, agent),
      ...aboutTemporaries(exam, agent),
      ...aboutProbe(exam, agent),
    ];
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    return [
      {
        level: 'warning',
        what: `What the hooks of ${agent} remember can’t be read (${code}): ${inHive(exam, layout.agent(agent).doorbell)}.`,
        means: 'Its hooks say nothing, so its sessions hear of no mail. Nothing is lost.',
        advice:
          'Put its permissions right, or move `.doorbell/state` away: the hooks make it anew, and tell of all that is unread.',
      },
    ];
  }
}

/** In these clients a process waits beside an idle session; nothing else wakes it. */
const WITH_WAITER: ReadonlySet<string> = new Set(['claude', 'opencode']);

function aboutWaiter(agent: AgentId, { state, mode }: SeenDoorbell): Observation[] {
  const { holder, waiter, activity } = state;
  if (mode !== 'continue' || activity !== 'idle' || waiter === undefined) return [];
  if (holder?.process === undefined || !WITH_WAITER.has(holder.client)) return [];
  if (!isSameProcessAlive(holder.process) || isSameProcessAlive(waiter)) return [];
  return [
    {
      level: 'warning',
      what: `The process that waited to wake the idle session of ${agent} (${holder.client}) has ended, and none has taken its place.`,
      means: 'Mail does not wake the session: it hears of it at its next prompt.',
      advice: 'Write something to the session: another one waits when its turn ends.',
    },
  ];
}

/** More than a router that is up leaves lying. */
const MANY_EVENTS = 128;
const LATE_MS = 120_000;

function aboutEvents(exam: Examination, agent: AgentId): Observation[] {
  const { layout, clock, routerState } = exam;
  const names = namesIn(exam.fs, layout.agent(agent).doorbellEvents);
  const times = names.flatMap((name) => {
    const time = Number.parseInt(parseEventName(name) ?? '', 10);
    return Number.isNaN(time) ? [] : [time];
  });
  const oldest = Math.min(...times);
  const isUp = routerState === 'running';
  const isLate = isUp && times.length > 0 && clock.now() - oldest > LATE_MS;
  if (!isLate && times.length < MANY_EVENTS) return [];
  const age = ageOf(toTimestamp(oldest), clock.now());
  return [
    {
      level: isLate ? 'warning' : 'note',
      what: `${count(times.length, 'event')} of the hooks of ${agent} wait for the log, the oldest for ${age}.`,
      means:
        'The log lacks what its sessions were told. From 1000 on no more are kept. Mail flows.',
      advice: isUp
        ? '`hivemail status` says what keeps the router from taking them.'
        : 'Start a router with `hivemail up`: it takes them.',
    },
  ];
}

const TEMPORARY = /^\.tmp-/;
/** A hook lives for seconds. */
const OLD_MS = 3_600_000;
/** Where hooks and their setup write by a temporary file. */
const PLACES = ['doorbell', 'doorbellState'] as const;

/** A file in a doorbell. */
interface Left {
  agent: AgentId;
  place: (typeof PLACES)[number];
  name: string;
}

function aboutTemporaries(exam: Examination, agent: AgentId): Observation[] {
  const { fs, layout, clock } = exam;
  using paths = new AnchoredPaths(fs, layout);
  const isOld = ({ place, name }: Left): boolean => {
    const stat = fs.stat(join(paths.of(agent, place), name));
    return stat?.kind === 'file' && clock.now() - Number(stat.mtimeNs / NS_IN_MS) > OLD_MS;
  };
  const left = PLACES.filter((place) => fs.stat(layout.agent(agent)[place])?.kind === 'directory')
    .flatMap((place) => namesIn(fs, paths.of(agent, place)).map((name) => ({ agent, place, name })))
    .filter(({ name }) => TEMPORARY.test(name))
    .filter(isOld);
  if (left.length === 0) return [];
  return [
    {
      level: 'note',
      what: `Left by a hook that was killed: ${nameSome(left.map((each) => nameOf(exam, each)))}.`,
      means: 'A file in the making. Nobody reads it, and it is no mail.',
      fix: { says: 'Remove these temporary files.', apply: async () => removeAll(exam, left) },
    },
  ];
}

const NS_IN_MS = 1_000_000n;

function aboutProbe(exam: Examination, agent: AgentId): Observation[] {
  const { layout, clock } = exam;
  const left: Left = { agent, place: 'doorbell', name: 'probe.json' };
  const { state } = readProbe(join(layout.agent(agent).doorbell, left.name), clock.now());
  if (state === 'none' || state === 'under-way') return [];
  return [
    {
      level: 'note',
      what: `${nameOf(exam, left)} is left of a test of the doorbell that was killed.`,
      means: 'Hooks take no notice of it.',
      fix: { says: 'Remove it.', apply: async () => removeAll(exam, [left]) },
    },
  ];
}

function nameOf(exam: Examination, { agent, place, name }: Left): string {
  return inHive(exam, join(exam.layout.agent(agent)[place], name));
}

/** By an open descriptor of the directory: all of it is the agent's, who may put a link there. */
function removeAll({ fs, layout }: Examination, left: readonly Left[]): void {
  using paths = new AnchoredPaths(fs, layout);
  for (const { agent, place, name } of left) removeFile(fs, join(paths.of(agent, place), name));
}
