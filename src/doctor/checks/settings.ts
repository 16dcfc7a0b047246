import { readText } from '../../hive/read-text.ts';
import { readSettings } from '../../hive/settings.ts';
import { HivemailError } from '../../protocol/errors.ts';
import type { Examination } from '../examination.ts';
import { allWell, type Observation } from '../finding.ts';

const MOST_TASKS_BYTES = 64 * 1024 * 1024;

/** Looks whether hive.json holds settings, and none that there is not. */
export async function checkSettings({ fs, layout }: Examination): Promise<Observation[]> {
  try {
    const settings = readSettings(fs, layout.settings);
    if (fs.stat(layout.settings) === undefined) {
      return [
        { level: 'note', what: 'There is no hive.json.', means: 'Every setting has its default.' },
      ];
    }
    return [allWell(`hive.json is valid; outboxes are looked at every ${settings.pollMs} ms.`)];
  } catch (error) {
    if (!(error instanceof HivemailError)) throw error;
    return [
      {
        level: 'error',
        what: error.message,
        means:
          'A router that is up goes by the last good settings; one that starts, by the defaults.',
        advice:
          'Correct it; a router that is up reads it anew by itself. docs/format.md lists the settings.',
      },
    ];
  }
}

/** Looks whether tasks.json can be read. */
export async function checkTasks({ fs, layout }: Examination): Promise<Observation[]> {
  const text = readText(fs, layout.tasks, MOST_TASKS_BYTES);
  if (text === undefined) {
    return [
      { level: 'note', what: 'There is no tasks.json.', means: 'The hive has no task ledger.' },
    ];
  }
  if (isObject(text)) return [allWell('tasks.json can be read.')];
  return [
    {
      level: 'warning',
      what: 'tasks.json does not hold a JSON object.',
      means: 'What reads the ledger finds no tasks. Mail flows.',
      advice: 'Correct it. An empty ledger is {"tasks": []}.',
    },
  ];
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return false;
  }
}
