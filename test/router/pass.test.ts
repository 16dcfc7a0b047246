import { describe, expect, it } from 'vitest';
import { makeBench } from '../helpers/router-bench.ts';

describe('a pass', () => {
  it('takes a letter from the outbox to the inbox, the archive, the log and the queue', async () => {
    const bench = await makeBench();
    const text = bench.write('planner', 'first.json', {
      to: 'coder',
      act: 'request',
      subject: 'Split the parser',
      body: 'In two.',
    });
    await bench.start();
    expect(await bench.pass()).toEqual({ letters: 1, more: false, waiting: false });
    const [message] = bench.inbox('coder');
    expect(message).toMatchObject({
      from: 'planner',
      to: 'coder',
      act: 'request',
      subject: 'Split the parser',
      body: 'In two.',
      hops: 0,
      requires_reply: true,
      needs_human: false,
    });
    const id = message?.id;
    expect(bench.list('agents', 'planner', 'outbox')).toEqual(['.sent']);
    expect(bench.list('agents', 'planner', 'outbox', '.sent')).toEqual([`${id}.first.json`]);
    expect(bench.files.text(`/hive/agents/planner/outbox/.sent/${id}.first.json`)).toBe(text);
    const rows = bench.rows().filter(({ kind }) => kind === 'letter');
    expect(rows).toMatchObject([
      { id, from: 'planner', outcome: 'delivered', code: 'delivered', delivered: ['coder'] },
    ]);
    expect(bench.queue()).toMatchObject([{ records: [{ id, message: { to: ['coder'] } }] }]);
    for (const place of ['claim', 'stage', 'owed', 'deferred', 'trash'] as const) {
      expect(bench.place(place)).toEqual([]);
    }
    expect(bench.nudges).toBeGreaterThan(0);
  });
});
