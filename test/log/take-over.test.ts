import { describe, expect, it } from 'vitest';
import { takeOverLog } from '../../src/log/take-over.ts';
import { HivemailError } from '../../src/protocol/errors.ts';
import { failWhere } from '../helpers/faulty-fs.ts';
import { event, LOG, makeLog } from './log-scene.ts';

const COPY = '/hive/copy';

describe('taking the log over', () => {
  it('leaves a late writer with a file that has no name, and with no way to the new one', async () => {
    const { fs, open, rows } = makeLog();
    const late = open(1, () => {
      throw new HivemailError('fenced', 'taken over');
    });
    await late.append([event('a')]);
    await takeOverLog(fs, LOG, COPY);
    const own = open(2);
    await own.append([event('b')]);
    await expect(late.append([event('c')])).rejects.toMatchObject({ code: 'fenced' });
    expect(rows().map(({ id }) => id)).toEqual(['a', 'b']);
    late.close();
    own.close();
  });
  it('keeps whole lines alone', async () => {
    const { files, fs } = makeLog();
    files.write(LOG, '{"seq":1}\n{"seq":2');
    await takeOverLog(fs, LOG, COPY);
    expect(files.text(LOG)).toBe('{"seq":1}\n');
    files.write(LOG, 'torn');
    await takeOverLog(fs, LOG, COPY);
    expect(files.text(LOG)).toBe('');
  });
  it('ends a row that lacks only its line feed', async () => {
    const { files, fs } = makeLog();
    files.write(LOG, '{"seq":1,"ts":"t"}\n{"seq":2,"ts":"t"}');
    await takeOverLog(fs, LOG, COPY);
    expect(files.text(LOG)).toBe('{"seq":1,"ts":"t"}\n{"seq":2,"ts":"t"}\n');
  });
  it('is fenced when its place for the copy is gone', async () => {
    const { files, fs } = makeLog();
    files.write(LOG, '{"seq":1}\n');
    await expect(takeOverLog(fs, LOG, '/hive/gone/copy')).rejects.toMatchObject({ code: 'fenced' });
    expect(files.text(LOG)).toBe('{"seq":1}\n');
  });
  it('does nothing when there is none', async () => {
    const { files, fs } = makeLog();
    await takeOverLog(fs, LOG, COPY);
    expect(files.list('/hive')).toEqual([]);
  });
  it('leaves the old one when it fails', async () => {
    const { files, fs } = makeLog();
    files.write(LOG, '{"seq":1}\n');
    fs.plan = failWhere(({ kind }) => kind === 'create', 'ENOSPC');
    await expect(takeOverLog(fs, LOG, COPY)).rejects.toThrow('ENOSPC');
    expect(files.text(LOG)).toBe('{"seq":1}\n');
    expect(files.list('/hive')).toEqual(['log.jsonl']);
  });
});
