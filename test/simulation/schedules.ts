import fc from 'fast-check';
import type { HiveFs } from '../../src/hive/hive-fs.ts';
import { checkRest } from './check-rest.ts';
import type { Stretch } from './replay.ts';
import { AGENTS, makeWorld, type World } from './world.ts';

/** One thing that happens in the world. */
export type Event =
  | { what: 'write'; agent: string; to: string | string[]; act: string; form: Form; reply: boolean }
  | { what: 'handle'; agent: string; handling: 'ack' | 'delete' }
  | { what: 'pass'; passes: number }
  | { what: 'stop at'; changes: number; torn?: Stretch['torn']; fate: 'dies' | 'waits' }
  | { what: 'fault'; at: number; code: string; when: 'before' | 'after' }
  | { what: 'another router' }
  | { what: 'older goes on'; changes: number; inFlight: boolean }
  | { what: 'clean stop' }
  | { what: 'clock'; byMs: number }
  | { what: 'roster'; agent: string; fields: { archived?: boolean; onHold?: boolean } }
  | { what: 'newcomer' }
  | { what: 'inbox'; agent: string; broken: boolean }
  | { what: 'sent away'; agent: string };

type Form = 'whole' | 'comma' | 'cut' | 'no json';

const FORMS: Record<Form, (text: string) => string> = {
  whole: (text) => text,
  comma: (text) => `${text.slice(0, -1)},}`,
  cut: (text) => text.slice(0, -9),
  'no json': (text) => `Dear all, ${text.replaceAll('"', '')}`,
};

const MOST_ROUTERS = 3;
const DAY_MS = 86_400_000;
const agent = fc.constantFrom(...AGENTS);
const what = <Name extends string>(name: Name) => fc.constant(name);

/** How many changes a router makes before it is stopped: a pass with a few letters makes about 40. */
const changes = fc.integer({ min: 0, max: 90 });

const letter = fc.record({
  what: what('write'),
  agent,
  to: fc.oneof(
    { weight: 5, arbitrary: agent as fc.Arbitrary<string | string[]> },
    { weight: 2, arbitrary: fc.uniqueArray(agent, { minLength: 2, maxLength: 3 }) },
    { weight: 1, arbitrary: fc.constantFrom('all', 'late', 'nobody', 'human', 'orchestrator') },
  ),
  act: fc.constantFrom('request', 'inform', 'query', 'done'),
  form: fc.oneof(
    { weight: 8, arbitrary: what('whole') },
    fc.constantFrom('comma' as const, 'cut' as const, 'no json' as const),
  ),
  reply: fc.boolean(),
});

const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 8, arbitrary: letter as fc.Arbitrary<Event> },
  {
    weight: 5,
    arbitrary: fc.record({
      what: what('stop at'),
      changes,
      torn: fc.constantFrom(undefined, 'half' as const),
      fate: fc.constantFrom('dies' as const, 'waits' as const),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ what: what('pass'), passes: fc.integer({ min: 1, max: 2 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      what: what('handle'),
      agent,
      handling: fc.constantFrom('ack' as const, 'delete' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ what: what('another router') }) },
  {
    weight: 2,
    arbitrary: fc.record({ what: what('older goes on'), changes, inFlight: fc.boolean() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      what: what('fault'),
      at: fc.integer({ min: 1, max: 60 }),
      code: fc.constantFrom('EIO', 'ENOSPC', 'EACCES'),
      when: fc.constantFrom('before' as const, 'after' as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      what: what('roster'),
      agent: fc.constantFrom('coder', 'tester', 'planner'),
      fields: fc.constantFrom(
        { archived: true },
        { archived: false },
        { onHold: true },
        { onHold: false },
      ),
    }),
  },
  { weight: 3, arbitrary: fc.record({ what: what('inbox'), agent, broken: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ what: what('sent away'), agent }) },
  { weight: 1, arbitrary: fc.record({ what: what('newcomer') }) },
  { weight: 1, arbitrary: fc.record({ what: what('clean stop') }) },
  {
    weight: 1,
    arbitrary: fc.record({ what: what('clock'), byMs: fc.constantFrom(DAY_MS, -DAY_MS / 24) }),
  },
);

/** Schedules: what happens, in order. */
export const schedule = fc.array(event, { minLength: 2, maxLength: 24, size: 'max' });

/** How many schedules came to what is rare. */
export interface Reached {
  /** A log with a line that a crash had torn. */
  tornRows: number;
  /** A copy given up, with a notice to its sender. */
  expiries: number;
  /** A copy delivered late in a hive that had three routers at once. */
  redeliveriesAmongThree: number;
}

/**
 * Lets a schedule happen, and everything come to rest.
 * @param rewrite - makes the protocol another one
 * @param reached - counts what it came to
 * @returns what is wrong then
 */
export async function play(
  events: readonly Event[],
  rewrite?: (fs: HiveFs) => HiveFs,
  reached?: Reached,
): Promise<string[]> {
  const world = await makeWorld(rewrite);
  for (const each of events) await happen(each, world);
  await world.rest();
  if (reached !== undefined) countReached(world, reached);
  return checkRest(world);
}

function countReached(world: World, reached: Reached): void {
  const lines = (world.files.text(world.layout.log) ?? '').split('\n');
  const has = (text: string) => lines.some((line) => line.includes(text));
  if (lines.some((line) => line !== '' && !line.endsWith('}'))) reached.tornRows += 1;
  if (has('"kind":"expired"') && has('"code":"undeliverable"')) reached.expiries += 1;
  if (has('"kind":"late"') && world.mostRouters >= MOST_ROUTERS)
    reached.redeliveriesAmongThree += 1;
}

type Routing = Extract<
  Event,
  { what: 'pass' | 'stop at' | 'fault' | 'another router' | 'older goes on' | 'clean stop' }
>;

const ROUTING = new Set<Event['what']>([
  ...(['pass', 'stop at', 'fault'] as const),
  ...(['another router', 'older goes on', 'clean stop'] as const),
]);

function isRouting(event: Event): event is Routing {
  return ROUTING.has(event.what);
}

async function happen(event: Event, world: World): Promise<void> {
  if (isRouting(event)) return await route(event, world);
  switch (event.what) {
    case 'write':
      return write(event, world);
    case 'handle':
      return world.handle(event.agent, event.handling);
    case 'clock':
      return world.setClock(event.byMs);
    case 'roster':
      return world.setAgent(event.agent, event.fields);
    case 'newcomer':
      return world.setAgent('late', { name: 'late' });
    case 'inbox':
      return event.broken ? world.breakInbox(event.agent) : world.mendInbox(event.agent);
    case 'sent away':
      return world.loseSent(event.agent);
  }
}

async function route(event: Routing, world: World): Promise<void> {
  switch (event.what) {
    case 'pass':
      return await world.run(world.newest(), { passes: event.passes });
    case 'stop at':
      return await stopAt(event, world);
    case 'fault': {
      const { at, code, when } = event;
      return await world.run(world.newest(), { passes: 1, fault: { at, code, when } });
    }
    case 'another router':
      if (world.routers.length < MOST_ROUTERS) world.spawn();
      return;
    case 'older goes on': {
      const [older] = world.routers;
      const { changes: most, inFlight } = event;
      if (older !== undefined) await world.run(older, { passes: 2, changes: most, inFlight });
      return;
    }
    case 'clean stop': {
      const router = world.newest();
      await router.stop();
      if (router.standing === 'ended') world.drop(router);
      return;
    }
  }
}

async function stopAt(event: Extract<Event, { what: 'stop at' }>, world: World): Promise<void> {
  const router = world.newest();
  const { changes: most, fate, torn } = event;
  const dies = fate === 'dies';
  await world.run(router, { passes: 2, changes: most, torn: dies ? torn : undefined });
  if (dies) world.drop(router);
  else if (world.routers.length < MOST_ROUTERS) world.spawn();
}

function write(event: Extract<Event, { what: 'write' }>, world: World): void {
  const { agent: from, to, act, form, reply } = event;
  const last = world.seenBy(from).at(-1);
  const parent = reply && last !== undefined ? { in_reply_to: last.id } : {};
  world.write(from, { to, act, ...parent }, FORMS[form]);
}
