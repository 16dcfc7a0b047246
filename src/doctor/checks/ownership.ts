import { type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { changeMode } from '../change-mode.ts';
import { type Examination, inHive } from '../examination.ts';
import { allWell, type Observation } from '../finding.ts';

const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;
const WORLD_WRITE = 0o002;
const STICKY = 0o1000;

/** Looks who else can get at the hive: the owner and the permissions of its directory and those above. */
export async function checkOwnership(exam: Examination): Promise<Observation[]> {
  const { layout, fs, machine } = exam;
  const userId = machine.userId();
  if (userId === undefined) return [allWell('Owner and permissions are not looked at on Windows.')];
  const dirs = [
    layout.root,
    ...(fs.stat(layout.router)?.kind === 'directory' ? [layout.router] : []),
  ];
  const found = [
    ...dirs.flatMap((dir) => [...aboutOwner(exam, dir, userId), ...aboutAccess(exam, dir, userId)]),
    ...aboutParents(layout.root, userId),
  ];
  return found.length > 0 ? found : [allWell('The hive is yours, and nobody else gets in.')];
}

function aboutOwner(exam: Examination, dir: string, userId: number): Observation[] {
  const { uid } = statSync(dir);
  if (uid === userId) return [];
  return [
    {
      level: 'warning',
      what: `${nameOf(exam, dir)} belongs to user ${uid}, and you are user ${userId}.`,
      means:
        'What one of you makes, the other can’t use: a router run by you may not get at the mail.',
      advice: `Run Hivemail as user ${uid}, or give the hive to yourself with chown -R.`,
    },
  ];
}

function aboutAccess(exam: Examination, dir: string, userId: number): Observation[] {
  const stats = statSync(dir);
  const mode = stats.mode & 0o7777;
  if ((mode & OTHERS) === 0) return [];
  const canWrite = (mode & OTHERS_WRITE) !== 0;
  const mayChange = stats.uid === userId || userId === 0;
  const apply = async (): Promise<void> => changeMode(dir, mode & 0o700);
  return [
    {
      level: 'warning',
      what: `Other users can ${canWrite ? 'write into' : 'look into'} ${nameOf(exam, dir)} (mode ${octal(mode)}).`,
      means: canWrite
        ? 'They can put letters into any outbox, in anybody’s name, and take mail away.'
        : 'They may be able to read the mail.',
      ...(mayChange
        ? {
            fix: { says: `Set the mode of ${inHive(exam, dir)} to ${octal(mode & 0o700)}.`, apply },
          }
        : {}),
    },
  ];
}

/** Whoever can write into a directory above can put another hive in the place of this one. */
function aboutParents(root: string, userId: number): Observation[] {
  const found: Observation[] = [];
  for (let dir = dirname(root), below = root; dir !== below; below = dir, dir = dirname(dir)) {
    const stats = statSync(dir);
    const problem = problemOfParent(stats, userId);
    if (problem === undefined) continue;
    found.push({
      level: isOpenToAll(stats) ? 'warning' : 'note',
      what: `${dir}, in which the hive lies, ${problem} (mode ${octal(stats.mode & 0o7777)}).`,
      means: 'They can move the hive away and put another in its place.',
      advice: 'Keep the hive where only you can write, as in your home directory.',
    });
  }
  return found;
}

function problemOfParent(stats: Stats, userId: number): string | undefined {
  if (isOpenToAll(stats)) return 'can be written to by every user';
  if ((stats.mode & STICKY) === 0 && (stats.mode & OTHERS_WRITE) !== 0) {
    return `can be written to by group ${stats.gid}`;
  }
  return stats.uid !== 0 && stats.uid !== userId ? `belongs to user ${stats.uid}` : undefined;
}

function isOpenToAll({ mode }: Stats): boolean {
  return (mode & WORLD_WRITE) !== 0 && (mode & STICKY) === 0;
}

function nameOf(exam: Examination, dir: string): string {
  return dir === exam.layout.root ? 'the hive’s directory' : `${inHive(exam, dir)}/`;
}

function octal(mode: number): string {
  return mode.toString(8).padStart(4, '0');
}
