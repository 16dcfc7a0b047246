import { describe, expect, it } from 'vitest';
import { readRows, rowKey } from '../../src/log/rows.ts';
import { type Fault, failWhere } from '../helpers/faulty-fs.ts';
import { event, LOG, makeLog, SEGMENTS } from './log-scene.ts';

const LONG = 'x'.repeat(1000);

describe('appending', () => {
  it('writes one line for each row, numbered, timed and with the epoch', async () => {
    const { open, lines, rows } = makeLog();
    const log = open(7);
    const written = await log.append([event('a'), event('b')]);
    expect(rows()).toEqual(written);
    expect(written).toMatchObject([
      { seq: 1, ts: '2026-11-30T12:00:00.000Z', epoch: 7, id: 'a' },
      { seq: 2, id: 'b' },
    ]);
    expect(lines()).toHaveLength(2);
    log.close();
  });
  it('takes one append for all rows of a call, and none for no rows', async () => {
    const { fs, open } = makeLog();
    const log = open();
    await log.append([event('a'), event('b'), event('c')]);
    await log.append([]);
    expect(fs.operations.filter(({ kind }) => kind === 'append')).toHaveLength(1);
    log.close();
  });
  it('escapes what could steer a terminal, and keeps it readable', async () => {
    const { open, lines, rows } = makeLog();
    const log = open();
    await log.append([event('a', { subject: '\u001b[31m\u009b\u202e' })]);
    expect(lines()[0]).toContain('\\u001b[31m\\u009b\\u202e');
    expect(rows()[0]?.subject).toBe('\u001b[31m\u009b\u202e');
    log.close();
  });
  it('counts on over a restart, also when the clock went back', async () => {
    const { open, rows, time } = makeLog();
    const first = open(1);
    await first.append([event('a'), event('b')]);
    first.close();
    time.now -= 3_600_000;
    const second = open(2);
    expect(second.seq).toBe(2);
    await second.append([event('c')]);
    second.close();
    expect(rows().map(({ seq, epoch }) => [seq, epoch])).toEqual([
      [1, 1],
      [2, 1],
      [3, 2],
    ]);
  });
  it('counts on after a last row that is longer than any stretch it reads', async () => {
    const { open } = makeLog();
    const first = open();
    const to = Array.from({ length: 400 }, (_, n) => `${n}-${LONG}`);
    await first.append([event('a'), event('b', { to })]);
    first.close();
    const second = open();
    expect(second.seq).toBe(2);
    second.close();
  });
});

describe('a torn last line', () => {
  it('never swallows the next row', async () => {
    const { files, open, lines, rows } = makeLog();
    files.write(LOG, '{"seq":1,"ts":"t","kind":"letter","id":"a"}\n{"seq":2,"ts":"t","ki');
    const log = open();
    await log.append([event('b')]);
    await log.append([event('c')]);
    log.close();
    expect(lines()).toHaveLength(4);
    expect(rows().map(({ id }) => id)).toEqual(['a', 'b', 'c']);
  });
  it('is seen also when it comes while the log is open', async () => {
    const { files, open, rows } = makeLog();
    const log = open();
    await log.append([event('a')]);
    files.write(LOG, `${files.text(LOG)}scribbled`);
    await log.append([event('b')]);
    log.close();
    expect(rows().map(({ id }) => id)).toEqual(['a', 'b']);
  });
  it('costs no read when the log is as this router left it', async () => {
    const { fs, open } = makeLog();
    const log = open();
    await log.append([event('a')]);
    fs.restart();
    await log.append([event('b')]);
    expect(fs.operations.filter(({ kind }) => kind === 'read')).toEqual([]);
    log.close();
  });
});

describe('an append that fails', () => {
  it.each(['before', 'torn', 'after'] as const)(
    'is cut back, and a second try writes each row once: %s',
    async (when) => {
      const { fs, open, lines, rows } = makeLog();
      const log = open();
      await log.append([event('a')]);
      fs.plan = ({ kind }) => (kind === 'append' ? { code: 'ENOSPC', when } : undefined);
      await expect(log.append([event('b'), event('c')])).rejects.toThrow('ENOSPC');
      expect(lines()).toHaveLength(1);
      expect(log.seq).toBe(1);
      fs.plan = undefined;
      await log.append([event('b'), event('c')]);
      log.close();
      expect(rows().map(({ id, seq }) => `${id}${seq}`)).toEqual(['a1', 'b2', 'c3']);
    },
  );
  it('at its sync is tried again in a new file, and the old one keeps what was synced', async () => {
    const { fs, files, open, rows } = makeLog();
    const log = open();
    await log.append([event('a')]);
    const before = fs.stat(LOG)?.inode;
    const failing: Fault = { code: 'EIO', when: 'after', syscall: 'fsync' };
    fs.plan = ({ kind }) => (kind === 'append' ? failing : undefined);
    for (let tries = 0; tries < 3; tries++) {
      await expect(log.append([event('b')])).rejects.toThrow('EIO');
    }
    fs.plan = undefined;
    await log.append([event('b')]);
    log.close();
    expect(fs.stat(LOG)?.inode).not.toBe(before);
    expect(rows().map(({ id, seq }) => `${id}${seq}`)).toEqual(['b2']);
    // One for the file that was left, not one for each try.
    expect(files.list(SEGMENTS)).toHaveLength(1);
    expect(readRows(fs, `${SEGMENTS}/${files.list(SEGMENTS)[0]}`, 0, 10_000).rows).toMatchObject([
      { id: 'a', seq: 1 },
    ]);
  });

  it('leaves whole lines at worst, when even cutting back fails', async () => {
    const { fs, open, rows } = makeLog();
    const log = open();
    fs.plan = ({ kind }) => {
      if (kind === 'append') return { code: 'EIO', when: 'torn' };
      return kind === 'truncate' ? { code: 'EIO', when: 'before' } : undefined;
    };
    await expect(log.append([event('a'), event('b')])).rejects.toThrow('EIO');
    fs.plan = undefined;
    const written = log.keysAfter(0);
    await log.append([event('a'), event('b')].filter((row) => !written.has(rowKey(row))));
    log.close();
    expect(new Set(rows().map(({ id }) => id))).toEqual(new Set(['a', 'b']));
    expect(rows()).toHaveLength(2);
  });
});

describe('a log file that is taken away', () => {
  it.each(['deleted', 'replaced'])('is begun anew: %s', async (what) => {
    const { files, open, rows } = makeLog();
    const log = open();
    await log.append([event('a')]);
    files.rename(LOG, '/hive/old.jsonl');
    if (what === 'replaced') files.write(LOG, '{"note":"mine"}');
    await log.append([event('b')]);
    log.close();
    expect(rows().filter(({ seq }) => seq !== undefined)).toMatchObject([{ seq: 2, id: 'b' }]);
    expect(files.text('/hive/old.jsonl')).not.toContain('"b"');
  });
  it('does not lame the log for good when it can not be begun anew at first', async () => {
    const { files, fs, open, rows } = makeLog();
    const log = open();
    await log.append([event('a')]);
    files.unlink(LOG);
    fs.plan = failWhere(({ kind }) => kind === 'openAppend', 'EMFILE');
    await expect(log.append([event('b')])).rejects.toThrow('EMFILE');
    await expect(log.append([event('b')])).rejects.toThrow('EMFILE');
    fs.plan = undefined;
    await log.append([event('b')]);
    log.close();
    expect(rows().map(({ id }) => id)).toEqual(['b']);
  });
});

describe('the keys after a row', () => {
  it('are those of all later rows, and of no earlier one', async () => {
    const { open } = makeLog();
    const log = open();
    await log.append([event('a'), event('b'), event('c', { kind: 'notice', to: ['x', 'y'] })]);
    const later = [event('b'), event('c', { kind: 'notice', to: ['x', 'y'] })];
    expect(log.keysAfter(1)).toEqual(new Set(later.map(rowKey)));
    expect(log.keysAfter(3)).toEqual(new Set());
    log.close();
  });
  it('are all found in a log of many megabytes, whose end alone is read', async () => {
    const { fs, open } = makeLog();
    const log = open();
    const rows = Array.from({ length: 6000 }, (_, n) => event(`id-${n}`, { subject: LONG }));
    await log.append(rows);
    for (const after of [0, 10, 2999, 5990, 5999]) {
      const keys = log.keysAfter(after);
      expect(keys.size).toBe(6000 - after);
      expect(keys.has(rowKey(event(`id-${after}`)))).toBe(true);
    }
    fs.restart();
    log.keysAfter(5990);
    // The last byte, and one stretch of the end.
    expect(fs.operations.filter(({ kind }) => kind === 'read')).toHaveLength(2);
    log.close();
  });
  it('are all found among rows that are longer than a stretch', async () => {
    const { open } = makeLog();
    const log = open();
    const long = Array.from({ length: 2500 }, (_, n) => `${n}-${LONG}`);
    const ids = ['a', 'b', 'c', 'd', 'e'];
    const rows = ids.map((id) => event(id, id === 'b' || id === 'd' ? { to: long } : {}));
    await log.append(rows);
    expect(log.keysAfter(0)).toEqual(new Set(rows.map(rowKey)));
    expect(log.keysAfter(1)).toEqual(new Set(rows.slice(1).map(rowKey)));
    log.close();
  });
  it('are found beside torn lines', async () => {
    const { files, open } = makeLog();
    const log = open();
    await log.append([event('a')]);
    files.write(LOG, `${files.text(LOG)}{"seq":2,"torn\n`);
    await log.append([event('b')]);
    files.write(LOG, `${files.text(LOG)}{"seq":3`);
    expect(log.keysAfter(0)).toEqual(new Set([event('a'), event('b')].map(rowKey)));
    log.close();
  });
  it('are none of a missing log, and rows written then still come after', async () => {
    const { files, open, rows } = makeLog();
    const log = open();
    files.unlink(LOG);
    expect(log.keysAfter(5000)).toEqual(new Set());
    await log.append([event('a')]);
    expect(rows()).toMatchObject([{ seq: 5001 }]);
    expect(log.keysAfter(5000).size).toBe(1);
    log.close();
  });
});
