/**
 * How long clients wait for what they start: a hook with an empty inbox, a hook that has a letter to tell
 * of, and the MCP server until it has answered. Each against `node -e 0` and, for the server, the import
 * of its library, all in turn in the same run.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeHive, quantile, report, round, withTempDir } from './measure.ts';

const ROUNDS = 25;
const LAUNCHER = join(import.meta.dirname, '../dist/cli/hivemail.cjs');
const PAYLOAD = JSON.stringify({ session_id: 'bench', cwd: '/', hook_event_name: 'PostToolUse' });
const HELLO = `${JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  },
})}\n`;

const MESSAGE = JSON.stringify({
  id: '1m8pyqzvp000-jgvvao4d',
  conversation: 'c',
  in_reply_to: null,
  from: 'a1',
  to: 'a0',
  act: 'request',
  subject: 'Split the parser',
  body: '',
  hops: 0,
  requires_reply: true,
  needs_human: false,
  created_at: '2026-11-30T17:19:11.123Z',
});

await withTempDir(async (dir) => {
  const hive = await makeHive(dir, 2);
  const place = ['--hive', hive, '--agent', 'a0'];
  const letter = join(hive, 'agents/a0/inbox/1m8pyqzvp000-jgvvao4d.json');
  const hook = () => took([LAUNCHER, 'hook', 'claude', 'PostToolUse', ...place], PAYLOAD);
  const importing = ['--input-type=module', '-e', "import '@modelcontextprotocol/server/stdio'"];
  const times = { node: [], empty: [], telling: [], library: [], server: [] } as Record<
    'node' | 'empty' | 'telling' | 'library' | 'server',
    number[]
  >;
  for (let round = 0; round < ROUNDS; round += 1) {
    times.node.push(took(['-e', '0']));
    rmSync(letter, { force: true });
    times.empty.push(hook());
    writeFileSync(letter, MESSAGE);
    rmSync(join(hive, 'agents/a0/.doorbell'), { recursive: true, force: true });
    mkdirSync(join(hive, 'agents/a0/.doorbell'));
    times.telling.push(hook());
    times.library.push(took(importing));
    times.server.push(took([LAUNCHER, 'mcp', ...place], HELLO));
  }
  const of = (name: keyof typeof times): number => quantile(times[name], 0.5);
  const node = of('node');
  const ratio = (ms: number): string => `${round(ms / node)} x node -e 0 (${round(node)} ms)`;
  report('hook, empty inbox', `p50 ${round(of('empty'))} ms`, ratio(of('empty')), '<= 1.5 x');
  report(
    'hook, one letter to tell of',
    `p50 ${round(of('telling'))} ms`,
    ratio(of('telling')),
    '-',
  );
  const limit = 2 * node + (of('library') - node);
  report(
    'MCP server, started and ended',
    `p50 ${round(of('server'))} ms`,
    `${round(of('server') / limit)} x (2 node -e 0 + library, ${round(limit)} ms)`,
    '<= 1 x',
  );
});

/** Runs node to its end. @returns milliseconds */
function took(args: readonly string[], input = ''): number {
  const began = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, {
    input,
    encoding: 'utf8',
    cwd: join(import.meta.dirname, '..'),
  });
  if (status !== 0) throw new Error(stderr);
  return performance.now() - began;
}
