/**
 * Looks at everything of a hive that a person or a program can break, and says what it means. Changes
 * nothing and takes no lock; what a finding's fix does, it does when it is applied.
 *
 * Each check is a file of its own in checks/ and says at least one thing, also when all is well. A check
 * that the machine does not let look says that, and holds up no other.
 */
import { isHive } from '../hive/init.ts';
import { HivemailError, systemCode } from '../protocol/errors.ts';
import { escapeLine } from '../protocol/escape.ts';
import { checkAgents } from './checks/agents.ts';
import { checkDoorbells } from './checks/doorbells.ts';
import { checkDevices, checkFileSystem } from './checks/file-system.ts';
import { checkGit, checkRepository } from './checks/history.ts';
import { checkHooks } from './checks/hooks.ts';
import { checkInboxes } from './checks/inboxes.ts';
import { checkHeld, checkHistoryQueue, checkUnfiled } from './checks/kept-files.ts';
import { checkLeftovers } from './checks/leftovers.ts';
import { checkLog } from './checks/log.ts';
import { checkClock, checkDisk, checkOpenFiles, checkWatches } from './checks/machine.ts';
import { checkMailboxes } from './checks/mailboxes.ts';
import { checkModes } from './checks/modes.ts';
import { checkNestedRepositories } from './checks/nested-repositories.ts';
import { checkOutboxes } from './checks/outboxes.ts';
import { checkOuterRepository } from './checks/outer-repository.ts';
import { checkOwnership } from './checks/ownership.ts';
import { checkProtocol } from './checks/protocol.ts';
import { checkRegistry } from './checks/registry.ts';
import { checkRouter } from './checks/router.ts';
import { checkSettings, checkTasks } from './checks/settings.ts';
import { checkTemporaries } from './checks/temporaries.ts';
import { beginExamination, type DiagnoseOptions, type Examination } from './examination.ts';
import type { Finding, Observation } from './finding.ts';

type Check = (exam: Examination) => Promise<Observation[]>;

/** In the order shown; the names are stable. docs/operations.md says what each can find. */
const CHECKS: readonly (readonly [name: string, check: Check])[] = [
  ['router', checkRouter],
  ['settings', checkSettings],
  ['registry', checkRegistry],
  ['tasks', checkTasks],
  ['protocol', checkProtocol],
  ['agents', checkAgents],
  ['mailboxes', checkMailboxes],
  ['outboxes', checkOutboxes],
  ['inboxes', checkInboxes],
  ['doorbells', checkDoorbells],
  ['hooks', checkHooks],
  ['held', checkHeld],
  ['leftovers', checkLeftovers],
  ['unfiled', checkUnfiled],
  ['log', checkLog],
  ['git', checkGit],
  ['repository', checkRepository],
  ['history', checkHistoryQueue],
  ['outer-repository', checkOuterRepository],
  ['nested-repositories', checkNestedRepositories],
  ['ownership', checkOwnership],
  ['modes', checkModes],
  ['temporaries', checkTemporaries],
  ['file-system', checkFileSystem],
  ['devices', checkDevices],
  ['disk', checkDisk],
  ['watches', checkWatches],
  ['open-files', checkOpenFiles],
  ['clock', checkClock],
];

/**
 * Looks at a hive.
 * @param dir - absolute path
 * @returns one finding or more for each check, in a stable order
 * @throws HivemailError `hive-not-found`
 */
export async function diagnose(dir: string, options: DiagnoseOptions): Promise<Finding[]> {
  const exam = beginExamination(dir, options);
  if (!isHive(exam.fs, exam.layout)) {
    const message = `There is no hive at ${dir}. Make one with \`hivemail init\`.`;
    throw new HivemailError('hive-not-found', message);
  }
  const findings: Finding[] = [];
  for (const [name, check] of CHECKS) {
    const seen = await look(check, exam);
    findings.push(...seen.map((observation) => asFinding(name, observation)));
  }
  return findings;
}

/** Not refused: a link, a directory or a pipe in the place of a file, or a file in that of a directory. */
const WRONG_KIND = new Set(['EINVAL', 'ELOOP', 'ENOTDIR', 'EISDIR']);

async function look(check: Check, exam: Examination): Promise<Observation[]> {
  try {
    return await check(exam);
  } catch (error) {
    const code = systemCode(error);
    const known = error instanceof HivemailError || code !== undefined;
    if (!known || !(error instanceof Error)) throw error;
    return [
      {
        level: 'error',
        what: `This could not be looked at: ${error.message}`,
        means: 'What keeps you from it may keep a router run by you from it too.',
        advice: WRONG_KIND.has(code ?? '')
          ? 'Something else stands where this should: move it away, and restore what was there.'
          : 'Look as the user who runs the router.',
      },
    ];
  }
}

/** Names and contents of files stand in the texts: no control character of theirs may get out. */
function asFinding(check: string, { level, what, means, advice, fix }: Observation): Finding {
  return {
    check,
    level,
    what: escapeLine(what),
    ...(means === undefined ? {} : { means: escapeLine(means) }),
    ...(advice === undefined ? {} : { advice: escapeLine(advice) }),
    ...(fix === undefined ? {} : { fix: { ...fix, says: escapeLine(fix.says) } }),
  };
}
