import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DoorbellMode } from '../doorbell/decide.ts';
import { doorbellPaths } from '../doorbell/paths.ts';
import { readDoorbellFields } from '../doorbell/settings.ts';
import { createNodeFs } from '../hive/node-fs.ts';
import { randomTail } from '../hive/random.ts';
import { replaceFile } from '../hive/replace-file.ts';

/**
 * Stores how an agent is told of its mail; other settings stay.
 * @param root - the agent's directory
 * @param told - `tmux`: whether keystrokes are allowed; as it was when left out
 */
export async function storeTold(
  root: string,
  { mode, tmux }: { mode: DoorbellMode; tmux?: boolean | undefined },
): Promise<void> {
  const { settings } = doorbellPaths(root);
  const fields = readDoorbellFields(settings);
  const wanted = { ...fields, mode, ...(tmux === undefined ? {} : { tmux }) };
  if (JSON.stringify(wanted) === JSON.stringify(fields)) return;
  mkdirSync(dirname(settings), { recursive: true, mode: 0o700 });
  const text = `${JSON.stringify(wanted, undefined, 2)}\n`;
  await replaceFile(createNodeFs(), settings, text, randomTail);
}
