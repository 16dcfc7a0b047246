import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../../src/hive/settings.ts';
import type { KnownMessage } from '../../src/routing/memory.ts';
import { RoutingMemory } from '../../src/routing/memory.ts';
import { readLetterFile } from '../../src/spool/letter-file.ts';
import { type ReadContext, readClaim } from '../../src/spool/read-claim.ts';
import { SettleWatch } from '../../src/spool/settle.ts';
import { failWhere } from '../helpers/faulty-fs.ts';
import { agentId, makeSpool, putClaim, type SpoolScene } from './spool-scene.ts';

const LETTER = '{"to":"coder","act":"inform","body":"x"}';
const { limits, settle } = defaultSettings();

function contextOf(scene: SpoolScene, changes: Partial<ReadContext> = {}): ReadContext {
  const memory = new RoutingMemory();
  const watch = new SettleWatch();
  return { ...scene, limits, settle, memory, watch, nowMs: 0, ...changes };
}

function codeOf(claim: ReturnType<typeof readClaim>): string | undefined {
  if (claim === undefined) return 'waits';
  return claim.parsed.ok ? 'ok' : claim.parsed.issues[0].code;
}

describe('reading a claim', () => {
  it('gives the letter, whose it is, and the bytes as they were', async () => {
    const scene = await makeSpool('planner');
    const name = putClaim(scene, 'planner', 'a~b.json', LETTER);
    expect(readClaim({ name }, contextOf(scene))).toMatchObject({
      claimName: name,
      sender: 'planner',
      file: 'a~b.json',
      parsed: { ok: true, letter: { to: ['coder'], body: 'x' } },
      original: Buffer.from(LETTER),
    });
  });
  it('passes over a file that no router put there', async () => {
    const scene = await makeSpool('planner');
    scene.files.write(join(scene.epoch.claim, 'notes.txt'), 'mine');
    expect(readClaim({ name: 'notes.txt' }, contextOf(scene))).toBeUndefined();
  });
  it('tells a file that is too large without reading it', async () => {
    const scene = await makeSpool('planner');
    const name = putClaim(scene, 'planner', 'a.json', 'x'.repeat(limits.letterBytes + 1));
    scene.fs.restart();
    const claim = readClaim({ name }, contextOf(scene));
    expect(codeOf(claim)).toBe('too-large');
    expect(claim?.original).toBeUndefined();
    expect(scene.fs.operations.map(({ kind }) => kind)).toEqual(['stat']);
  });
  it('tells links and pipes without following or opening them', async () => {
    const scene = await makeSpool('planner');
    const name = putClaim(scene, 'planner', 'a.json', '');
    for (const make of ['link', 'pipe'] as const) {
      const path = join(scene.epoch.claim, name);
      scene.files.unlink(path);
      if (make === 'link') scene.files.link(path, '/etc/passwd');
      else scene.files.pipe(path);
      scene.fs.restart();
      expect(codeOf(readClaim({ name }, contextOf(scene)))).toBe('not-a-file');
      expect(scene.fs.operations.map(({ kind }) => kind)).toEqual(['stat']);
    }
  });
  it('throws what the machine says, so that the claim stays', async () => {
    const scene = await makeSpool('planner');
    const name = putClaim(scene, 'planner', 'a.json', LETTER);
    scene.fs.plan = failWhere(({ kind }) => kind === 'read', 'EIO');
    expect(() => readClaim({ name }, contextOf(scene))).toThrow('EIO');
  });
});

describe('a writer that goes on after its letter was claimed', () => {
  it('is waited for as in the outbox', async () => {
    const scene = await makeSpool('planner');
    const name = putClaim(scene, 'planner', 'a.json', LETTER.slice(0, 15));
    const watch = new SettleWatch();
    expect(codeOf(readClaim({ name }, contextOf(scene, { watch })))).toBe('waits');
    scene.files.write(join(scene.epoch.claim, name), LETTER);
    expect(codeOf(readClaim({ name }, contextOf(scene, { watch, nowMs: 10 })))).toBe('ok');
  });
  it('is given up when nothing comes any more', async () => {
    const scene = await makeSpool('planner');
    const name = putClaim(scene, 'planner', 'a.json', LETTER.slice(0, 15));
    const watch = new SettleWatch();
    const at = (nowMs: number) => codeOf(readClaim({ name }, contextOf(scene, { watch, nowMs })));
    expect([at(0), at(settle.openMs - 1), at(settle.openMs)]).toEqual([
      'waits',
      'waits',
      'cut-off',
    ]);
  });
});

describe('a letter that was read right before it was claimed', () => {
  async function readBefore() {
    const scene = await makeSpool('planner');
    const name = putClaim(scene, 'planner', 'a.json', LETTER);
    const path = join(scene.epoch.claim, name);
    const before = readLetterFile(scene.fs, path, limits);
    scene.fs.restart();
    /** As on a disk whose clock is slow. */
    const stopTime = () => {
      const { mtimeNs } = before.content.stat;
      scene.fs.stat = (asked) => {
        const stat = scene.files.stat(asked);
        return stat && { ...stat, mtimeNs };
      };
    };
    return { scene, path, stopTime, claimed: { name, before } };
  }

  it('is not read again when its file is the same', async () => {
    const { scene, claimed } = await readBefore();
    const claim = readClaim(claimed, contextOf(scene));
    expect(claim).toMatchObject({ parsed: { ok: true }, original: Buffer.from(LETTER) });
    expect(scene.fs.operations.map(({ kind }) => kind)).toEqual(['stat']);
  });
  it.each(['moves on', 'stands still'])(
    'waits when a slow writer begins it anew, so that half of it never counts: time %s',
    async (time) => {
      const { scene, path, stopTime, claimed } = await readBefore();
      scene.files.write(path, LETTER.slice(0, 20));
      if (time === 'stands still') stopTime();
      expect(codeOf(readClaim(claimed, contextOf(scene)))).toBe('waits');
    },
  );
  it('counts as written last, also at the same length', async () => {
    const { scene, path, claimed } = await readBefore();
    const other = LETTER.replace('"x"', '"y"');
    scene.files.write(path, other);
    expect(readClaim(claimed, contextOf(scene))?.original).toEqual(Buffer.from(other));
  });
  it('is another one when a file of the same size and time has come in its place', async () => {
    const { scene, path, stopTime, claimed } = await readBefore();
    const other = LETTER.replace('"x"', '"y"');
    scene.files.unlink(path);
    scene.files.write(path, other);
    stopTime();
    expect(readClaim(claimed, contextOf(scene))?.original).toEqual(Buffer.from(other));
  });
});

describe('the letter that a claim replies to', () => {
  const parent = {
    id: 'theirs-1',
    conversation: 'c-1',
    in_reply_to: null,
    from: 'coder',
    to: 'planner',
    act: 'request',
    subject: 's',
    body: 'b',
    hops: 3,
    requires_reply: true,
    needs_human: false,
    created_at: '2026-11-30T12:00:00.000Z',
  };

  async function replyingTo(id: string, place: 'inbox' | 'done', changes: object = {}) {
    const scene = await makeSpool('planner', 'coder');
    const mailbox = scene.layout.agent(agentId('planner'));
    const file = join(mailbox[place], 'theirs-1.json');
    scene.files.write(file, JSON.stringify({ ...parent, ...changes }));
    const letter = { ...JSON.parse(LETTER), in_reply_to: id };
    const name = putClaim(scene, 'planner', 'a.json', JSON.stringify(letter));
    return { scene, name, mailbox };
  }

  it.each(['inbox', 'done'] as const)('is looked up in the replier’s %s', async (place) => {
    const { scene, name } = await replyingTo('theirs-1', place);
    const claim = readClaim({ name }, contextOf(scene));
    expect(claim?.parentInMailbox).toMatchObject({ id: 'theirs-1', hops: 3, to: ['planner'] });
  });
  it('is not looked up when the router remembers it', async () => {
    const { scene, name } = await replyingTo('theirs-1', 'inbox');
    const memory = new RoutingMemory();
    memory.remember({ ...parent, to: ['planner'], broadcast: false } as KnownMessage);
    expect(readClaim({ name }, contextOf(scene, { memory }))?.parentInMailbox).toBeUndefined();
  });
  it('is not believed when the file holds another one', async () => {
    const { scene, name } = await replyingTo('theirs-1', 'inbox', { id: 'other' });
    expect(readClaim({ name }, contextOf(scene))?.parentInMailbox).toBeUndefined();
  });
  it.each(['../../coder/inbox/theirs-1', '..', '.hidden', 'a/b', `${'x'.repeat(200)}`])(
    'is never looked for outside of the mailbox: %s',
    async (id) => {
      const { scene, name } = await replyingTo(id, 'inbox');
      scene.fs.restart();
      readClaim({ name }, contextOf(scene));
      const outside = scene.fs.operations.filter(({ path }) => !path.startsWith(scene.epoch.claim));
      expect(outside).toEqual([]);
    },
  );
  it('is not looked for through a link', async () => {
    const { scene, name, mailbox } = await replyingTo('theirs-1', 'inbox');
    scene.files.rename(mailbox.inbox, '/elsewhere');
    scene.files.link(mailbox.inbox, '/elsewhere');
    expect(readClaim({ name }, contextOf(scene))?.parentInMailbox).toBeUndefined();
  });
});
