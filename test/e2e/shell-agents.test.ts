// needs: git
/**
 * Agents that are nothing but shell loops, on the built program: what PROTOCOL.md says is enough to take
 * part, and nothing is lost or doubled when the router is killed while they talk.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { type Child, startChild } from '../clients/child.ts';
import { tempDir } from '../helpers/temp-dir.ts';
import { hivemail, lettersIn, makePlace, type Place, rowsOf, startRouter } from './built.ts';

const JOBS = 12;
const PATIENCE = { timeout: 40_000, interval: 100 };

const PLANNER = `
cd "$HIVEMAIL_HIVE/agents/planner"
for n in $(seq 1 ${JOBS}); do
  printf '{"to":"coder","act":"request","subject":"Job %s","body":"Please."}' "$n" > "outbox/.tmp-$n"
  mv "outbox/.tmp-$n" "outbox/job-$n.json"
  sleep 0.1
done
handled=0
while [ "$handled" -lt ${JOBS} ]; do
  for letter in inbox/*.json; do
    [ -e "$letter" ] || continue
    mv "$letter" inbox/.done/
    handled=$((handled + 1))
  done
  sleep 0.1
done
`;

const CODER = `
cd "$HIVEMAIL_HIVE/agents/coder"
while :; do
  for letter in inbox/*.json; do
    [ -e "$letter" ] || continue
    id=$(basename "$letter" .json)
    printf '{"in_reply_to":"%s","act":"done","body":"Finished."}' "$id" > "outbox/answer-$id.json"
    mv "$letter" inbox/.done/
  done
  sleep 0.1
done
`;

async function startAgent(place: Place, script: string): Promise<Child> {
  return await startChild({
    file: '/bin/sh',
    args: ['-c', script],
    cwd: place.hive,
    env: { ...place.env, HIVEMAIL_HIVE: place.hive },
    timeLimitMs: 60_000,
  });
}

const letterRows = (place: Place) => rowsOf(place).filter(({ kind }) => kind === 'letter');

describe('two shell agents', { timeout: 90_000 }, () => {
  it('finish their jobs over a router that is killed and started again', async () => {
    const place = await makePlace(tempDir(), 'planner,coder');
    await using coder = await startAgent(place, CODER);
    await using planner = await startAgent(place, PLANNER);
    for (const after of [3, 9, 15]) {
      await using router = await startRouter(place);
      await vi.waitFor(
        () => expect(letterRows(place).length).toBeGreaterThanOrEqual(after),
        PATIENCE,
      );
      router.signal('SIGKILL');
      await router.result();
    }
    await using router = await startRouter(place);
    expect(await planner.result()).toMatchObject({ exitCode: 0, timedOut: false });

    const handled = lettersIn(place, 'coder', 'inbox/.done');
    expect(new Set(handled.map(({ subject }) => subject))).toEqual(
      new Set(Array.from({ length: JOBS }, (_, n) => `Job ${n + 1}`)),
    );
    expect(handled).toHaveLength(JOBS);
    const answers = lettersIn(place, 'planner', 'inbox/.done');
    expect(answers).toHaveLength(JOBS);
    expect(new Set(answers.map((answer) => answer['in_reply_to']))).toEqual(
      new Set(handled.map(({ id }) => id)),
    );
    await vi.waitFor(() => expect(letterRows(place)).toHaveLength(2 * JOBS), PATIENCE);
    expect(new Set(letterRows(place).map(({ id }) => id)).size).toBe(2 * JOBS);
    expect(readdirSync(join(place.hive, 'agents/planner/outbox/.sent'))).toHaveLength(JOBS);

    router.signal('SIGTERM');
    expect(await router.result()).toMatchObject({ exitCode: 0, signal: null });
    const files = execFileSync('git', [
      '-C',
      place.hive,
      'ls-tree',
      '-r',
      '--name-only',
      'HEAD',
      'messages/',
    ]);
    expect(files.toString().trim().split('\n')).toHaveLength(2 * JOBS);
    coder.signal('SIGTERM');
  });
});

describe('letters by hand', { timeout: 60_000 }, () => {
  it('are delivered, waited for, mended and sent back as they deserve', async () => {
    const place = await makePlace(tempDir(), 'god,planner,coder');
    const outbox = join(place.hive, 'agents/planner/outbox');
    await using router = await startRouter(place);

    writeFileSync(join(outbox, 'plain.json'), '{"to":"coder","act":"inform","body":"plain"}');
    writeFileSync(
      join(outbox, 'fenced.json'),
      '```json\n{"to":"coder","act":"inform","body":"fenced",}\n```\n',
    );
    writeFileSync(join(outbox, 'nobody.json'), '{"to":"codr","act":"inform","body":"lost"}');
    writeFileSync(join(outbox, 'slow.json'), '{"to":"coder","act":"inform",');
    await vi.waitFor(() => expect(letterRows(place)).toHaveLength(3), PATIENCE);
    expect(readdirSync(outbox)).toContain('slow.json');
    writeFileSync(join(outbox, 'slow.json'), '"body":"slow"}', { flag: 'a' });
    await vi.waitFor(() => expect(letterRows(place)).toHaveLength(4), PATIENCE);

    expect(lettersIn(place, 'coder', 'inbox').map(({ body }) => body)).toEqual([
      'plain',
      'fenced',
      'slow',
    ]);
    const [notice] = lettersIn(place, 'planner', 'inbox');
    expect(notice).toMatchObject({
      from: 'system',
      notice: { code: 'unknown-recipient', file: 'nobody.json' },
    });
    expect(notice?.['body']).toContain('Did you mean coder?');
    router.signal('SIGTERM');
    expect(await router.result()).toMatchObject({ exitCode: 0 });
  });

  it('that wait while no router runs are delivered by the next, in the order written', async () => {
    const place = await makePlace(tempDir(), 'planner,coder');
    const outbox = join(place.hive, 'agents/planner/outbox');
    for (const name of ['z', 'a', 'm']) {
      writeFileSync(join(outbox, '.tmp-1.json'), `{"to":"coder","act":"inform","body":"${name}"}`);
      renameSync(join(outbox, '.tmp-1.json'), join(outbox, `${name}.json`));
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    expect(await hivemail(place, ['up', place.hive, '--once'])).toMatchObject({ exitCode: 0 });
    expect(lettersIn(place, 'coder', 'inbox').map(({ body }) => body)).toEqual(['z', 'a', 'm']);
    const sent = readdirSync(join(outbox, '.sent')).sort();
    expect(sent.map((name) => name.replace(/^[^.]+\./, ''))).toEqual([
      'z.json',
      'a.json',
      'm.json',
    ]);
    expect(readFileSync(join(outbox, '.sent', sent[0] ?? ''), 'utf8')).toContain('"z"');
  });
});
