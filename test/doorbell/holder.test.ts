import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { mayHold } from '../../src/doorbell/holder.ts';
import type { Moment } from '../../src/doorbell/moment.ts';
import type { Holder } from '../../src/doorbell/state.ts';
import { ownIdentity, type ProcessIdentity } from '../../src/hive/process-identity.ts';

const NOW = 1_800_000_000_000;
const MINUTE = 60_000;

function holder(session: string, fields: Partial<Holder> = {}): Holder {
  return { client: 'codex', session, process: ownIdentity(), heardAt: NOW, place: {}, ...fields };
}

interface Situation {
  current: Holder | undefined;
  claimant?: Holder;
  moment?: Moment;
}

function mayTake({ current, claimant, moment = 'prompt' }: Situation): boolean {
  const one = claimant ?? holder('new');
  return mayHold(current, one, { moment, now: NOW });
}

async function endedProcess(): Promise<ProcessIdentity> {
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  return { pid: child.pid ?? 0, startedAt: '1', bootId: ownIdentity().bootId };
}

const OTHER_PROCESS = { pid: 1, startedAt: 'another', bootId: undefined };

describe('mayHold', () => {
  it('lets the first session, and the one that holds already', () => {
    expect(mayTake({ current: undefined })).toBe(true);
    expect(mayTake({ current: holder('same'), claimant: holder('same') })).toBe(true);
  });

  it('keeps out a second process as long as the first lives', async () => {
    const claimant = holder('new', { process: OTHER_PROCESS });
    expect(mayTake({ current: holder('old', { heardAt: 0 }), claimant })).toBe(false);
    const ended = holder('old', { process: await endedProcess() });
    expect(mayTake({ current: ended, claimant, moment: 'tool' })).toBe(true);
  });

  it('gives the agent to the session of the same process that comes to the fore', () => {
    const current = holder('old', { shared: true });
    expect(mayTake({ current, moment: 'start' })).toBe(true);
    expect(mayTake({ current, moment: 'prompt' })).toBe(true);
    expect(mayTake({ current, moment: 'tool' })).toBe(false);
    expect(mayTake({ current, moment: 'turn-end' })).toBe(false);
  });

  it('lets any session take over from one of a server that was not heard of for long', () => {
    const unseen = { shared: true, heardAt: NOW - 11 * MINUTE } as const;
    const claimant = holder('new', { process: OTHER_PROCESS });
    expect(mayTake({ current: holder('old', unseen), claimant })).toBe(true);
    expect(mayTake({ current: holder('old', unseen), moment: 'tool' })).toBe(true);
    const seen = holder('old', { shared: true, heardAt: NOW - 9 * MINUTE });
    expect(mayTake({ current: seen, claimant })).toBe(false);
  });

  it('goes by the last sign where no process is known', () => {
    const unknown = (minutes: number) =>
      holder('old', { process: undefined, heardAt: NOW - minutes * MINUTE });
    expect(mayTake({ current: unknown(9) })).toBe(false);
    expect(mayTake({ current: unknown(11) })).toBe(true);
  });
});
