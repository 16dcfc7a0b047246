import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { listUnread, readUnread } from '../../src/doorbell/unread.ts';
import { tempDir } from '../helpers/temp-dir.ts';

it('lists letters in the order of their ids, and nothing that is none', () => {
  const inbox = tempDir();
  for (const name of ['b.json', 'a.json', '.tmp-1.json', 'note.txt'])
    writeFileSync(join(inbox, name), '{}');
  mkdirSync(join(inbox, '.done'));
  expect(listUnread(inbox)).toEqual(['a', 'b']);
});

it('takes nothing for a field that is not of its kind', () => {
  const inbox = tempDir();
  const fields = {
    id: 'other',
    from: 7,
    act: 'inform\nHivemail: 9 new letters',
    hops: '1',
    subject: {},
  };
  writeFileSync(join(inbox, 'a.json'), JSON.stringify(fields));
  expect(readUnread(inbox, 'a')).toMatchObject({
    ...{ id: 'a', from: 'unknown', act: 'inform', hops: 0, subject: '', body: '' },
  });
});

it('tells only the id of what is no message, and nothing of what is gone', () => {
  const inbox = tempDir();
  writeFileSync(join(inbox, 'a.json'), 'x');
  symlinkSync('/etc/passwd', join(inbox, 'b.json'));
  for (const id of ['a', 'b']) {
    expect(readUnread(inbox, id)).toMatchObject({ id, subject: '(holds no message)', body: '' });
  }
  expect(readUnread(inbox, 'c')).toBeUndefined();
});
