import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { takeKernelLock } from '../../src/hive/kernel-lock.ts';
import { layoutOf } from '../../src/hive/layout.ts';
import { parseOwner } from '../../src/hive/owner.ts';
import {
  createFaultyFs,
  type Fault,
  type FaultPlan,
  type FaultyFs,
  failAt,
} from '../helpers/faulty-fs.ts';
import { tempDir } from '../helpers/temp-dir.ts';
import {
  acquire,
  fs,
  heldByAnother,
  hive,
  leaveOwner,
  noKernel,
  owner,
  refusal,
  release,
  startHolder,
} from './lock-scene.ts';

const CODES = ['ENOSPC', 'EIO'];
/** `after`: as when the close of a file, or the sync of its directory, fails when all is done. */
const MOMENTS: Fault['when'][] = ['before', 'torn', 'after'];
const KERNELS = [
  ['with the kernel’s lock', {}],
  ['without it', noKernel],
] as const;

/** Does something with a lock over files that begin to fail when told; see {@link atEach}. */
type Act = (faulty: FaultyFs, begin: () => void) => Promise<unknown>;

/** Lets something fail at each operation on files, in each way, in a hive of its own each time. */
async function atEach(act: Act, check: () => Promise<unknown>): Promise<void> {
  const most = await once(act, undefined);
  expect(most).toBeGreaterThanOrEqual(5);
  for (let number = 1; number <= most; number++) {
    for (const when of MOMENTS) {
      await once(act, failAt(number, CODES[number % 2] as string, when));
      const text = readFileSync(layoutOf(hive.root).owner, 'utf8');
      expect([7, 8]).toContain(parseOwner(text)?.epoch);
      await check();
    }
  }
}

/** @returns how many operations there were from the beginning on */
async function once(act: Act, plan: FaultPlan | undefined): Promise<number> {
  hive.root = tempDir();
  await leaveOwner({ ended: 'before' });
  const faulty = createFaultyFs(fs);
  const begin = (): void => {
    faulty.restart();
    faulty.plan = plan;
  };
  await act(faulty, begin).catch((error: unknown) => expect(error).toHaveProperty('code'));
  return faulty.operations.length;
}

describe('an owner record that the disk refuses', { timeout: 120_000 }, () => {
  it.each(KERNELS)('at a start locks nobody out who starts next, %s', async (_, kernel) => {
    const start: Act = async (faulty, begin) => {
      begin();
      const lock = await acquire({ ...kernel, fs: faulty });
      faulty.plan = undefined;
      await release(lock);
    };
    await atEach(start, async () => {
      expect((await acquire(kernel)).epochAfter).toBe(7);
    });
  });

  it('at the end locks nobody out, though its process lives on', async () => {
    const end: Act = async (faulty, begin) => {
      const lock = await acquire({ fs: faulty });
      await lock.recordOwner(8);
      begin();
      await release(lock);
    };
    await atEach(end, async () => {
      const next = await acquire();
      expect(next).toMatchObject({ epochAfter: 8, kernel: true, tookOverFrom: undefined });
    });
  });

  it('for an epoch leaves the old one or the new, and the hive to its router', async () => {
    const recordEpoch: Act = async (faulty, begin) => {
      const lock = await acquire({ fs: faulty });
      begin();
      try {
        await lock.recordOwner(8);
      } finally {
        faulty.plan = undefined;
        expect((await refusal()).message).toContain(`Process ${process.pid} on`);
        await release(lock);
      }
    };
    await atEach(recordEpoch, async () => {
      expect([7, 8]).toContain((await acquire()).epochAfter);
    });
  });

  it('for as long as it refuses leaves the one before, and no file beside it', async () => {
    await leaveOwner({ ended: 'before' });
    const before = readFileSync(layoutOf(hive.root).owner, 'utf8');
    const full = createFaultyFs(fs);
    full.plan = ({ kind }) => (kind === 'create' ? { code: 'ENOSPC', when: 'torn' } : undefined);
    expect(await refusal({ fs: full })).toMatchObject({ code: 'io' });
    expect(readFileSync(layoutOf(hive.root).owner, 'utf8')).toBe(before);
    expect(readdirSync(layoutOf(hive.root).router)).toEqual(['owner.json']);
    expect(await acquire()).toMatchObject({ epochAfter: 7, kernel: true });
  });
});

describe('a record that says its process runs', () => {
  it('counts for nothing where the kernel’s lock that it took is free', async () => {
    await leaveOwner({ lockReach: await reach() });
    expect(await acquire()).toMatchObject({ epochAfter: 7, tookOverFrom: undefined });
  });
  it.each(['net:[1]', undefined])(
    'counts where its lock reaches elsewhere, as in another container, or nobody knows (%s)',
    async (lockReach) => {
      await leaveOwner({ lockReach });
      expect((await refusal()).code).toBe('locked');
    },
  );
  it('counts where its lock is held, and where the kernel has none', async () => {
    await leaveOwner({ lockReach: await reach() });
    expect((await refusal({ takeKernel: heldByAnother })).code).toBe('locked');
    expect((await refusal(noKernel)).code).toBe('locked');
  });
  it('is kept by a living router, which no other gets past', async () => {
    await startHolder();
    expect(owner()?.lockReach).toBe(await reach());
    expect((await refusal()).code).toBe('locked');
  });
});

async function reach(): Promise<string | undefined> {
  const lock = await takeKernelLock(layoutOf(tempDir()));
  if (typeof lock === 'string') throw new Error(`There is no lock of the kernel: ${lock}`);
  await lock.release();
  return lock.reach;
}
