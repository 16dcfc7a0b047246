import { describe, expect, it } from 'vitest';
import { RoutingBench } from '../helpers/routing-bench.ts';

const LETTER = { act: 'request', subject: 'Split', body: 'In two.' };

describe('the message made of a letter', () => {
  it('carries what the sender supplies and what the router owns, and nothing the letter says of that', () => {
    const bench = new RoutingBench();
    const { copies, id } = bench.send('planner', {
      ...LETTER,
      to: 'CODER',
      conversation: 'c',
      reply_by: 'Friday',
      mood: 'fine',
      ...{ id: 'mine', from: 'human', hops: 13, created_at: 'never', requires_reply: false },
      ...{ needs_human: true, to_all: ['x'], notice: {}, held: {} },
    });
    expect(copies).toEqual([
      {
        id,
        conversation: 'c',
        in_reply_to: null,
        from: 'planner',
        to: 'coder',
        act: 'request',
        subject: 'Split',
        body: 'In two.',
        hops: 0,
        requires_reply: true,
        needs_human: false,
        created_at: '2026-11-30T12:00:00.000Z',
        reply_by: 'Friday',
        extra: { mood: 'fine' },
      },
    ]);
  });
  it('asks for a reply when its act does', () => {
    const bench = new RoutingBench();
    for (const [act, due] of [
      ['query', true],
      ['propose', true],
      ['inform', false],
      ['done', false],
    ]) {
      const { copies } = bench.send('planner', { ...LETTER, act, to: 'coder' });
      expect(copies[0]?.requires_reply).toBe(due);
    }
  });
  it('says how it was addressed where there are several recipients, and only there', () => {
    const bench = new RoutingBench({ agents: ['god', 'planner', 'coder'] });
    const all = (to: unknown) => bench.send('planner', { ...LETTER, to }).copies[0]?.to_all;
    expect(all('coder')).toBeUndefined();
    expect(all(['coder', 'Coder', 'coder'])).toBeUndefined();
    expect(all(['coder', '@God'])).toEqual(['coder', 'God']);
    expect(all('coder, nobody')).toEqual(['coder', 'nobody']);
    expect(all('*')).toEqual(['broadcast']);
    expect(
      new RoutingBench({ agents: ['a', 'b'], orchestrator: undefined }).send('a', {
        ...LETTER,
        to: 'all',
      }).copies[0]?.to_all,
    ).toEqual(['broadcast']);
    expect(all(['role:x', 'coder'])).toEqual(['role:x', 'coder']);
  });
});

describe('a letter without an address', () => {
  it('goes to the sender of what it replies to', () => {
    const bench = new RoutingBench();
    const asked = bench.send('planner', { ...LETTER, to: 'coder' });
    const reply = bench.send('coder', { act: 'done', body: 'x', in_reply_to: asked.id });
    expect(reply.copies).toMatchObject([{ to: 'planner', in_reply_to: asked.id, hops: 1 }]);
  });
  it('is refused when what it replies to never reached its sender', () => {
    const bench = new RoutingBench();
    const asked = bench.send('planner', { ...LETTER, to: 'coder' });
    const reply = bench.send('tester', { act: 'done', body: 'x', in_reply_to: asked.id });
    expect(reply.row).toMatchObject({ outcome: 'refused', code: 'no-recipient' });
    expect(reply.copies).toEqual([]);
  });
  it('to the person goes to the desk, with a copy to the orchestrator of which nothing is asked', () => {
    const bench = new RoutingBench();
    const asked = bench.send('human', { ...LETTER, to: 'coder' });
    const reply = bench.send('coder', { act: 'query', body: 'x', in_reply_to: asked.id });
    expect(reply.copies).toMatchObject([
      { to: 'human', needs_human: true, requires_reply: true, to_all: ['human'] },
      { to: 'god', needs_human: false, requires_reply: false, to_all: ['human'] },
    ]);
  });
});

describe('a letter to the person', () => {
  it('is marked for the orchestrator alone, whoever else gets it', () => {
    const bench = new RoutingBench();
    const { copies } = bench.send('coder', { ...LETTER, to: ['human', 'tester'] });
    expect(copies.map(({ to, needs_human }) => [to, needs_human])).toEqual([
      ['god', true],
      ['tester', false],
    ]);
  });
  it('from the orchestrator lies on the desk, once', () => {
    const bench = new RoutingBench();
    const { copies } = bench.send('god', { ...LETTER, to: 'human' });
    expect(copies).toMatchObject([{ to: 'human', from: 'god', needs_human: true }]);
  });
});

describe('an archived, held or send-only recipient', () => {
  const bench = () =>
    new RoutingBench({
      agents: [
        'god',
        'planner',
        'coder',
        { id: 'old', archived: true },
        { id: 'away', onHold: true },
        { id: 'cron', sendOnly: true },
      ],
    });
  const outcome = (to: unknown, sender = 'planner') => {
    const { row, copies, held } = bench().send(sender, { ...LETTER, to });
    const places = [copies, held].map((list) => list.map((message) => message.to));
    return [row.outcome, row.code, ...places];
  };

  it('gets it filed, held or not at all', () => {
    expect(outcome('old')).toEqual(['delivered', 'filed', ['old'], []]);
    expect(outcome('away')).toEqual(['held', 'on-hold', [], ['away']]);
    expect(outcome('cron')).toEqual(['bounced', 'send-only', [], []]);
  });
  it('among others makes it partial when somebody got it and somebody did not', () => {
    expect(outcome(['coder', 'old'])).toEqual(['delivered', 'delivered', ['coder', 'old'], []]);
    expect(outcome(['coder', 'away'])).toEqual(['partial', 'partial', ['coder'], ['away']]);
    expect(outcome(['coder', 'cron'])).toEqual(['partial', 'partial', ['coder'], []]);
    expect(outcome(['old', 'nobody'])).toEqual(['partial', 'partial', ['old'], []]);
    expect(outcome(['away', 'nobody'])).toEqual(['held', 'on-hold', [], ['away']]);
  });
  it('and nobody else bounces, whatever else was addressed', () => {
    expect(outcome(['cron', 'planner'])).toEqual(['refused', 'to-self', [], []]);
    expect(outcome(['cron', 'nobody']).slice(0, 2)).toEqual(['bounced', 'unknown-recipient']);
  });
  it('is not what a broadcast reaches, but who is on hold gets it later', () => {
    expect(outcome('broadcast')).toEqual(['partial', 'partial', ['god', 'coder'], ['away']]);
    expect(outcome('broadcast', 'cron').at(2)).toEqual(['god', 'planner', 'coder']);
  });
  it('who is send-only gets nothing held for it either', () => {
    const deep = bench();
    deep.rules = { ...deep.rules, hopCap: 0 };
    const asked = deep.send('coder', { ...LETTER, to: 'planner' });
    const letter = { ...LETTER, to: ['cron', 'coder', 'away', 'old'], in_reply_to: asked.id };
    const { row, held } = deep.send('planner', letter);
    expect(row).toMatchObject({ code: 'hop-cap', failed: { cron: 'send-only' } });
    expect(held.map(({ to, held: why }) => [to, why?.code])).toEqual([
      ['coder', 'hop-cap'],
      ['away', 'hop-cap'],
      ['old', 'hop-cap'],
    ]);
  });
});

describe('a reply to a terminal letter', () => {
  const reply = (act: string, to: string, from = 'planner', sender = 'coder') => {
    const bench = new RoutingBench();
    const first = bench.send(from, { act: to, body: 'x', to: sender });
    return bench.send(sender, { act, body: 'x', in_reply_to: first.id }).row.code;
  };
  it('that only keeps it going is refused', () => {
    for (const terminal of ['inform', 'agree', 'refuse', 'done']) {
      for (const act of ['inform', 'agree', 'done']) {
        expect(reply(act, terminal), `${act} to ${terminal}`).toBe('reply-to-terminal');
      }
    }
  });
  it('passes when it objects, or asks something new', () => {
    for (const terminal of ['inform', 'agree', 'refuse', 'done']) {
      for (const act of ['refuse', 'query', 'request', 'propose']) {
        expect(reply(act, terminal), `${act} to ${terminal}`).toBe('delivered');
      }
    }
  });
  it('passes when it answers what was asked, the person, or is the person’s own', () => {
    expect(reply('done', 'request')).toBe('delivered');
    expect(reply('inform', 'inform', 'human')).toBe('delivered');
    expect(reply('inform', 'inform', 'god', 'human')).toBe('delivered');
  });
  it('passes after one’s own letter', () => {
    const bench = new RoutingBench();
    const agreed = bench.send('coder', { act: 'agree', body: 'x', to: 'planner' });
    const done = { to: 'planner', act: 'done', body: 'x', in_reply_to: agreed.id };
    expect(bench.send('coder', done).row).toMatchObject({ code: 'delivered', hops: 0 });
  });
  it('passes when nothing is named: only an explicit reply is one', () => {
    const bench = new RoutingBench();
    bench.send('planner', { act: 'inform', body: 'x', to: 'coder', conversation: 'c' });
    const letter = { act: 'inform', body: 'x', to: 'planner', conversation: 'c' };
    expect(bench.send('coder', letter).row.code).toBe('delivered');
  });
});

describe('a broadcast in reply to a broadcast', () => {
  it('is refused, and a letter to its sender or a list of names is not', () => {
    const bench = new RoutingBench();
    const call = bench.send('planner', { act: 'query', body: 'x', to: 'broadcast' });
    const reply = { act: 'inform', body: 'x', in_reply_to: call.id };
    expect(bench.send('coder', { ...reply, to: 'all' }).row.code).toBe('broadcast-reply');
    expect(bench.send('coder', { ...reply, to: ['planner', '*'] }).row.code).toBe(
      'broadcast-reply',
    );
    expect(bench.send('coder', reply).copies).toMatchObject([{ to: 'planner' }]);
    expect(bench.send('tester', { ...reply, to: ['planner', 'coder'] }).row.code).toBe('delivered');
    expect(bench.send('human', { ...reply, to: 'all' }).row.code).toBe('delivered');
  });
});

describe('a letter to the router', () => {
  it('is refused', () => {
    const bench = new RoutingBench();
    const { row } = bench.send('coder', { ...LETTER, to: 'system' });
    expect(row).toMatchObject({ outcome: 'refused', code: 'reply-to-system' });
  });
  it('and to others reaches the others', () => {
    const bench = new RoutingBench();
    const { row, copies } = bench.send('coder', { ...LETTER, to: ['system', 'tester'] });
    expect(row).toMatchObject({ code: 'partial', failed: { system: 'reply-to-system' } });
    expect(copies.map(({ to }) => to)).toEqual(['tester']);
  });
});

describe('the row of a letter', () => {
  it('names the recipients as resolved, also of a letter that was refused', () => {
    const bench = new RoutingBench();
    const first = bench.send('planner', { act: 'inform', body: 'x', to: 'coder' });
    expect(bench.send('coder', { act: 'inform', body: 'x', in_reply_to: first.id }).row.to).toEqual(
      ['planner'],
    );
    expect(bench.send('coder', { ...LETTER, to: ['PLANNER', 'x/y'] }).row).toMatchObject({
      to: ['planner', 'x/y'],
      delivered: ['planner'],
      failed: { 'x/y': 'unknown-recipient' },
    });
  });
  it('holds no body, and the subject cut and redacted', () => {
    const bench = new RoutingBench();
    const key = `sk-ant-api03-${'a1B2'.repeat(20)}`;
    const subject = `Use ${key} now ${'long '.repeat(100)}`;
    const { row } = bench.send('planner', { ...LETTER, to: 'coder', subject, body: 'SECRET-BODY' });
    expect(row.subject?.length).toBeLessThanOrEqual(300);
    expect(JSON.stringify(row)).not.toMatch(/SECRET-BODY|a1B2a1B2/);
  });
});
