import { it, vi } from 'vitest';
import { happen, type Event } from './schedules.ts';
import { checkRest } from './check-rest.ts';
import { makeWorld } from './world.ts';
vi.mock('../../src/hive/random.ts', async () => {
  const { drawing } = await import('./drawing.ts');
  return { randomTail: () => drawing.random() };
});
it('x', async () => {
  const events = JSON.parse(`[{"what":"inbox","agent":"god","broken":true},{"what":"write","agent":"god","to":"god","act":"request","form":"whole","reply":false},{"what":"write","agent":"planner","to":["tester","god"],"act":"request","form":"whole","reply":false},{"what":"pass","passes":2},{"what":"clock","byMs":86400000},{"what":"fault","at":1,"code":"EIO","when":"before"},{"what":"pass","passes":1},{"what":"handle","agent":"god","handling":"ack"},{"what":"pass","passes":1}]`) as Event[];
  const world = await makeWorld();
  for (const e of events) { await happen(e, world); console.log(JSON.stringify(e), world.files.tree('/hive/.router').filter(p=>/deferred\/|owed\/|control\//.test(p)).join(' '), world.files.tree('/hive/held').join(' ')); }
  await world.rest();
  console.log(checkRest(world));
  console.log(world.files.text('/hive/log.jsonl'));
  console.log(world.files.tree('/hive/held'), world.files.tree('/hive/.router'));
}, 60000);
