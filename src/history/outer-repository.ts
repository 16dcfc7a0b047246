import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { HivemailError, systemCode } from '../protocol/errors.ts';

/** The exclude file of the work tree that a hive lies in, and the hive's line in it. */
export interface OuterExclusion {
  /** Absolute path of that repository's `info/exclude`. */
  file: string;
  /** `/path/of/the/hive/`, as gitignore(5) writes it. */
  pattern: string;
  /** Whether the line is there. */
  present: boolean;
}

/** What was done about the work tree around a hive. */
export type OuterExclusionResult =
  | { outcome: 'none' }
  | { outcome: 'already' | 'excluded'; file: string };

/**
 * Looks for a git work tree around a hive without running git there: its settings are not ours.
 * @param hiveDir - the hive; a repository of its own is not what is meant
 * @returns nothing when the hive lies in no work tree
 */
export function findOuterExclusion(hiveDir: string): OuterExclusion | undefined {
  // git sees the real path, whatever links lead to it.
  const hive = realpathSync(hiveDir);
  for (let tree = dirname(hive), below = hive; tree !== below; below = tree, tree = dirname(tree)) {
    const gitDir = gitDirOf(tree);
    if (gitDir === undefined) continue;
    const file = join(gitDir, 'info', 'exclude');
    const pattern = asPattern(relative(tree, hive));
    return { file, pattern, present: linesOf(file).includes(pattern) };
  }
  return undefined;
}

/**
 * Excludes a hive from the work tree it lies in: with a repository of its own inside, `git add -A`
 * and `git status` there would fail ("failed in submodule"). Adds one line to that repository's
 * `info/exclude` and changes nothing else of it.
 * @throws HivemailError `io` when the line can't be added
 */
export function excludeFromOuterRepository(hiveDir: string): OuterExclusionResult {
  const outer = findOuterExclusion(hiveDir);
  if (outer === undefined) return { outcome: 'none' };
  const { file, pattern, present } = outer;
  if (present) return { outcome: 'already', file };
  try {
    addLine(file, pattern);
  } catch (error) {
    const sentence = `The hive lies in a git work tree, and ${file} can not be written. Add the line ${JSON.stringify(pattern)} to it, or \`git add -A\` fails there.`;
    throw new HivemailError('io', sentence, { cause: error });
  }
  return { outcome: 'excluded', file };
}

/** The directory that holds the `info/exclude` which counts for a work tree. */
function gitDirOf(tree: string): string | undefined {
  const place = join(tree, '.git');
  const stat = statSync(place, { throwIfNoEntry: false });
  const gitDir = stat?.isFile() === true ? linkedGitDir(tree, place) : place;
  // Not every directory of that name is one; git passes over the others as well.
  if (gitDir === undefined || !existsSync(join(gitDir, 'HEAD'))) return undefined;
  const common = join(gitDir, 'commondir');
  return existsSync(common) ? resolve(gitDir, readFileSync(common, 'utf8').trim()) : gitDir;
}

/** A linked work tree or a submodule: a file `.git` with `gitdir: <path>`. */
function linkedGitDir(tree: string, file: string): string | undefined {
  const path = /^gitdir: (.+)$/m.exec(readFileSync(file, 'utf8'))?.[1];
  return path === undefined ? undefined : resolve(tree, path);
}

function asPattern(path: string): string {
  const escaped = path
    .split(sep)
    .join('/')
    .replace(/[\\*?[]/g, '\\$&')
    // No line can hold a line feed; `?` stands for any one character.
    .replace(/[\r\n]/g, '?');
  return `/${escaped}/`;
}

function linesOf(file: string): string[] {
  return textOf(file).split(/\r?\n/);
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return '';
    throw error;
  }
}

/**
 * Appends, so that whatever others add meanwhile stays. New files get the modes of the repository:
 * an exclude file that others of a shared repository can't read stops their git.
 */
function addLine(file: string, pattern: string): void {
  const info = dirname(file);
  const gitDir = statSync(dirname(info));
  if (!existsSync(info)) mkdirSync(info, { mode: permissions(gitDir) });
  const before = textOf(file);
  const lead = before === '' || before.endsWith('\n') ? '' : '\n';
  const mode = permissions(statSync(join(dirname(info), 'HEAD')));
  appendFileSync(file, `${lead}# A Hivemail hive, with a history of its own.\n${pattern}\n`, {
    mode,
  });
}

function permissions(stat: Stats): number {
  return stat.mode & 0o777;
}
