import { join } from 'node:path';
import type { HiveFs } from '../../hive/hive-fs.ts';
import { removeFile } from '../../hive/remove-file.ts';
import { type Examination, inHive, namesIn } from '../examination.ts';
import { allWell, nameSome, type Observation } from '../finding.ts';
import { underRouterLock } from '../under-lock.ts';

/** What `replaceFile` and `putLetter` write under before they rename. */
const OURS = /^\.tmp-[0-9a-z]{8}$/;
const ANYBODYS = /^\.tmp-/;
/** Longer than any writer lives between the two. */
const OLD_NS = 24n * 3_600n * 1_000_000_000n;

/** Looks for temporary files that a killed writer has left. */
export async function checkTemporaries(exam: Examination): Promise<Observation[]> {
  const { fs, layout, owners } = exam;
  const { root, router, control, historyQueue, logSegments } = layout;
  const newest = newestOf(fs, [root, router]);
  const isOld = (path: string): boolean => {
    const stat = fs.stat(path);
    return stat?.kind === 'file' && newest - stat.mtimeNs > OLD_NS;
  };
  const pick = (dirs: readonly string[], name: RegExp) =>
    dirs
      .flatMap((dir) =>
        namesIn(fs, dir)
          .filter((each) => name.test(each))
          .map((each) => join(dir, each)),
      )
      .filter(isOld);
  const ours = pick([root, router, control, historyQueue, logSegments], OURS);
  const outboxes = owners.map((id) => layout.agent(id).outbox);
  const theirs = pick(
    outboxes.filter((dir) => fs.stat(dir)?.kind === 'directory'),
    ANYBODYS,
  );
  const found = [...aboutOurs(exam, ours), ...aboutTheirs(exam, theirs)];
  return found.length > 0 ? found : [allWell('No writer has left a temporary file.')];
}

/** Times of files are compared with each other only: the wall clock may be another's, or have jumped. */
function newestOf(fs: HiveFs, dirs: readonly string[]): bigint {
  const times = dirs.flatMap((dir) =>
    namesIn(fs, dir).map((name) => {
      const stat = fs.stat(join(dir, name));
      return stat?.kind === 'file' ? stat.mtimeNs : 0n;
    }),
  );
  return times.reduce((newest, time) => (time > newest ? time : newest), 0n);
}

function aboutOurs(exam: Examination, paths: readonly string[]): Observation[] {
  if (paths.length === 0) return [];
  const apply = (): Promise<void> =>
    underRouterLock(exam, () => {
      for (const path of paths) removeFile(exam.fs, path);
    });
  return [
    {
      level: 'note',
      what: `Left by a writer that was killed: ${nameSome(paths.map((path) => inHive(exam, path)))}.`,
      means:
        'A file of the router’s in the making, older than a day. Nobody reads it, and it is no mail.',
      fix: { says: 'Remove these temporary files.', apply },
    },
  ];
}

function aboutTheirs(exam: Examination, paths: readonly string[]): Observation[] {
  if (paths.length === 0) return [];
  return [
    {
      level: 'note',
      what: `Temporary files in an outbox, older than a day: ${nameSome(paths.map((path) => inHive(exam, path)))}.`,
      means:
        'A letter whose writer was killed before it was finished. It is not routed, and never removed.',
      advice:
        'If it is whole, give it a name that ends in .json; otherwise its owner may delete it.',
    },
  ];
}
