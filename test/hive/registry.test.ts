import { describe, expect, it } from 'vitest';
import { layoutOf } from '../../src/hive/layout.ts';
import { createNodeFs } from '../../src/hive/node-fs.ts';
import {
  agentOf,
  parseRegistry,
  readRegistry,
  rosterOf,
  unusableIds,
  writeRegistry,
} from '../../src/hive/registry.ts';
import { tempDir } from '../helpers/temp-dir.ts';

const text = (agents: object, godId: unknown = null) => JSON.stringify({ godId, agents });

describe('registry.json', () => {
  it('keeps unknown fields over reading and writing', async () => {
    const { registry: path } = layoutOf(tempDir());
    const stored = {
      godId: 'god',
      floor: 7,
      agents: { god: { name: 'Michael', lastSeen: 12, cwdValid: true } },
    };
    const fs = createNodeFs();
    await writeRegistry(fs, path, parseRegistry(JSON.stringify(stored)));
    expect(readRegistry(fs, path)).toEqual(stored);
  });

  it('is refused with the field when it holds no roster', () => {
    expect(() => parseRegistry('{"agents":[]}')).toThrow(/agents/);
    expect(() => parseRegistry('{"agents":{"a":{"archived":"yes"}}}')).toThrow(
      /agents\.a\.archived/,
    );
    expect(() => parseRegistry('{"agents":{"a"')).toThrow(/not valid JSON/);
    expect(() => readRegistry(createNodeFs(), layoutOf(tempDir()).registry)).toThrow(/missing/);
  });

  it('takes null for a field that nobody set', () => {
    expect(() =>
      parseRegistry(text({ a: { role: null, archived: null, capabilities: null } })),
    ).not.toThrow();
  });

  it('knows the orchestrator by godId, or by isGod where no godId stands', () => {
    const agents = { a: {}, b: { isGod: true } };
    expect(rosterOf(parseRegistry(text(agents, 'a'))).orchestrator).toBe('a');
    expect(rosterOf(parseRegistry(text(agents))).orchestrator).toBe('b');
    expect(rosterOf(parseRegistry(text({ a: {} }))).orchestrator).toBeUndefined();
  });

  it('has no orchestrator while that agent is archived or unknown', () => {
    expect(
      rosterOf(parseRegistry(text({ a: { archived: true } }, 'a'))).orchestrator,
    ).toBeUndefined();
    expect(rosterOf(parseRegistry(text({ a: {} }, 'ghost'))).orchestrator).toBeUndefined();
  });

  it('leaves out keys that can be no id, and lists them', () => {
    const registry = parseRegistry(text({ ok: {}, 'Not OK': {}, human: {}, '../up': {} }));
    expect([...rosterOf(registry).agents.keys()]).toEqual(['ok']);
    expect(unusableIds(registry)).toEqual(['Not OK', 'human', '../up']);
  });

  it('does not take a property of every object for an agent', () => {
    expect(agentOf(parseRegistry(text({})), 'constructor')).toBeUndefined();
  });
});
