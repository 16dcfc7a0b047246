import { readRegular } from '../hive/read-file.ts';
import { systemCode } from '../protocol/errors.ts';
import { parseStrictly } from '../protocol/parse-strictly.ts';
import type { DoorbellMode } from './decide.ts';

/** How an agent is told of its mail: `agents/<id>/.doorbell/settings.json`. */
export interface DoorbellSettings {
  mode: DoorbellMode;
  /** Keystrokes into its terminal are allowed where nothing better wakes it. */
  tmux: boolean;
}

/** A larger file is read no further. */
export const MOST_SETTINGS_BYTES = 65_536;

/** Reads how an agent is told; a missing file says nothing. */
export function readDoorbellSettings(path: string): DoorbellSettings {
  return parseDoorbellSettings(readText(path));
}

/** Reads how an agent is told out of the file's text; what is missing or wrong is the careful choice. */
export function parseDoorbellSettings(text: string): DoorbellSettings {
  const fields = parseFields(text);
  return {
    mode: fields['mode'] === 'continue' ? 'continue' : 'notify',
    tmux: fields['tmux'] === true,
  };
}

/** Reads the fields as they are, known or not. */
export function readDoorbellFields(path: string): Record<string, unknown> {
  return parseFields(readText(path));
}

function parseFields(text: string): Record<string, unknown> {
  const value = parseStrictly(text)?.value;
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function readText(path: string): string {
  try {
    return Buffer.from(readRegular(path, MOST_SETTINGS_BYTES).bytes).toString('utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return '';
    throw error;
  }
}
