/** What the machine gives a hive: watches, disk, open files, clock. */

import { toTimestamp } from '../../protocol/clock.ts';
import { isMessageId, messageIdTime } from '../../protocol/ids.ts';
import { type Examination, lastRows } from '../examination.ts';
import { allWell, count, type Observation } from '../finding.ts';

const INOTIFY = '/proc/sys/fs/inotify';
const MIB = 1024 * 1024;
const LITTLE_BYTES = 512 * MIB;
const HARDLY_BYTES = 64 * MIB;
const LITTLE_FILES = 10_000;
const HARDLY_FILES = 1000;
/** 64 files in the writing at once, the libraries' own, and one git. */
const OPEN_FILES = 256;
const SLACK_MS = 2000;
const FAR_MS = 3_600_000;

/** Looks whether the system lets the router watch every outbox. */
export async function checkWatches({ machine, owners }: Examination): Promise<Observation[]> {
  const limitOf = (name: string) =>
    Number(machine.systemText(`${INOTIFY}/${name}`)?.trim() ?? Number.NaN);
  const watches = limitOf('max_user_watches');
  const instances = limitOf('max_user_instances');
  if (Number.isNaN(watches)) return [allWell('This system tells no limit of watches.')];
  // One for each outbox, and one for the requests of the command line.
  const needed = owners.length + 1;
  if (watches >= 2 * needed && instances >= 2) {
    return [allWell(`${count(needed, 'watch', 'watches')} of ${watches} needed.`)];
  }
  const knob = watches < 2 * needed ? 'max_user_watches' : 'max_user_instances';
  return [
    {
      level: 'warning',
      what: `The router needs ${count(needed, 'watch', 'watches')}, and all programs of a user together get ${watches} (in ${instances} sets).`,
      means:
        'What is not watched is found by the poll alone: mail takes up to a poll interval, and none is lost.',
      advice: `Raise it: \`sysctl fs.inotify.${knob}=${knob === 'max_user_watches' ? 524_288 : 512}\`.`,
    },
  ];
}

/** Looks whether the disk has room. */
export async function checkDisk({ machine, layout }: Examination): Promise<Observation[]> {
  const { freeBytes, freeFiles, totalFiles } = machine.fileSystem(layout.root);
  // Some file systems make room for files as they need it, and say 0 of 0.
  const files = totalFiles > 0 ? freeFiles : Number.POSITIVE_INFINITY;
  const room = `${Math.floor(freeBytes / MIB)} MiB${totalFiles > 0 ? ` and room for ${freeFiles} files` : ''} left`;
  const means =
    'On a full disk nothing is lost: letters wait, and routing goes on when there is room.';
  if (freeBytes < HARDLY_BYTES || files < HARDLY_FILES) {
    const advice = 'Make room now.';
    return [{ level: 'error', what: `The disk is nearly full: ${room}.`, means, advice }];
  }
  if (freeBytes < LITTLE_BYTES || files < LITTLE_FILES) {
    const advice = 'Make room before it is full.';
    return [{ level: 'warning', what: `The disk gets full: ${room}.`, means, advice }];
  }
  return [allWell(`${room} on the disk.`)];
}

/** Looks how many files the router may have open at once; without one, how many this process may. */
export async function checkOpenFiles({
  machine,
  router,
  routerState,
}: Examination): Promise<Observation[]> {
  const who = routerState === 'running' && router !== undefined ? String(router.pid) : 'self';
  const limits = machine.systemText(`/proc/${who}/limits`);
  const soft = /^Max open files\s+(\d+|unlimited)/m.exec(limits ?? '')?.[1];
  if (soft === undefined) return [allWell('This system does not tell how many files may be open.')];
  const most = soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft);
  if (most >= OPEN_FILES) return [allWell(`${soft} files may be open at once.`)];
  return [
    {
      level: 'warning',
      what: `Only ${soft} files may be open at once.`,
      means: 'A large batch may have to wait; nothing is lost.',
      advice: `Start the router with at least ${OPEN_FILES}, as by \`ulimit -n 1024\`.`,
    },
  ];
}

/** Looks whether the clock stands before a time that was already reached. */
export async function checkClock(exam: Examination): Promise<Observation[]> {
  const now = exam.clock.now();
  const newest = lastRows(exam)
    .flatMap(({ id, batch }) => [id, batch].filter(isMessageId))
    .reduce((latest, id) => Math.max(latest, messageIdTime(id)), 0);
  const aheadMs = newest - now;
  if (aheadMs <= SLACK_MS) return [allWell(`The clock says ${toTimestamp(now)}.`)];
  return [
    {
      level: aheadMs > FAR_MS ? 'warning' : 'note',
      what: `The newest message is of ${toTimestamp(newest)}, ${describe(aheadMs)} ahead of the clock.`,
      means:
        'The clock went back, or stood ahead. Order and delivery are right: new ids go on after the newest. But until the clock is there again, the time in an id is not the time of day.',
      advice:
        'Set the clock right. If the times in the log were wrong, there is nothing more to do.',
    },
  ];
}

function describe(ms: number): string {
  if (ms >= 48 * FAR_MS) return `${Math.floor(ms / (24 * FAR_MS))} days`;
  if (ms >= FAR_MS) return count(Math.floor(ms / FAR_MS), 'hour');
  if (ms >= 60_000) return count(Math.floor(ms / 60_000), 'minute');
  return count(Math.floor(ms / 1000), 'second');
}
