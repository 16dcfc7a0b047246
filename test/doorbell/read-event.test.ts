import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type DoorbellEvent, leaveEvent } from '../../src/doorbell/events.ts';
import { parseEvent, parseEventName } from '../../src/doorbell/read-event.ts';
import { randomTail } from '../../src/index.ts';
import { tempDir } from '../helpers/temp-dir.ts';

const at = '2026-11-30T17:19:11.123Z';

it.each<DoorbellEvent>([
  {
    kind: 'announced',
    at,
    client: 'gemini',
    moment: 'turn-end',
    why: 'reminder',
    ids: ['a', 'b.c'],
  },
  { kind: 'needs-human', at, client: 'opencode', what: 'to allow bash' },
])('what a hook leaves is read as it was left: $kind', (event) => {
  const dir = join(tempDir(), '.doorbell', 'events');
  const name = `${Date.now()}-${randomTail()}`;
  leaveEvent(dir, name, event);
  const [file = '', ...more] = readdirSync(dir);
  expect(more).toEqual([]);
  expect(parseEventName(file)).toBe(name);
  expect(parseEvent(readFileSync(join(dir, file), 'utf8'))).toEqual(event);
  expect(statSync(dir).mode & 0o777).toBe(0o700);
  expect(statSync(join(dir, file)).mode & 0o777).toBe(0o600);
});

it('an id that is told of twice in one event is read once', () => {
  const event = {
    kind: 'announced',
    at,
    client: 'codex',
    moment: 'tool',
    why: 'new',
    ids: ['a', 'a'],
  };
  expect(parseEvent(JSON.stringify(event))).toMatchObject({ ids: ['a'] });
});
