import { describe, expect, it } from 'vitest';
import { emptyRegistry, type Registry } from '../../src/hive/registry.ts';
import { changeRoster, type RosterChange } from '../../src/hive/roster-change.ts';

function apply(registry: Registry, ...changes: RosterChange[]): Registry {
  return changes.reduce((before, change) => {
    const result = changeRoster(before, change);
    if (!result.ok) throw new Error(result.message);
    return result.registry;
  }, registry);
}

const add = (agent: string, fields = {}): RosterChange => ({ op: 'add', agent, fields });
const refusal = (registry: Registry, change: RosterChange) => {
  const result = changeRoster(registry, change);
  return result.ok ? undefined : { code: result.code, message: result.message };
};

describe('changeRoster', () => {
  it('adds an agent named by its id unless a name is given', () => {
    const { agents } = apply(
      emptyRegistry(),
      add('coder'),
      add('qa', { name: 'Quality', role: 'tester' }),
    );
    expect(agents['coder']).toMatchObject({ id: 'coder', name: 'coder' });
    expect(agents['qa']).toMatchObject({ name: 'Quality', role: 'tester' });
  });

  it('leaves the registry it is given as it was', () => {
    const before = apply(emptyRegistry(), add('a'));
    const copy = structuredClone(before);
    apply(before, { op: 'archive', agent: 'a' }, add('b'));
    expect(before).toEqual(copy);
  });

  it.each(['human', 'Coder', 'a b', '../x', 'con', '-a', ''])(
    'refuses the id %j with a reason',
    (id) => {
      expect(refusal(emptyRegistry(), add(id))).toMatchObject({ code: 'usage' });
    },
  );

  it('adds an agent that is called like a property of every object', () => {
    expect(apply(emptyRegistry(), add('constructor')).agents).toHaveProperty('constructor');
  });

  it('refuses a second agent of an id, and says how an archived one comes back', () => {
    const registry = apply(emptyRegistry(), add('a'), { op: 'archive', agent: 'a' });
    expect(refusal(registry, add('a'))).toMatchObject({
      code: 'refused',
      message: expect.stringContaining('agent restore a'),
    });
  });

  it('names the nearest agents when one is not there', () => {
    expect(
      refusal(apply(emptyRegistry(), add('coder')), { op: 'hold', agent: 'codr' }),
    ).toMatchObject({
      code: 'not-found',
      message: expect.stringContaining('coder'),
    });
  });

  it('keeps at most one orchestrator, and lets the role go', () => {
    const one = apply(emptyRegistry(), add('god', { isGod: true }), add('b'));
    expect(one.godId).toBe('god');
    expect(refusal(one, { op: 'set', agent: 'b', fields: { isGod: true } })?.code).toBe('refused');
    const none = apply(one, { op: 'set', agent: 'god', fields: { isGod: false } });
    expect(none.godId).toBeNull();
    expect(apply(none, { op: 'set', agent: 'b', fields: { isGod: true } }).godId).toBe('b');
  });

  it('archives, restores, holds and renames without losing other fields', () => {
    const registry = apply(
      apply(emptyRegistry(), add('a', { role: 'tester' })),
      { op: 'archive', agent: 'a' },
      { op: 'restore', agent: 'A' },
      { op: 'hold', agent: 'a' },
      { op: 'rename', agent: 'a', name: 'Ann' },
    );
    expect(registry.agents['a']).toMatchObject({
      role: 'tester',
      archived: false,
      onHold: true,
      name: 'Ann',
    });
  });
});
