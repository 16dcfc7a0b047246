/**
 * Wrong protocols, each made of the right one by changing what the router does to the files. What can't
 * be said in file operations is in wrong-steps.ts.
 */
import { basename, dirname, join } from 'node:path';
import type { HiveFs } from '../../src/hive/hive-fs.ts';
import { systemCode } from '../../src/protocol/errors.ts';
import type { Event } from './schedules.ts';

/** A name's first part where a batch should be. */
export const NO_BATCH = '000000000000-nobatch0';

type Rewrite = (fs: HiveFs) => HiveFs;

const MOST_BYTES = 1024 * 1024 * 1024;

function isCommit(from: string, to: string): boolean {
  return dirname(from).endsWith('/stage') && dirname(to).endsWith('/owed');
}

function isPublish(from: string, to: string): boolean {
  return from.includes('/owed/') && (to.includes('/inbox/') || to.includes('/held/'));
}

function isArchive(from: string, to: string): boolean {
  return dirname(from).endsWith('/claim') && !to.startsWith('/hive/.router/e');
}

/** Copies go out before the batch is committed. */
const publishBeforeCommit: Rewrite = (fs) => ({
  ...fs,
  rename: (from, to) => {
    if (isCommit(from, to)) {
      for (const name of fs.list(from).filter((each) => each.endsWith('~inbox'))) {
        const [id, agent] = name.split('~');
        const inbox = `/hive/agents/${agent}/inbox`;
        if (fs.stat(inbox)?.kind === 'directory')
          fs.rename(join(from, name), `${inbox}/${id}.json`);
      }
    }
    fs.rename(from, to);
  },
});

/** A copy gets a second name in the inbox, and then loses the one in what is owed. */
const linkAndUnlink: Rewrite = (fs) => ({
  ...fs,
  rename: (from, to) => {
    if (!isPublish(from, to)) return fs.rename(from, to);
    const { bytes } = fs.read(from, MOST_BYTES);
    const second = join(dirname(from), '../../trash', basename(from));
    // In memory it is there before its promise is.
    fs.create(second, bytes).catch(() => undefined);
    fs.rename(second, to);
    fs.unlink(from);
  },
});

/** The plan goes to the history first, and the originals to the archive after it. */
const recordBeforeArchive: Rewrite = (fs) => {
  const waiting: [string, string][] = [];
  return {
    ...fs,
    rename: (from, to) => {
      if (isArchive(from, to)) {
        waiting.push([from, to]);
        return;
      }
      fs.rename(from, to);
      if (basename(from) === 'plan.json') {
        for (const [source, target] of waiting.splice(0)) fs.rename(source, target);
      }
    },
  };
};

/** `ENOENT` of the archive's rename is read as done, also when it is `.sent/` that is missing. */
const doneByEnoent: Rewrite = (fs) => ({
  ...fs,
  anchor: (dir) =>
    dir.endsWith('/.sent')
      ? { path: dir, holds: false, [Symbol.dispose]: () => {} }
      : fs.anchor(dir),
  rename: (from, to) => {
    try {
      fs.rename(from, to);
    } catch (error) {
      if (!isArchive(from, to) || systemCode(error) !== 'ENOENT') throw error;
    }
  },
});

/** A deferred copy is called as it was in its batch; one batch stands for none. */
const deferredWithoutBatch: Rewrite = (fs) => ({
  ...fs,
  rename: (from, to) =>
    fs.rename(from, to.replace(/\/deferred\/[^~/]+~/, `/deferred/${NO_BATCH}~`)),
});

const EPOCH = /^(\/hive\/\.router\/e\d+-[a-z0-9]+)\.f(?=\/|$)/;

/** The places of a predecessor are emptied, but it keeps them and goes on. */
const noFence: Rewrite = (fs) => {
  const asItWas = (path: string) => path.replace(EPOCH, '$1');
  return {
    ...fs,
    list: (dir, most) => fs.list(asItWas(dir), most),
    stat: (path) => fs.stat(asItWas(path)),
    rename: (from, to) => {
      if (asItWas(to) !== from) fs.rename(asItWas(from), to);
    },
    rmdir: (dir) => {
      if (asItWas(dir) === dir) fs.rmdir(dir);
    },
  };
};

/** The places of a predecessor are emptied once, and no router looks at them again. */
const noRmdir: Rewrite = (fs) => ({
  ...fs,
  list: (dir, most) => {
    const names = fs.list(dir, most);
    return dir === '/hive/.router'
      ? names.filter((name) => !names.includes(`${name}-drained`) && !name.endsWith('-drained'))
      : names;
  },
  rmdir: (dir) => {
    if (!EPOCH.test(dir)) return fs.rmdir(dir);
    if (dir.endsWith('.f')) fs.mkdir(`${dir}-drained`);
  },
});

/** A wrong protocol, and how it is found out. */
export interface WrongProtocol {
  /** Absent for those in wrong-steps.ts. */
  rewrite?: Rewrite;
  /** What happens, with a router that is stopped after so many changes. */
  events: (changes: number) => Event[];
  /** What must be found when it has gone wrong. */
  proof: RegExp;
}

const TWICE = /came to \[(.*,)?(\w+),\2\b/;

const letter = (agent: string, to: string | string[]): Event => {
  return { what: 'write', agent, to, act: 'request', form: 'whole', reply: false };
};
const LETTERS = [letter('planner', 'coder'), letter('tester', ['coder', 'god'])];
const PASS = { what: 'pass', passes: 1 } as const;
const TAKEN = ['coder', 'god'].map((agent): Event => ({ what: 'handle', agent, handling: 'ack' }));

function ends(changes: number): Event {
  return { what: 'stop at', changes, fate: 'dies' };
}

function endsOnTheWay(changes: number): Event[] {
  return [...LETTERS, ends(changes), ...TAKEN, PASS];
}

/** Stands still while another router works, and then goes on with the operation it stood at. */
function standsStill(changes: number): Event[] {
  const waits: Event = { what: 'stop at', changes, fate: 'waits' };
  const goesOn: Event = { what: 'older goes on', changes: 90, inFlight: true };
  return [...LETTERS, waits, PASS, ...TAKEN, goesOn];
}

/** The same, where the other router has not looked for letters yet. */
function standsStillMeanwhileStarted(changes: number): Event[] {
  return standsStill(changes).map((event) => (event === PASS ? { ...PASS, passes: 0 } : event));
}

/** One that takes over stands still, while a third takes over from it and routes. */
function takesOverSlowly(changes: number): Event[] {
  const another: Event = { what: 'another router' };
  const waits: Event = { what: 'stop at', changes: changes % 20, fate: 'waits' };
  return [PASS, another, waits, ...LETTERS, PASS];
}

function endsAtRedelivery(changes: number): Event[] {
  const inbox = (broken: boolean): Event => ({ what: 'inbox', agent: 'coder', broken });
  return [inbox(true), ...LETTERS, PASS, ends(changes), PASS, inbox(false), PASS];
}

function sentAway(): Event[] {
  return [PASS, ...LETTERS, { what: 'sent away', agent: 'planner' }, PASS];
}

/** By name; those without `rewrite` are in wrong-steps.ts. */
export const WRONG_PROTOCOLS: Record<string, WrongProtocol> = {
  'publish before commit': {
    rewrite: publishBeforeCommit,
    events: endsOnTheWay,
    proof: TWICE,
  },
  'link and unlink instead of rename': {
    rewrite: linkAndUnlink,
    events: endsOnTheWay,
    proof: TWICE,
  },
  'record before archive': {
    rewrite: recordBeforeArchive,
    events: endsOnTheWay,
    proof: TWICE,
  },
  '"done" read from ENOENT of the destination': {
    rewrite: doneByEnoent,
    events: sentAway,
    proof: /has 2 rows/,
  },
  'log before publish': {
    events: endsAtRedelivery,
    proof: /found 1 times, 2 rows say delivered/,
  },
  'rows without a key': { events: endsOnTheWay, proof: /has 2 rows/ },
  'a deferred name without its batch': {
    rewrite: deferredWithoutBatch,
    events: endsAtRedelivery,
    proof: /due to \[.+\] and came to \[\]/,
  },
  'no fence': { rewrite: noFence, events: standsStill, proof: TWICE },
  'no rmdir after draining': {
    rewrite: noRmdir,
    events: standsStillMeanwhileStarted,
    proof: /is archived 0 times/,
  },
  'the log taken over before the fence': {
    events: takesOverSlowly,
    proof: /has 0 rows/,
  },
  'a batch directory name used twice': {
    events: () => [...LETTERS, PASS, ...LETTERS, PASS],
    proof: /has 0 records/,
  },
};
