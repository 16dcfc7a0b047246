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
 */
export async function storeMode(root: string, mode: DoorbellMode): Promise<void> {
  const { settings } = doorbellPaths(root);
  const fields = readDoorbellFields(settings);
  if (fields['mode'] === mode) return;
  mkdirSync(dirname(settings), { recursive: true, mode: 0o700 });
  const text = `${JSON.stringify({ ...fields, mode }, undefined, 2)}\n`;
  await replaceFile(createNodeFs(), settings, text, randomTail);
}
