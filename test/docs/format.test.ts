import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../../src/hive/settings.ts';
import { EVENT_KINDS } from '../../src/protocol/event.ts';
import { OUTCOME_OF } from '../../src/protocol/outcomes.ts';

const page = readFileSync(new URL('../../docs/format.md', import.meta.url), 'utf8');

function rowsOf(section: string): string[][] {
  const [, text = ''] = page.split(`\n## ${section}\n`);
  const [body = ''] = text.split('\n## ');
  return body
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .split('|')
        .map((cell) => cell.trim().replaceAll('`', ''))
        .slice(1, -1),
    );
}

describe('docs/format.md', () => {
  it('lists every outcome code with its outcome, in the order of the table in the code', () => {
    const documented = rowsOf('Outcomes').map(([code, outcome]) => [code, outcome]);
    expect(documented).toEqual(Object.entries(OUTCOME_OF));
  });

  it('lists every kind of log row', () => {
    expect(rowsOf('log.jsonl').map(([kind]) => kind)).toEqual([...EVENT_KINDS]);
  });

  it('shows the settings with their real defaults', () => {
    const [, example = ''] =
      /hive\.json`, with the defaults[\s\S]*?```json\n([\s\S]*?)```/.exec(page) ?? [];
    expect(JSON.parse(example)).toEqual(defaultSettings());
  });
});
