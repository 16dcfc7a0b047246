import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ACTS } from '../../src/protocol/acts.ts';
import type { HiveEvent } from '../../src/protocol/event.ts';
import { OUTCOME_OF, type OutcomeCode } from '../../src/protocol/outcomes.ts';
import type { PlannedBatch } from '../../src/routing/plan.ts';
import { planBatch } from '../../src/routing/plan-batch.ts';
import { RoutingBench, type Written } from '../helpers/routing-bench.ts';

const AGENTS = [
  'god',
  'planner',
  { id: 'coder', role: 'dev' },
  { id: 'tester', role: 'dev', name: 'Ada' },
  { id: 'old', archived: true },
  { id: 'away', onHold: true, name: 'Ada' },
  { id: 'cron', sendOnly: true },
];
const LIVE = ['god', 'planner', 'coder', 'tester', 'old', 'away', 'cron', 'human'];

const address = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...LIVE) },
  fc.constantFrom(
    'broadcast',
    'all',
    'orchestrator',
    'role:dev',
    'role:x',
    'system',
    'Ada',
    'CODER',
  ),
  fc.constantFrom('coder/../god', '__proto__', 'nobody', '', ' ', 'a,b', 7, null),
);
const written: fc.Arbitrary<Written> = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.record(
      {
        to: fc.oneof(address, fc.array(address, { maxLength: 5 })),
        act: fc.constantFrom<unknown>(...ACTS, 'yell'),
        body: fc.constantFrom('x', 'y'),
        subject: fc.string({ maxLength: 8 }),
        conversation: fc.constantFrom('c', 'd', 'not a name'),
        // Replaced by the id of an earlier letter or notice, where there is one.
        in_reply_to: fc.nat(200),
      },
      { requiredKeys: ['act', 'body'] },
    ),
  },
  fc.constantFrom<Written>('{"to": "god", "act": yell}', '[]', '', '{}'),
);
const letters = fc.array(fc.tuple(fc.constantFrom(...LIVE), written), { maxLength: 12 });
const batches = fc.array(letters, { maxLength: 8 });

/** Routes batches, each reply naming one of the ids that there are by then. */
function routed(
  given: readonly (readonly (readonly [string, Written])[])[],
  bench: RoutingBench,
): PlannedBatch[] {
  return given.map((batch) => {
    const ids = bench.rows.flatMap(({ id }) => id ?? []);
    const claims = batch.map(([sender, letter]) => {
      if (typeof letter === 'string' || letter.in_reply_to === undefined)
        return bench.claim(sender, letter);
      const named = ids[Number(letter.in_reply_to) % (ids.length + 1)] ?? 'unknown';
      return bench.claim(sender, { ...letter, in_reply_to: named });
    });
    bench.wait(1000);
    return bench.plan({ claims });
  });
}

function forAnyMail(check: (planned: PlannedBatch, bench: RoutingBench) => void): void {
  const rules = fc.constantFrom(
    {},
    { hopCap: 1, pairTurns: 2, conversationCopies: 9, broadcasts: 1 },
  );
  fc.assert(
    fc.property(batches, rules, (given, more) => {
      const bench = new RoutingBench({ agents: AGENTS, rules: more });
      for (const planned of routed(given, bench)) check(planned, bench);
    }),
    { numRuns: 40 },
  );
}

const letterRows = ({ plan }: PlannedBatch): HiveEvent[] =>
  plan.rows.filter(({ kind }) => kind === 'letter');

describe('the plan of a batch, for any mail', () => {
  it('gives each letter one row, one outcome that its code belongs to, and one place in the archive', () => {
    forAnyMail((planned) => {
      const rows = letterRows(planned);
      const { moves } = planned.plan;
      expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
      expect(moves.map(({ from }) => from)).toEqual(rows.map(() => 'claim'));
      expect(new Set(moves.map((move) => 'as' in move && move.as)).size).toBe(rows.length);
      for (const [place, { code, outcome, id, from }] of rows.entries()) {
        expect(outcome).toBe(OUTCOME_OF[code as OutcomeCode]);
        expect(moves[place]).toMatchObject({
          agent: from,
          name: expect.stringContaining(`${id}~`),
        });
      }
    });
  });
  it('makes copies only for agents of the roster and the desk, each under a name of its own', () => {
    forAnyMail(({ plan, contents }, { roster }) => {
      const names = plan.copies.map(({ name }) => name);
      expect(new Set(names).size).toBe(names.length);
      expect([...contents.keys()].sort()).toEqual([...names].sort());
      for (const { name, id, to, place } of plan.copies) {
        expect(roster.agents.has(to) || to === 'human', to).toBe(true);
        expect(
          roster.agents.get(to)?.sendOnly === true && !contents.get(name)?.includes('"system"'),
        ).toBe(false);
        expect(name).toBe(`${id}~${to}~${place}`);
        const message = JSON.parse(contents.get(name) ?? '');
        expect(message).toMatchObject({ id, to });
        expect(message.held === undefined).toBe(place === 'inbox');
      }
    });
  });
  it('lists in each row exactly the copies that there are', () => {
    forAnyMail(({ plan }) => {
      for (const row of plan.rows) {
        for (const [place, listed] of [
          ['inbox', row.delivered],
          ['held', row.held],
        ] as const) {
          const made = plan.copies.filter((copy) => copy.id === row.id && copy.place === place);
          expect(made.map(({ to }) => to)).toEqual(listed ?? []);
        }
        for (const to of [...(row.delivered ?? []), ...(row.held ?? [])])
          expect(row.to).toContain(to);
      }
    });
  });
  it('never gives a letter back to its sender, and never forges one', () => {
    forAnyMail((planned) => {
      const senders = new Map(letterRows(planned).map(({ id, from }) => [id, from]));
      for (const { name, id, to } of planned.plan.copies) {
        const { from } = JSON.parse(planned.contents.get(name) ?? '');
        expect(from).toBe(senders.get(id) ?? 'system');
        expect(from).not.toBe(to);
      }
    });
  });
  it('tells each sender at most once, and never of nothing', () => {
    forAnyMail((planned) => {
      const notices = planned.plan.rows.filter(({ kind, hops }) => kind === 'notice' && hops !== 0);
      const told = notices.map(({ to }) => to?.[0]);
      expect(new Set(told).size).toBe(told.length);
      const failing = letterRows(planned).filter(
        ({ outcome, to }) => outcome !== 'delivered' || to?.includes('old'),
      );
      for (const agent of told) expect(failing.map(({ from }) => from)).toContain(agent);
    });
  });
});

describe('a batch that could not be committed', () => {
  it('is decided again in the same way after a rollback', () => {
    fc.assert(
      fc.property(batches, letters, (given, next) => {
        const bench = new RoutingBench({ agents: AGENTS });
        routed(given, bench);
        const claims = next.map(([sender, letter]) => bench.claim(sender, letter));
        const inputs = { claims, deferred: [], releases: [], escalations: [], strays: [] };
        const decide = () => {
          let issued = 0;
          const nextId = () =>
            `${claims[0]?.id.slice(0, -8)}${String((issued += 1)).padStart(8, '0')}`;
          const context = { ...bench.context(), batch: nextId(), nextId, logSeq: 0 } as never;
          const { plan, contents } = planBatch(inputs, context);
          bench.memory.rollback();
          return { plan, contents: [...contents] };
        };
        if (claims.length > 0) expect(decide()).toEqual(decide());
      }),
    );
  });
});

describe('the letters of one batch', () => {
  it('see those before them, as if each had come alone', () => {
    const bench = new RoutingBench();
    const asked = bench.claim('planner', { to: 'coder', act: 'request', body: 'x' });
    const reply = bench.claim('coder', { act: 'done', body: 'x', in_reply_to: asked.id });
    const thanks = bench.claim('planner', { act: 'inform', body: 'x', in_reply_to: reply.id });
    const { plan } = bench.plan({ claims: [asked, reply, thanks] });
    const rows = plan.rows.filter(({ kind }) => kind === 'letter');
    expect(rows.map(({ code, hops }) => [code, hops])).toEqual([
      ['delivered', 0],
      ['delivered', 1],
      ['reply-to-terminal', 2],
    ]);
  });
});
