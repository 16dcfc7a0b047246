/** Each sync of the protocol, left out: needed, or why not. */
import { describe, expect, it } from 'vitest';
import type { Sync } from '../helpers/recording-fs.ts';
import { cutPower, type Scene } from './power-cuts.ts';

const LETTERS = [
  { agent: 'planner', letter: { to: 'coder', act: 'request' } },
  { agent: 'tester', letter: { to: ['coder', 'god', 'nobody'], act: 'inform' } },
];
const DELIVERY: Scene = { letters: LETTERS };
const REDELIVERY: Scene = { letters: LETTERS, broken: ['coder'] };

interface Dropped {
  name: string;
  sync: (sync: Sync) => boolean;
  scene?: Scene;
  /** On which disks something goes wrong without it. */
  neededOn: ('ordered' | 'unordered')[];
}

const dirSync = (pattern: RegExp) => (sync: Sync) =>
  sync.kind === 'syncDir' && pattern.test(sync.path);

const DROPPED: Dropped[] = [
  { name: 'the epoch directory', sync: dirSync(/\/e\d+-\w+$/), neededOn: ['unordered'] },
  { name: '.router at start', sync: dirSync(/\/\.router$/), neededOn: ['unordered'] },
  { name: 'claim', sync: dirSync(/\/claim$/), neededOn: ['unordered'] },
  {
    name: 'a copy',
    sync: ({ kind, path }) => kind === 'create' && path.includes('/stage/') && path.includes('~'),
    neededOn: ['ordered', 'unordered'],
  },
  {
    name: 'plan.json',
    sync: ({ kind, path }) => kind === 'create' && path.endsWith('/plan.json'),
    neededOn: ['ordered', 'unordered'],
  },
  { name: 'stage/<batch>', sync: dirSync(/\/stage\/[^/]+$/), neededOn: ['unordered'] },
  // Also where order is kept: a notice seen by then would come again under another id.
  { name: 'owed', sync: dirSync(/\/owed$/), neededOn: ['ordered', 'unordered'] },
  { name: 'owed/<batch>', sync: dirSync(/\/owed\/[^/]+$/), neededOn: ['unordered'] },
  { name: '.sent', sync: dirSync(/\/\.sent$/), neededOn: ['unordered'] },
  { name: 'the log', sync: ({ kind }) => kind === 'append', neededOn: ['ordered', 'unordered'] },
  {
    name: 'deferred, when a copy in it is consumed',
    sync: dirSync(/\/deferred$/),
    scene: REDELIVERY,
    neededOn: ['unordered'],
  },
];

describe.each(DROPPED)('without the sync of $name', ({ sync, scene = DELIVERY, neededOn }) => {
  it.each(['ordered', 'unordered'] as const)(
    'something goes wrong where it is needed, on an %s disk',
    async (model) => {
      const trial = { scene, model, leavesOut: sync, mostStates: 12 };
      const { problems } = await cutPower(trial);
      if (process.env.HIVEMAIL_SIM_TELL) process.stdout.write(`${model}: ${problems.join(' ')}\n`);
      expect(problems.length > 0).toBe(neededOn.includes(model));
    },
    120_000,
  );
});
