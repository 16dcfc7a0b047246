import {
  applyFixes,
  diagnose,
  ERRORS,
  type Finding,
  type FixResult,
  type Level,
  systemClock,
} from '../../index.ts';
import type { Context } from '../context.ts';

/** Options of `doctor`. */
export interface DoctorOptions {
  fix?: true;
}

const LEVELS: readonly Level[] = ['ok', 'note', 'warning', 'error'];
const LEVEL_WIDTH = 'warning'.length;
const CHECK_WIDTH = 'nested-repositories'.length;
const INDENT = ' '.repeat(LEVEL_WIDTH + 2);

/** Looks for what is broken in a hive, and mends it when asked. */
export async function doctor(context: Context, options: DoctorOptions): Promise<number> {
  const dir = context.hiveDir();
  const look = () => diagnose(dir, { clock: systemClock, env: context.surface.env });
  const before = await look();
  const fixes = options.fix ? await applyFixes(before) : [];
  const findings = fixes.length > 0 ? await look() : before;
  if (context.json) {
    context.printJson({
      dir,
      fixes,
      findings: findings.map(asJson),
      counts: countLevels(findings),
    });
  } else {
    printFixes(context, fixes);
    for (const finding of findings) printFinding(context, finding);
    context.print(`\n${summary(findings, options.fix === true)}`);
  }
  return findings.some(({ level }) => level === 'error') ? ERRORS.unhealthy.exitCode : 0;
}

function asJson({ fix, ...finding }: Finding): object {
  return { ...finding, ...(fix === undefined ? {} : { fix: fix.says }) };
}

function printFixes(context: Context, fixes: readonly FixResult[]): void {
  for (const { check, says, done, problem } of fixes) {
    context.print(`${done ? 'done     ' : 'not done '}${check.padEnd(CHECK_WIDTH)}  ${says}`);
    if (problem !== undefined) context.print(`${INDENT}${problem}`);
  }
  if (fixes.length > 0) context.print('');
}

function printFinding(context: Context, finding: Finding): void {
  const { level, check, what, means, advice, fix } = finding;
  context.print(`${level.padEnd(LEVEL_WIDTH)}  ${check.padEnd(CHECK_WIDTH)}  ${what}`);
  if (level === 'ok') return;
  if (means !== undefined) context.print(`${INDENT}means: ${means}`);
  if (advice !== undefined) context.print(`${INDENT}do:    ${advice}`);
  if (fix !== undefined) context.print(`${INDENT}--fix: ${fix.says}`);
}

function countLevels(findings: readonly Finding[]): Record<Level, number> {
  const counts = { ok: 0, note: 0, warning: 0, error: 0 };
  for (const { level } of findings) counts[level] += 1;
  return counts;
}

function summary(findings: readonly Finding[], wasFixed: boolean): string {
  const counts = countLevels(findings);
  const parts = LEVELS.filter((level) => counts[level] > 0).map((level) => {
    const plural = counts[level] !== 1 && level !== 'ok' ? 's' : '';
    return `${counts[level]} ${level}${plural}`;
  });
  const fixable = findings.filter(({ fix }) => fix !== undefined).length;
  const hint = fixable === 0 || wasFixed ? '' : ` \`hivemail doctor --fix\` would mend ${fixable}.`;
  return `${parts.join(', ')}.${hint}`;
}
