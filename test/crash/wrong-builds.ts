/**
 * Builds of the router with a wrong protocol: the built files, each changed in a line or two. The wrong
 * protocols are those of test/simulation/mutants.ts, as far as a process that is killed or stopped
 * between two system calls can tell them from the right one.
 */
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempDir } from '../helpers/temp-dir.ts';

const ROOT = join(import.meta.dirname, '../..');

/** A file of the build, what is in it, and what is put in its place. */
type Change = readonly [file: string, from: string, to: string];

const ARCHIVE = `    for (const batch of batches) {
        attempt(batch, router, trouble, () => archiveBatch(batch, archiveContext(router), changed));
    }
`;
const NUDGE = '    router.history.nudge();\n';
const LAST_RENAME = '\n    renameSync(rawPath(from), rawPath(to));';
const COMMIT = '    fs.rename(staged, owed);\n';

/** The changes that make each wrong protocol. */
export const CHANGES = {
  'publish before commit': [
    [
      'spool/stage.js',
      'import { PLAN_FILE }',
      'import { publishBatch } from "./publish.js";\nimport { PLAN_FILE }',
    ],
    [
      'spool/stage.js',
      'commitBatch(planned, { fs, epoch }) {',
      'commitBatch(planned, router) {\nconst { fs, epoch } = router;',
    ],
    [
      'spool/stage.js',
      COMMIT,
      `publishBatch({ plan, dir: staged }, { ...router, onDeferred() {} });\n${COMMIT}`,
    ],
  ],
  'link and unlink instead of rename': [
    ['hive/node-fs.js', 'import { closeSync,', 'import { linkSync, closeSync,'],
    [
      'hive/node-fs.js',
      LAST_RENAME,
      `    if (/\\/owed\\/.*~inbox$/.test(from) && !to.includes('/deferred/')) {
        linkSync(from, to);
        return unlinkSync(from);
    }
${LAST_RENAME}`,
    ],
  ],
  'record before archive': [
    ['router/finish.js', ARCHIVE, ''],
    ['router/finish.js', NUDGE, ARCHIVE + NUDGE],
  ],
  '"done" read from ENOENT of the destination': [
    [
      'hive/node-fs.js',
      LAST_RENAME,
      `    try {
${LAST_RENAME}
    } catch (error) {
        if (systemCode(error) !== 'ENOENT' || !/\\/claim\\/[^/]+$/.test(from)) throw error;
    }`,
    ],
  ],
  'log before publish': [
    [
      'router/finish.js',
      '    const published = ',
      '    const early = await logBatches(batches, router);\n    const published = ',
    ],
    ['router/finish.js', '        logBatches(published, router),', '        early,'],
  ],
  'rows without a key': [
    ['log/rows.js', "    return `${batch ?? ''}:", '    return `${Math.random()}${batch}:'],
  ],
  'a deferred name without its batch': [
    [
      'spool/publish.js',
      'return `${batch}~${copyName}`;',
      'return `000000000000-nobatch0~${copyName}`;',
    ],
  ],
  'no fence': [
    ['spool/epoch.js', '            fence(context, other);', '            continue;'],
    [
      'spool/epoch.js',
      'join(context.layout.router, `${other.plain}.f`), own)',
      'join(context.layout.router, other.name), own)',
    ],
    [
      'spool/epoch.js',
      '        if (removeIfEmpty(fs, from))\n',
      '        if (fs.list(from).length === 0)\n',
    ],
    ['spool/epoch.js', '    removeIfEmpty(fs, dir);\n', ''],
  ],
  'no rmdir after draining': [
    [
      'spool/epoch.js',
      '        if (!other.fenced)\n',
      '        if (other.fenced)\n            continue;\n        else\n',
    ],
    [
      'spool/epoch.js',
      'epochs.filter(({ name }) => name !== own.name)',
      'epochs.filter(({ name, fenced }) => name !== own.name && !fenced)',
    ],
    [
      'spool/epoch.js',
      '        if (removeIfEmpty(fs, from))\n',
      '        if (fs.list(from).length === 0)\n',
    ],
    ['spool/epoch.js', '    removeIfEmpty(fs, dir);\n', ''],
  ],
  'a batch directory name used twice': [
    ['router/pass.js', 'batch: next()', "batch: '000000000000-00000000'"],
  ],
} as const satisfies Record<string, readonly Change[]>;

/** Name of a wrong protocol. */
export type WrongName = keyof typeof CHANGES;

/**
 * Makes a build.
 * @param name - the wrong protocol; the right one when left out
 * @returns its `dist`
 */
export function makeBuild(name?: WrongName): string {
  const dir = join(tempDir(), 'build');
  mkdirSync(dir);
  const dist = join(dir, 'dist');
  cpSync(join(ROOT, 'dist'), dist, { recursive: true });
  for (const beside of ['node_modules', 'package.json', 'hive-template']) {
    symlinkSync(join(ROOT, beside), join(dir, beside));
  }
  for (const change of name === undefined ? [] : CHANGES[name]) apply(dist, change);
  return dist;
}

function apply(dist: string, [file, from, to]: Change): void {
  const path = join(dist, file);
  const parts = readFileSync(path, 'utf8').split(from);
  if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} times: ${from}`);
  writeFileSync(path, parts.join(to));
}
