// needs: git
/**
 * The shell loop that docs/clients.md shows for a client without hooks, as it stands there: run by a
 * shell, beside a router, with a client that does no more than PROTOCOL.md asks.
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { startChild } from '../clients/child.ts';
import { tempDir } from '../helpers/temp-dir.ts';
import {
  HIVEMAIL,
  hivemail,
  lettersIn,
  makePlace,
  type Place,
  rowsOf,
  startRouter,
} from './built.ts';

const DOCS = join(import.meta.dirname, '../../docs/clients.md');
const PROTOCOL = join(import.meta.dirname, '../../hive-template/PROTOCOL.md');
const PATIENCE = { timeout: 60_000, interval: 100 };

/** Handles all that is there, but for letters named `leave`, with the tools of a shell alone. */
const CLIENT = `#!/bin/sh
printf '%s\\n' "$1" >> "$TURNS"
cd "$HIVEMAIL_HIVE/agents/coder" || exit 1
for letter in inbox/*.json; do
  grep -q '"subject": *"Leave' "$letter" && continue
  id=$(basename "$letter" .json)
  printf '{"in_reply_to":"%s","act":"done","body":"Finished."}' "$id" > "outbox/.tmp-$id"
  mv "outbox/.tmp-$id" "outbox/$id.json"
  mv "$letter" inbox/.done/
done
`;

/** The pause of the loop, written down and cut short. */
const PAUSE = `#!/bin/sh
printf '%s\\n' "$1" >> "$PAUSES"
exec /bin/sleep 0.5
`;

function documentedLoop(): string {
  const [, section = ''] = readFileSync(DOCS, 'utf8').split(/^## Any other client$/m);
  const [, loop] = /^```sh\n(.*?)^```$/ms.exec(section) ?? [];
  if (loop === undefined) throw new Error('docs/clients.md shows no loop for any other client.');
  return loop;
}

/** The line of PROTOCOL.md for an agent that has nothing but a shell. */
function protocolLoop(): string {
  const [, loop] = /`(until [^`]+)`/.exec(readFileSync(PROTOCOL, 'utf8')) ?? [];
  if (loop === undefined) throw new Error('PROTOCOL.md shows no loop that waits for mail.');
  return loop;
}

function makePrograms(dir: string): void {
  mkdirSync(dir);
  const programs = {
    hivemail: `#!/bin/sh\nexec "${process.execPath}" "${HIVEMAIL}" "$@"\n`,
    'my-cli': CLIENT,
    sleep: PAUSE,
  };
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(join(dir, name), text);
    chmodSync(join(dir, name), 0o755);
  }
}

function linesOf(path: string): string[] {
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
}

async function ask(place: Place, subject: string): Promise<void> {
  const args = ['send', '--to', 'coder', '--act', 'request', '--subject', subject];
  const { exitCode, stderr } = await hivemail(place, args, 'planner');
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
}

describe('the loop for a client without hooks', { timeout: 120_000 }, () => {
  it('starts a turn for each letter, none while there is nothing, and pauses while one is left', async () => {
    const dir = tempDir();
    const place = await makePlace(dir, 'planner,coder');
    const bin = join(dir, 'bin');
    makePrograms(bin);
    const turns = join(dir, 'turns');
    const pauses = join(dir, 'pauses');
    await using router = await startRouter(place, 120_000);
    await using loop = await startChild({
      file: '/bin/sh',
      args: ['-c', documentedLoop()],
      cwd: dir,
      env: {
        ...place.env,
        PATH: `${bin}:${place.env['PATH']}`,
        HIVEMAIL_HIVE: place.hive,
        TURNS: turns,
        PAUSES: pauses,
      },
      timeLimitMs: 120_000,
    });

    for (const answered of [1, 2]) {
      await ask(place, `Job ${answered}`);
      await vi.waitFor(() => {
        expect(lettersIn(place, 'planner', 'inbox')).toHaveLength(answered);
        expect(linesOf(pauses)).toHaveLength(answered);
      }, PATIENCE);
    }
    expect(linesOf(turns)).toEqual(Array(2).fill(expect.stringContaining('You have mail')));
    const answers = lettersIn(place, 'planner', 'inbox').map((answer) => answer['in_reply_to']);
    expect(readdirSync(join(place.hive, 'agents/coder/inbox/.done')).sort()).toEqual(
      answers.map((id) => `${String(id)}.json`).sort(),
    );

    await ask(place, 'Leave this');
    await vi.waitFor(() => expect(linesOf(turns).length).toBeGreaterThanOrEqual(4), PATIENCE);
    // However often it comes back to the letter that is left, it pauses a minute in between.
    expect(linesOf(pauses).length).toBeGreaterThanOrEqual(linesOf(turns).length - 1);
    expect(new Set(linesOf(pauses))).toEqual(new Set(['60']));
    expect(loop.stderr()).toBe('');
    expect(rowsOf(place).filter(({ kind }) => kind === 'letter')).toHaveLength(5);
    loop.signal('SIGTERM');
    router.signal('SIGTERM');
    expect(await router.result()).toMatchObject({ exitCode: 0 });
  });
});

describe('the line of PROTOCOL.md that waits', { timeout: 60_000 }, () => {
  it('ends when there is mail, and not before', async () => {
    const place = await makePlace(tempDir(), 'planner,coder');
    await using waiting = await startChild({
      file: '/bin/sh',
      args: ['-c', `${protocolLoop()}; echo mail`],
      cwd: join(place.hive, 'agents/coder'),
      env: place.env,
      timeLimitMs: 60_000,
    });
    await using router = await startRouter(place);
    expect(waiting.stdout()).toBe('');
    await ask(place, 'Wake up');
    expect(await waiting.result()).toMatchObject({ exitCode: 0, stdout: 'mail\n', stderr: '' });
    router.signal('SIGTERM');
    expect(await router.result()).toMatchObject({ exitCode: 0 });
  });
});
