import { ERRORS, isLost, type SendResult, sendResultLines } from '../index.ts';
import type { Context } from './context.ts';

/**
 * Tells what became of a letter that was sent.
 * @returns the exit code
 */
export function tellResult(context: Context, result: SendResult): number {
  if (!context.json) {
    for (const line of sendResultLines(result, context.hive.dir)) context.print(line);
  } else if (result.status === 'queued') {
    context.printJson({ status: result.status, file: result.file });
  } else {
    const { row, file, status } = result;
    const { id, outcome, code } = row;
    context.printJson({ status, id, outcome, code, file, row });
  }
  return result.status === 'routed' && isLost(result.row) ? ERRORS.refused.exitCode : 0;
}
