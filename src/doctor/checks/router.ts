import { type RouterOwner, readOwner } from '../../hive/owner.ts';
import type { Examination } from '../examination.ts';
import { allWell, type Observation } from '../finding.ts';
import { readHealth } from '../read-health.ts';

/** A router that is well writes its health every half minute. */
const SILENT_MS = 120_000;

/** Looks who holds the hive, and whether that router is alive. */
export async function checkRouter(exam: Examination): Promise<Observation[]> {
  const { fs, layout } = exam;
  const owner = readOwner(fs, layout);
  if (owner === undefined) return [aboutNone(fs.stat(layout.owner) !== undefined)];
  switch (exam.routerState) {
    case 'running':
      return aboutRunning(exam, owner);
    case 'elsewhere':
      return [aboutElsewhere(owner)];
    case 'ended':
    case 'none':
      return [aboutEnded(owner)];
  }
}

function aboutNone(isDamaged: boolean): Observation {
  if (!isDamaged) return allWell('No router is up. `hivemail up` starts one.');
  return {
    level: 'note',
    what: '.router/owner.json holds no owner.',
    means:
      'It does not say who holds the hive. A router that starts asks the system, and writes it anew.',
  };
}

function aboutEnded({ pid, since, ended }: RouterOwner): Observation {
  if (ended !== undefined)
    return allWell(`No router is up; the last one to hold the hive ended at ${ended}.`);
  return {
    level: 'note',
    what: `No router is up; process ${pid}, which holds the hive since ${since}, has died.`,
    means: 'It was killed, or the machine went down. It locks nobody out.',
    advice: 'Start one with `hivemail up`: it takes over by itself and goes on where that one was.',
  };
}

function aboutElsewhere({ pid, host, since }: RouterOwner): Observation {
  return {
    level: 'warning',
    what: `The hive is held by process ${pid} on ${host}, since ${since}, which can’t be seen from here.`,
    means: 'No router starts here, since two at once could be at work on the same mail.',
    advice: `If it runs, use it there. If ${host} is gone, or this is a copy or the machine has a new name: \`hivemail up --takeover\`.`,
  };
}

function aboutRunning(exam: Examination, owner: RouterOwner): Observation[] {
  const { pid, since } = owner;
  if (isStopped(exam, pid)) {
    return [
      {
        level: 'error',
        what: `The router, process ${pid}, is stopped.`,
        means: 'It holds the hive and moves no mail. Letters wait in their outboxes.',
        advice: `Let it go on with \`kill -CONT ${pid}\`. If it can’t, start another with \`hivemail up --takeover\`.`,
      },
    ];
  }
  const said = aboutHealth(exam, owner);
  return said.length > 0 ? said : [allWell(`The router is up: process ${pid}, since ${since}.`)];
}

/** The state is the first field behind the command, which stands in brackets and may hold some. */
function isStopped({ machine }: Examination, pid: number): boolean {
  const line = machine.systemText(`/proc/${pid}/stat`) ?? '';
  return /^\s[Tt]/.test(line.slice(line.lastIndexOf(')') + 1));
}

function aboutHealth(exam: Examination, { pid, epoch, since }: RouterOwner): Observation[] {
  const health = readHealth(exam);
  const isOwn = health?.epoch === epoch;
  const silentMs = exam.clock.now() - Date.parse(isOwn ? health.at : since);
  if (silentMs > SILENT_MS) {
    return [
      {
        level: 'error',
        what: `The router, process ${pid}, has said nothing for ${Math.floor(silentMs / 60_000)} minutes.`,
        means: 'It is stuck, or its disk is: it holds the hive and may move no mail.',
        advice: `Look at the process and at the disk. Then end it with \`kill ${pid}\` and start another.`,
      },
    ];
  }
  if (!isOwn) return [];
  return health.problems.map(({ red, message }) => ({
    level: red ? 'error' : 'note',
    what: `The router says: ${message}`,
    means: red ? 'A promise of the hive is at risk as long as this lasts.' : 'Mail flows.',
  }));
}
