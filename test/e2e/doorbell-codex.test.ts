// needs: git
import { join } from 'node:path';
import { installCodex, runCodex } from '../clients/codex.ts';
import { testDoorbell } from './doorbell-client.ts';

const BEFORE = `{
   "hooks" : { "Stop": [
     { "hooks": [ { "type": "command", "command": "true" } ] } ] }
}`;

/** The session to go on with. */
let thread = '';

testDoorbell({
  name: 'codex',
  title: 'Codex',
  install: installCodex,
  settings: { path: join('.codex', 'hooks.json'), before: BEFORE },
  run: async ({ resume, cwd, ...call }) => {
    const session = await runCodex({ ...call, cwd, ...(resume && { resume: thread }) });
    thread = session.events.find(({ thread_id: id }) => id !== undefined)?.thread_id ?? '';
    return session;
  },
  helper: (message) => ({ call: 'spawn_agent', args: { message } }),
  awaitHelper: (started) => {
    const id = /agent_id\W+([0-9a-f-]{36})/.exec(started)?.[1];
    return { call: 'wait_agent', args: { targets: [id], timeout_ms: 60_000 } };
  },
});
