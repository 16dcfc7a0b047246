import type { FileStat } from '../../hive/hive-fs.ts';
import type { AgentLayout } from '../../hive/layout.ts';
import { makeMissing } from '../../hive/make-missing.ts';
import { type Examination, inHive } from '../examination.ts';
import { allWell, count, nameSome, type Observation } from '../finding.ts';
import { underRouterLock } from '../under-lock.ts';

/** Looks whether each mailbox has its directories, and whether they are directories. */
export async function checkMailboxes(exam: Examination): Promise<Observation[]> {
  const { fs, layout, owners } = exam;
  const missing: string[] = [];
  const wrong: Observation[] = [];
  for (const owner of owners) {
    const paths = layout.agent(owner);
    // A missing directory as a whole is told by the check of the agents.
    if (fs.stat(paths.root)?.kind !== 'directory') continue;
    for (const [path, parent] of directoriesOf(paths)) {
      if (fs.stat(parent)?.kind !== 'directory') continue;
      const stat = fs.stat(path);
      if (stat === undefined) missing.push(path);
      else if (stat.kind !== 'directory') wrong.push(aboutWrong(inHive(exam, path), stat.kind));
    }
  }
  const found = [...wrong, ...aboutMissing(exam, missing)];
  if (found.length > 0) return found;
  return [allWell(`${count(owners.length, 'mailbox', 'mailboxes')} with all directories.`)];
}

function directoriesOf({ root, inbox, done, outbox, sent }: AgentLayout): [string, string][] {
  return [
    [inbox, root],
    [done, inbox],
    [outbox, root],
    [sent, outbox],
  ];
}

const WHAT_KIND: Readonly<Record<FileStat['kind'], string>> = {
  file: 'a file',
  directory: 'a directory',
  link: 'a symbolic link',
  other: 'neither file nor directory',
};

function aboutWrong(name: string, kind: FileStat['kind']): Observation {
  return {
    level: 'error',
    what: `${name} is ${WHAT_KIND[kind]} and not a directory.`,
    means: 'It is never followed: mail for there is kept back, and letters there are not routed.',
    advice: `Move it away; then \`hivemail doctor --fix\` makes the directory.`,
  };
}

function aboutMissing(exam: Examination, missing: readonly string[]): Observation[] {
  if (missing.length === 0) return [];
  const names = missing.map((path) => inHive(exam, path));
  const apply = (): Promise<void> =>
    underRouterLock(exam, () => missing.forEach((path) => makeMissing(exam.fs, path)));
  return [
    {
      level: 'warning',
      what: `Missing: ${nameSome(names)}.`,
      means:
        'An agent without an outbox can’t send, and one without an inbox looks in vain. No mail is lost.',
      fix: { says: 'Make the directories.', apply },
    },
  ];
}
