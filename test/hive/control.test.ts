import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  answerRequest,
  expireResults,
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
    const requests = listRequests(fs, layout).pending;
    expect(requests.map(({ request }) => request)).toEqual([
      { kind: 'release', id: 'a' },
      { kind: 'release', id: 'b' },
    ]);
    expect(takeResult(fs, layout, first)).toBeUndefined();
    for (const pending of requests)
      await answerRequest(fs, layout, pending, { ok: true, said: pending.name });
    expect(takeResult(fs, layout, first)).toMatchObject({ ok: true });
    expect(takeResult(fs, layout, second)).toMatchObject({ ok: true });
    expect(readdirSync(layout.control)).toEqual([]);
  });

  it('are nothing known when a file holds none', () => {
    const layout = hive();
    for (const text of ['{', '{"kind":"release"}', '{"kind":"shell","command":"rm"}']) {
      writeFileSync(join(layout.control, '1.request.json'), text);
      expect(listRequests(fs, layout).pending).toEqual([
        { name: '1', taken: false, request: undefined },
      ]);
    }
  });

  it('can be taken back until the router has them', async () => {
    const layout = hive();
    const name = await putRequest(fs, layout, { kind: 'release', id: 'a' }, 1);
    expect(withdrawRequest(fs, layout, name)).toBe(true);
    expect(withdrawRequest(fs, layout, name)).toBe(false);
    expect(listRequests(fs, layout).pending).toEqual([]);
  });

  it('are read although others can not be, and what is no file is set aside', async () => {
    const layout = hive();
    const at = (name: string) => join(layout.control, name);
    mkdirSync(at('0.request.json'));
    symlinkSync('nowhere', at('1.request.json'));
    execFileSync('mkfifo', [at('2.request.json')]);
    writeFileSync(at('3.request.json'), '{"kind":"release","id":"a"}');
    writeFileSync(at('4.request.json'), '{"kind":"release","id":"b"}');
    const refusing = {
      ...fs,
      read: (path: string, most: number) => {
        if (!path.includes('/3.')) return fs.read(path, most);
        throw Object.assign(new Error('EACCES'), { code: 'EACCES' });
      },
    };
    const found = listRequests(refusing, layout);
    expect(found.pending.map(({ name }) => name)).toEqual(['4']);
    expect(found.trouble).toEqual([{ name: '3.request.json', code: 'EACCES' }]);
    expect(found.setAside).toEqual(['0.request.json', '1.request.json', '2.request.json']);
    expect(listRequests(refusing, layout).setAside).toEqual([]);
    expect(readdirSync(layout.control)).toContain('0.request.json.no-request');
  });
  it('that were answered a day ago and not asked after any more are forgotten', () => {
    const layout = hive();
    const day = 24 * 3_600_000;
    const result = (ms: number, tail: string) =>
      `${String(ms).padStart(15, '0')}-${tail}.result.json`;
    const names = [result(1000, 'old'), result(2000 + day, 'new'), `${day}.request.json`];
    for (const name of names) writeFileSync(join(layout.control, name), '{}');
    expireResults(fs, layout, 1001 + day);
    expect(readdirSync(layout.control).sort()).toEqual(names.slice(1).sort());
    for (let n = 0; n < 1010; n++)
      writeFileSync(join(layout.control, result(3000 + day + n, 'x')), '{}');
    expireResults(fs, layout, 1001 + day);
    const left = readdirSync(layout.control).filter((name) => name.endsWith('.result.json'));
    expect(left).toHaveLength(1000);
    expect(left).not.toContain(names[1]);
  });
});
