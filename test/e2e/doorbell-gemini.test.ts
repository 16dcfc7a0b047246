// needs: git
import { join } from 'node:path';
import { GEMINI_SETTINGS, installGemini, runGemini } from '../clients/gemini.ts';
import { testDoorbell } from './doorbell-client.ts';

const BEFORE = `// Mine.
${JSON.stringify(GEMINI_SETTINGS, undefined, 3)}
`;

testDoorbell({
  name: 'gemini',
  title: 'Gemini CLI',
  install: installGemini,
  settings: { path: join('.gemini', 'settings.json'), before: BEFORE },
  run: runGemini,
  helper: (prompt) => ({ call: 'invoke_agent', args: { agent_name: 'generalist', prompt } }),
});
