// Holds the lock of the hive named by its argument, as another router would, and does what it reads
// line by line: `record N`, `dispose`, `exit`. Answers each with one line.
import { createInterface } from 'node:readline';
import { layoutOf } from '../../src/hive/layout.ts';
import { acquireRouterLock } from '../../src/hive/lock.ts';
import { createNodeFs } from '../../src/hive/node-fs.ts';
import { HivemailError } from '../../src/protocol/errors.ts';

const [root = '', mode = 'stay'] = process.argv.slice(2);
const clock = { now: () => Date.now(), monotonic: () => performance.now() };

function answer(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function answerFor(operation: () => Promise<unknown>): Promise<void> {
  try {
    await operation();
    answer('ok');
  } catch (error) {
    answer(error instanceof HivemailError ? error.code : String(error));
  }
}

const lock = await acquireRouterLock({
  layout: layoutOf(root),
  clock,
  takeover: false,
  fs: createNodeFs(),
});
answer(`held ${lock.kernel} ${lock.epochAfter}`);
if (mode === 'stay') {
  const lines = createInterface({ input: process.stdin });
  for await (const line of lines) {
    const [verb, epoch] = line.split(' ');
    if (verb === 'record') await answerFor(() => lock.recordOwner(Number(epoch)));
    else if (verb === 'dispose') await answerFor(async () => lock[Symbol.asyncDispose]());
    else break;
  }
}
