import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { refreshProtocol, TEMPLATE_DIR } from '../../hive/init.ts';
import { readText } from '../../hive/read-text.ts';
import { isShippedProtocol } from '../../hive/shipped-protocol.ts';
import type { Examination } from '../examination.ts';
import { allWell, type Observation } from '../finding.ts';
import { underRouterLock } from '../under-lock.ts';

const MOST_BYTES = 1024 * 1024;

/** Looks whether agents read the current PROTOCOL.md. */
export async function checkProtocol(exam: Examination): Promise<Observation[]> {
  const { fs, layout } = exam;
  const shipped = readFileSync(join(TEMPLATE_DIR, 'PROTOCOL.md'), 'utf8');
  const here = readText(fs, layout.protocol, MOST_BYTES);
  if (here === shipped) return [allWell('PROTOCOL.md is the current one.')];
  if (here !== undefined && !isShippedProtocol(here)) {
    const beside = `${layout.protocol}.new`;
    return [aboutEdited(readText(fs, beside, MOST_BYTES) === shipped)];
  }
  const apply = (): Promise<void> =>
    underRouterLock(exam, async () => {
      await refreshProtocol(fs, layout);
    });
  return [
    {
      level: 'warning',
      what:
        here === undefined ? 'There is no PROTOCOL.md.' : 'PROTOCOL.md is of an earlier release.',
      means: 'Agents read there how mail works, and may go by rules that no longer hold.',
      fix: { says: 'Write the current PROTOCOL.md.', apply },
    },
  ];
}

function aboutEdited(isNewBeside: boolean): Observation {
  return {
    level: 'note',
    what: 'PROTOCOL.md holds house rules, or is of another system, so it is left alone.',
    means: isNewBeside
      ? 'The current text of this release is in PROTOCOL.md.new.'
      : 'A router that starts puts the current text of this release into PROTOCOL.md.new.',
    advice: 'Take over from there what you need.',
  };
}
