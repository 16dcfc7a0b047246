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

const MOST_BYTES = 65_536;

/** Reads how an agent is told; what is missing or wrong is the careful choice. */
export function readDoorbellSettings(path: string): DoorbellSettings {
  const fields = readDoorbellFields(path);
  return {
    mode: fields['mode'] === 'continue' ? 'continue' : 'notify',
    tmux: fields['tmux'] === true,
  };
}

/** Reads the fields as they are, known or not. */
export function readDoorbellFields(path: string): Record<string, unknown> {
  try {
    const { bytes } = readRegular(path, MOST_BYTES);
    const value = parseStrictly(Buffer.from(bytes).toString('utf8'))?.value;
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return {};
    throw error;
  }
}
