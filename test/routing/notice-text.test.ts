import { describe, expect, it } from 'vitest';
import { explainStray } from '../../src/routing/notice-text.ts';
import { type BenchOptions, RoutingBench, type Written } from '../helpers/routing-bench.ts';

const LETTER = { act: 'request', subject: 'Split', body: 'In two.' };
const AGENTS: NonNullable<BenchOptions['agents']> = [
  'god',
  { id: 'planner', name: 'Ada' },
  'coder',
  { id: 'old', archived: true },
  { id: 'away', onHold: true },
  { id: 'cron', sendOnly: true },
  { id: 'ada-2', name: 'Ada' },
];

/** The text that coder reads about a letter, with its id as ID. */
function told(written: Written, bench = new RoutingBench({ agents: AGENTS })): string {
  const { id, notices } = bench.send('coder', written);
  const mine = notices.find(({ to }) => to === 'coder');
  return (mine?.body ?? '').replaceAll(id, 'ID');
}

const ARCHIVED = (prefix: string) => `Its text is in outbox/.sent/${prefix}-ID.task.json.`;

describe('what a sender is told', () => {
  it('of a name that nobody has: which was meant, and where the text lies', () => {
    expect(told({ ...LETTER, to: ['planer', 'god'] })).toBe(
      [
        'Your letter task.json (ID) reached only some of its recipients: partial.',
        '"planer": no agent has this id or name (registry.json lists them). Write the letter again with the right one. Did you mean planner?',
        'god: delivered.',
      ].join('\n'),
    );
    expect(told({ ...LETTER, to: 'planer' })).toBe(
      [
        'Your letter task.json (ID) was not delivered: unknown-recipient.',
        '"planer": no agent has this id or name (registry.json lists them). Write the letter again with the right one. Did you mean planner?',
        ARCHIVED('bounced'),
      ].join('\n'),
    );
  });
  it('of a name that several have: their ids', () => {
    expect(told({ ...LETTER, to: 'ada' })).toContain(
      '"ada": several agents have this name. Write the letter again with an id. Did you mean planner, ada-2?',
    );
  });
  it('of three names that nobody has: each of them', () => {
    const text = told({ ...LETTER, to: ['x1', 'x2', 'x3'] });
    for (const name of ['"x1": ', '"x2": ', '"x3": ']) expect(text).toContain(name);
  });
  it('of an agent that is archived, on hold, or only sends: what comes of it', () => {
    expect(told({ ...LETTER, to: 'old' })).toBe(
      [
        'Your letter task.json (ID) was filed where nobody works now: filed.',
        'old: archived; nobody works there now. It lies in the inbox; ask someone else if you need an answer.',
      ].join('\n'),
    );
    expect(told({ ...LETTER, to: 'old, god' })).toMatch(
      /^Your .* was delivered, but in part only filed: filed\.\n/,
    );
    expect(told({ ...LETTER, to: 'away' })).toBe(
      [
        'Your letter task.json (ID) is held and not delivered: on-hold.',
        'away: on hold. It is delivered when the hold ends. Nothing to do; do not send it again.',
      ].join('\n'),
    );
    expect(told({ ...LETTER, to: 'cron' })).toContain(
      '"cron": this agent only sends and reads no mail.',
    );
  });
  it('of a letter to itself, to the router, to nobody there', () => {
    expect(told({ ...LETTER, to: 'coder' })).toContain('"coder": that is you.');
    expect(told({ ...LETTER, to: 'system' })).toContain(
      'nobody reads answers to them. Nothing to do.',
    );
    const alone = new RoutingBench({ agents: ['coder'], orchestrator: undefined });
    expect(told({ ...LETTER, to: 'all' }, alone)).toContain(
      '"all": no other agent gets mail there now.',
    );
    expect(told({ ...LETTER, to: 'orchestrator' }, alone)).toContain('Did you mean human?');
  });
  it('of a letter without an address', () => {
    expect(told({ ...LETTER, in_reply_to: 'x' })).toContain(
      'It names no "to", and its "in_reply_to" is no message that you got.',
    );
    const text = told({ act: 'inform', body: 'x' });
    expect(text).toContain('names no recipient');
    expect(text.match(/in_reply_to/g)).toHaveLength(1);
  });
  it('of a fault in a field: the field and the way out, once', () => {
    const text = told({ ...LETTER, to: 'god', act: 'yell' });
    expect(text.split('\n')).toHaveLength(3);
    expect(text).toContain('Field "act": ');
    expect(text.match(/request, query/g)).toHaveLength(1);
    expect(text).toContain(ARCHIVED('refused'));
  });
  it('of a file that can not be read: line and column', () => {
    const text = told('{"to": "god",\n "act": yell}');
    expect(text).toMatch(
      /^Your letter task.json \(ID\) could not be read and was not delivered: not-json\./,
    );
    expect(text.match(/line 2, column 9/g)).toHaveLength(1);
    expect(text).toContain(ARCHIVED('bad'));
  });
});

describe('what a sender is told of a reply to a terminal letter', () => {
  const replyTo = (fields: object) => {
    const bench = new RoutingBench({ agents: AGENTS });
    const first = bench.send('planner', { act: 'done', body: 'x', to: 'coder' });
    const letter = { act: 'inform', subject: 'S', body: 'B', in_reply_to: first.id, ...fields };
    const { notices } = bench.send('coder', letter);
    const again = notices[0]?.body.match(/\{[\s\S]*\}/)?.[0] ?? '';
    return { bench, again, first };
  };
  it('holds the letter as a query, ready to be sent as it stands', () => {
    const { bench, again, first } = replyTo({});
    expect(JSON.parse(again)).toEqual({
      act: 'query',
      subject: 'S',
      body: 'B',
      in_reply_to: first.id,
    });
    expect(bench.send('coder', again).copies).toMatchObject([
      { to: 'planner', act: 'query', hops: 1 },
    ]);
  });
  it('keeps its address, conversation and date', () => {
    const { again } = replyTo({ to: 'planner', conversation: 'c', reply_by: 'Friday' });
    expect(JSON.parse(again)).toMatchObject({
      to: 'planner',
      conversation: 'c',
      reply_by: 'Friday',
    });
    expect(JSON.parse(replyTo({ to: ['planner', 'god'] }).again).to).toEqual(['planner', 'god']);
  });
  it('says where a long body lies instead of repeating it', () => {
    const { again } = replyTo({ body: 'long '.repeat(2000) });
    expect(JSON.parse(again).body).toMatch(
      /^\(the body of outbox\/\.sent\/refused-.*\.task\.json\)$/,
    );
  });
});

describe('what is told of a loop', () => {
  const loop = () => {
    const bench = new RoutingBench({ rules: { hopCap: 0 } });
    const asked = bench.send('planner', { ...LETTER, to: 'coder', conversation: 'c' });
    const held = bench.send('coder', { act: 'done', body: 'x', in_reply_to: asked.id });
    return { bench, id: held.id };
  };
  it('to the sender: to stop, whom to wait for, and how a person can release it', () => {
    const { bench, id } = loop();
    expect(bench.notices('coder')[0]?.body.split('\n').slice(1)).toEqual([
      'There were 1 hops, more than 0.',
      'Such a chain is most often a loop. Stop answering it. Do not send it again. If the work must go on, wait until you hear from god, who is told of the loop.',
      `A person can have it delivered: hivemail release ${id}`,
    ]);
  });
  it('to the orchestrator: who, with whom, in which conversation, and what to do', () => {
    const { bench, id } = loop();
    const text = bench.notices('god')[0]?.body ?? '';
    expect(text).toContain('A letter from coder to planner is held: hop-cap.');
    expect(text).toContain('in conversation c.');
    expect(text).toContain(`\nhivemail release ${id}`);
  });
});

describe('what is told of a file that is no letter', () => {
  it('names it so that it can be read on one line', () => {
    const text = explainStray({
      agent: 'coder' as never,
      name: 'a\n\u001b[31mb.txt',
      kind: 'name',
    });
    expect(text.split('\n')[0]).toContain('outbox/a\\n\\u001b[31mb.txt is not sent');
  });
  it('says what to do with it, by its kind', () => {
    const stray = { agent: 'coder' as never, name: 'x' };
    expect(explainStray({ ...stray, kind: 'directory' })).toContain('into outbox/ itself');
    expect(explainStray({ ...stray, kind: 'temporary' })).toContain('a name that ends in .json');
  });
});
