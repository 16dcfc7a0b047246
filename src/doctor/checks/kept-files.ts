import { join } from 'node:path';
import { AnchoredPaths } from '../../hive/anchored-paths.ts';
import { readMessageText } from '../../hive/read-message.ts';
import { hasMailbox } from '../../protocol/addresses.ts';
import { parseMessage } from '../../protocol/parse-message.ts';
import { type Examination, inHive, namesIn, unlessBroken } from '../examination.ts';
import { allWell, count, nameSome, type Observation } from '../finding.ts';
import { underRouterLock } from '../under-lock.ts';

const MOST_READ = 5000;

/** Looks for originals that could not be put into a `.sent/`. */
export async function checkUnfiled(exam: Examination): Promise<Observation[]> {
  const { fs, layout } = exam;
  const files = namesIn(fs, layout.unfiled).flatMap((agent) =>
    namesIn(fs, join(layout.unfiled, agent)).map((name) => `${agent}/${name}`),
  );
  if (files.length === 0) return [allWell('Every original is in its sender’s .sent/.')];
  const apply = (): Promise<void> => underRouterLock(exam, () => fileOriginals(exam));
  return [
    {
      level: 'warning',
      what: `${count(files.length, 'original')} in .router/unfiled/: ${nameSome(files)}.`,
      means: 'These letters were routed; only their sender’s outbox/.sent/ could not take them.',
      advice: 'Put that .sent/ right first. `.router/` must not be deleted before.',
      fix: { says: 'Move them into their sender’s outbox/.sent/.', apply },
    },
  ];
}

/** Never over a file that is there: an original's name carries the id of its letter. */
async function fileOriginals({ fs, layout }: Examination): Promise<void> {
  using paths = new AnchoredPaths(fs, layout);
  for (const agent of namesIn(fs, layout.unfiled)) {
    if (!hasMailbox(agent)) continue;
    const from = join(layout.unfiled, agent);
    for (const name of namesIn(fs, from)) {
      const to = join(paths.of(agent, 'sent'), name);
      if (fs.stat(to) === undefined) fs.rename(join(from, name), to);
    }
    await fs.syncDir(paths.of(agent, 'sent'));
    await fs.syncDir(from);
  }
}

/** Looks what waits for git, and what git can’t take. */
export async function checkHistoryQueue({ fs, layout }: Examination): Promise<Observation[]> {
  const names = namesIn(fs, layout.historyQueue);
  const waiting = names.filter((name) => name.endsWith('.json'));
  const unreadable = names.filter((name) => name.endsWith('.unreadable'));
  const found: Observation[] = [];
  if (unreadable.length > 0) {
    found.push({
      level: 'warning',
      what: `${count(unreadable.length, 'batch', 'batches')} in .router/history/ can’t be read: ${nameSome(unreadable)}.`,
      means: 'The letters in there were delivered, and are not in the history.',
      advice:
        'If you can put it right, take `.unreadable` off its name; otherwise move it out of the hive and keep it.',
    });
  }
  if (waiting.length > 0) {
    found.push({
      level: 'note',
      what: `${count(waiting.length, 'batch', 'batches')} not in the history yet.`,
      means: 'The letters in there were delivered; a router that is up has git record them.',
    });
  }
  return found.length > 0 ? found : [allWell('The history is up to date.')];
}

/** Counts what is held back, for whom and why. */
export async function checkHeld(exam: Examination): Promise<Observation[]> {
  const { fs, layout } = exam;
  const held: { holder: string; code: string }[] = [];
  const bad: string[] = [];
  for (const holder of namesIn(fs, layout.held)) {
    const dir = join(layout.held, holder);
    const isHolder = hasMailbox(holder);
    for (const name of namesIn(fs, dir)) {
      const code = held.length < MOST_READ ? codeOf(exam, join(dir, name)) : 'not looked at';
      if (code === undefined || !isHolder) bad.push(inHive(exam, join(dir, name)));
      else held.push({ holder, code });
    }
  }
  const found = [...aboutHeld(held), ...aboutBad(bad)];
  return found.length > 0 ? found : [allWell('No letter is held back.')];
}

/** Only under its own id can a message be released. */
function codeOf({ fs }: Examination, path: string): string | undefined {
  const message = unlessBroken(() => parseMessage(readMessageText(fs, path)));
  if (message === undefined || !path.endsWith(`${message.id}.json`)) return undefined;
  return message.held?.code ?? 'unknown';
}

function aboutHeld(held: readonly { holder: string; code: string }[]): Observation[] {
  if (held.length === 0) return [];
  const counts = new Map<string, number>();
  for (const { holder, code } of held) {
    const key = `for ${holder}: ${code}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const parts = [...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, number]) => `${number} ${key}`);
  return [
    {
      level: 'note',
      what: `${count(held.length, 'letter')} held back (${nameSome(parts)}).`,
      means: '`on-hold` goes on by itself when the hold ends. The others wait for a person.',
      advice: '`hivemail held` lists them, `hivemail release ID` delivers one.',
    },
  ];
}

function aboutBad(names: readonly string[]): Observation[] {
  if (names.length === 0) return [];
  return [
    {
      level: 'warning',
      what: `In held/, and no message that could be released: ${nameSome(names)}.`,
      means:
        'It can’t be read, or its name is not its id, or the directory is called after no agent.',
      advice: 'Put it right, or move it out of the hive.',
    },
  ];
}
