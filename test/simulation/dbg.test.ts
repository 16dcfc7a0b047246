import { it, vi } from 'vitest';
import { happen, type Event } from './schedules.ts';
import { checkRest } from './check-rest.ts';
import { makeWorld } from './world.ts';
vi.mock('../../src/hive/random.ts', async () => {
  const { drawing } = await import('./drawing.ts');
  return { randomTail: () => drawing.random() };
});
it('x', async () => {
  const events = JSON.parse(`[{"what":"stop at","changes":8,"torn":false,"fate":"dies"},{"what":"stop at","changes":5,"torn":false,"fate":"waits"},{"what":"write","agent":"tester","to":"coder","act":"request","form":"whole","reply":false},{"what":"write","agent":"god","to":"tester","act":"request","form":"whole","reply":false},{"what":"stop at","changes":32,"torn":true,"fate":"dies"},{"what":"handle","agent":"god","handling":"ack"},{"what":"pass","passes":1}]`) as Event[];
  const world = await makeWorld();
  for (const e of events) { await happen(e, world); console.log(JSON.stringify(e), world.files.text('/hive/log.jsonl'), world.files.tree('/hive/.router').filter(p=>/\.router\/e|deferred\/|owed\/|control\//.test(p)).join(' ')); }
  await world.rest();
  console.log(checkRest(world));
  console.log(world.files.text('/hive/log.jsonl'));
}, 60000);
