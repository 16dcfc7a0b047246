import { join } from 'node:path';
import { isLetterName } from '../../hive/letter-name.ts';
import { readMessageText } from '../../hive/read-message.ts';
import type { AgentId } from '../../protocol/addresses.ts';
import { systemCode } from '../../protocol/errors.ts';
import { parseMessage } from '../../protocol/parse-message.ts';
import { type Examination, inHive, namesIn } from '../examination.ts';
import { allWell, count, nameSome, type Observation } from '../finding.ts';

/** Letters of one inbox that are read; the oldest first. */
const MOST_READ = 1000;

/** Looks whether the unhandled letters in the inboxes are messages. */
export async function checkInboxes(exam: Examination): Promise<Observation[]> {
  let letters = 0;
  const bad: string[] = [];
  for (const owner of exam.owners) {
    const names = lettersOf(exam, owner);
    letters += names.length;
    for (const name of names.slice(0, MOST_READ)) {
      const path = join(exam.layout.agent(owner).inbox, name);
      const problem = problemOf(exam, path);
      if (problem !== undefined) bad.push(`${inHive(exam, path)} (${problem})`);
    }
  }
  if (bad.length === 0) return [allWell(`${count(letters, 'unhandled letter')}, all readable.`)];
  return [
    {
      level: 'warning',
      what: `Not readable as a message: ${nameSome(bad)}.`,
      means:
        'Its recipient can’t know what it says. No router wrote it so: something changed it, or put it there.',
      advice:
        'The history has every message that was routed: `git -C HIVE log --all -- "messages/*/ID.json"`.',
    },
  ];
}

function lettersOf({ fs, layout }: Examination, owner: AgentId): string[] {
  const { inbox } = layout.agent(owner);
  if (fs.stat(inbox)?.kind !== 'directory') return [];
  return namesIn(fs, inbox).filter(isLetterName);
}

function problemOf({ fs }: Examination, path: string): string | undefined {
  try {
    const text = readMessageText(fs, path);
    return parseMessage(text) === undefined ? 'no message' : undefined;
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    // Handled meanwhile.
    return code === 'ENOENT' ? undefined : code;
  }
}
