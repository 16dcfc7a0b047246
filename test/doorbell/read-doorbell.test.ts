import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSessionStatus } from '../../src/doorbell/read-session-status.ts';
import { NO_STATE } from '../../src/doorbell/state.ts';
import { layoutOf } from '../../src/hive/layout.ts';
import type { AgentId } from '../../src/protocol/addresses.ts';
import { createMemoryFs } from '../helpers/memory-fs.ts';

const layout = layoutOf('/hive');
const coder = layout.agent('coder' as AgentId);
const NOW = Date.parse('2026-11-30T17:19:11.123Z');
const holder = { client: 'codex', session: 's', heardAt: NOW, place: {} };
const stateNamed = (told: string) => JSON.stringify({ ...NO_STATE, holder, told: [told] });

function look(prepare: (files: ReturnType<typeof createMemoryFs>) => void) {
  const fs = createMemoryFs();
  fs.write(join(coder.inbox, 'a.json'), '{}');
  prepare(fs);
  const context = { unread: ['a'], now: NOW, isAlive: () => true };
  return readSessionStatus({ fs, layout }, 'coder' as AgentId, context);
}

describe('an agent’s doorbell, from outside', () => {
  it('is none where there is no `.doorbell`', () => {
    expect(look(() => {})).toBeUndefined();
  });

  it('has no session where no hook was ever called', () => {
    expect(look((fs) => fs.write(coder.doorbellSettings, '{}'))).toEqual({
      unannounced: { letters: 1, why: 'no-session' },
    });
  });

  it('is the state of the highest number, and the mode that the settings say', () => {
    const read = (mode: string) =>
      look((fs) => {
        fs.write(coder.doorbellSettings, JSON.stringify({ mode }));
        fs.write(join(coder.doorbellState, '0000000009.json'), stateNamed('a'));
        fs.write(join(coder.doorbellState, '0000000010.json'), stateNamed('b'));
        fs.write(join(coder.doorbellState, '.tmp-7-0000000011.json'), stateNamed('a'));
        fs.write(join(coder.doorbellState, '99.json'), stateNamed('a'));
      })?.unannounced;
    expect(read('notify')).toEqual({ letters: 1, why: 'notify' });
    expect(read('continue')).toEqual({ letters: 1, why: 'nothing-wakes' });
  });

  it.each(['', '{', '[]', '7', '{"holder":{"client":"emacs","session":"s"}}'])(
    'remembers nothing where its state is %j',
    (text) => {
      const seen = look((fs) => fs.write(join(coder.doorbellState, '0000000001.json'), text));
      expect(seen?.session).toBeUndefined();
    },
  );

  const first = join(coder.doorbellState, '0000000001.json');
  type Prepare = (fs: ReturnType<typeof createMemoryFs>) => void;

  it.each<[string, string, Prepare]>([
    ['a link to its directory', 'ENOTDIR', (fs) => fs.link(coder.doorbell, '/elsewhere')],
    ['a file in its place', 'ENOTDIR', (fs) => fs.write(coder.doorbell, '')],
  ])('is not read, and says so: %s', (_, problem, prepare) => {
    const seen = look((fs) => {
      fs.write('/elsewhere/state/0000000001.json', stateNamed('a'));
      prepare(fs);
    });
    expect(seen).toEqual({ problem });
  });

  it.each<[string, string, Prepare]>([
    ['a state that is a link', 'ELOOP', (fs) => fs.link(first, '/elsewhere')],
    ['a state that is a pipe', 'EINVAL', (fs) => fs.pipe(first)],
    ['a state that is a directory', 'EINVAL', (fs) => fs.mkdir(first)],
    ['settings that are a pipe', 'EINVAL', (fs) => fs.pipe(coder.doorbellSettings)],
    [
      'more states than hooks make',
      'EFBIG',
      (fs) => {
        for (let n = 100; n < 400; n++)
          fs.write(join(coder.doorbellState, `0000000${n}.json`), stateNamed('a'));
      },
    ],
  ])('is not read, and says so: %s', (_, problem, prepare) => {
    const seen = look((fs) => {
      fs.write('/elsewhere', stateNamed('a'));
      fs.write(join(coder.doorbellState, '.tmp'), '');
      prepare(fs);
    });
    expect(seen).toEqual({ problem });
  });

  it('is not read through a link to its states', () => {
    const seen = look((fs) => {
      fs.write('/elsewhere/0000000001.json', stateNamed('a'));
      fs.write(join(coder.doorbell, 'installed'), '');
      fs.link(coder.doorbellState, '/elsewhere');
    });
    expect(seen).toEqual({ problem: 'ENOTDIR' });
  });
});
