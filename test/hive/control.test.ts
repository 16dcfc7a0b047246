import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  answerRequest,
  listRequests,
  putRequest,
  takeResult,
  withdrawRequest,
} from '../../src/hive/control.ts';
import { layoutOf } from '../../src/hive/layout.ts';
import { createNodeFs } from '../../src/hive/node-fs.ts';
import { tempDir } from '../helpers/temp-dir.ts';

const fs = createNodeFs();

function hive() {
  const layout = layoutOf(tempDir());
  mkdirSync(layout.control, { recursive: true });
  return layout;
}

describe('control requests', () => {
  it('are listed in the order they were put, answered once and taken away', async () => {
    const layout = hive();
    const second = await putRequest(fs, layout, { kind: 'release', id: 'b' }, 2000);
    const first = await putRequest(fs, layout, { kind: 'release', id: 'a' }, 1000);
    const requests = listRequests(fs, layout);
    expect(requests.map(({ request }) => request)).toEqual([
      { kind: 'release', id: 'a' },
      { kind: 'release', id: 'b' },
    ]);
    expect(takeResult(fs, layout, first)).toBeUndefined();
    for (const { name } of requests)
      await answerRequest(fs, layout, name, { ok: true, said: name });
    expect(takeResult(fs, layout, first)).toMatchObject({ ok: true });
    expect(takeResult(fs, layout, second)).toMatchObject({ ok: true });
    expect(readdirSync(layout.control)).toEqual([]);
  });

  it('are nothing known when a file holds none', () => {
    const layout = hive();
    for (const text of ['{', '{"kind":"release"}', '{"kind":"shell","command":"rm"}']) {
      writeFileSync(join(layout.control, '1.request.json'), text);
      expect(listRequests(fs, layout)).toEqual([{ name: '1.request.json', request: undefined }]);
    }
  });

  it('can be taken back until the router has them', async () => {
    const layout = hive();
    const name = await putRequest(fs, layout, { kind: 'release', id: 'a' }, 1);
    expect(withdrawRequest(fs, layout, name)).toBe(true);
    expect(withdrawRequest(fs, layout, name)).toBe(false);
    expect(listRequests(fs, layout)).toEqual([]);
  });
});
