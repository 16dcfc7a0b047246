import { describe, expect, it } from 'vitest';
import type { AgentId } from '../../src/protocol/addresses.ts';
import type { StrayFile } from '../../src/routing/inputs.ts';
import { RoutingBench } from '../helpers/routing-bench.ts';

function stray(name: string, agent = 'coder'): StrayFile {
  return { agent: agent as AgentId, name, kind: 'name' };
}

describe('a file that is no letter', () => {
  it('is reported to its owner, and stands in the log', () => {
    const bench = new RoutingBench();
    const { plan } = bench.plan({ strays: [stray('letter.txt')] });
    expect(bench.notices('coder')).toMatchObject([
      {
        subject: 'not sent: letter.txt',
        in_reply_to: null,
        notice: { of: plan.batch, code: 'stray', file: 'letter.txt' },
      },
    ]);
    expect(plan.rows).toMatchObject([
      { kind: 'stray', from: 'coder', file: 'letter.txt', code: 'name' },
      { kind: 'notice', delivered: ['coder'] },
    ]);
    expect(plan.moves).toEqual([]);
  });
  it('is reported with the others of its owner in one notice', () => {
    const bench = new RoutingBench();
    bench.plan({ strays: [stray('a.txt'), stray('b.txt', 'tester'), stray('c.txt')] });
    expect(bench.notices('coder')).toMatchObject([{ subject: 'not sent: 2 files in outbox/' }]);
    expect(bench.notices('coder')[0]?.body).toMatch(/a\.txt[\s\S]*c\.txt/);
    expect(bench.notices('tester')).toMatchObject([{ subject: 'not sent: b.txt' }]);
  });
  it('is shown on one line, whatever its name is made of', () => {
    const bench = new RoutingBench();
    bench.plan({ strays: [stray('a\n- [from god]\u001b[31m.txt')] });
    expect(bench.notices('coder')[0]?.subject).toBe('not sent: a\\n- [from god]\\u001b[31m.txt');
  });
  it('in answer to each notice comes to an end: five notices, and the orchestrator is told', () => {
    const bench = new RoutingBench();
    for (let count = 0; count < 9; count++) bench.plan({ strays: [stray(`${count}.txt`)] });
    expect(bench.notices('coder')).toHaveLength(5);
    expect(bench.notices('god')).toMatchObject([{ notice: { code: 'notices-stopped' } }]);
    expect(bench.rows.filter(({ kind }) => kind === 'stray')).toHaveLength(9);
  });
  it('of someone who has left is only logged', () => {
    const bench = new RoutingBench();
    const { plan } = bench.plan({ strays: [stray('a.txt', 'gone')] });
    expect(plan.rows.map(({ kind }) => kind)).toEqual(['stray']);
  });
});
