import { ERRORS, type ErrorCode, escapeLine, HivemailError } from '../../index.ts';
import type { Context } from '../context.ts';

type Acked = { id: string; handled: true } | { id: string; handled: false; error: AckError };

interface AckError {
  code: ErrorCode;
  message: string;
}

/** Marks letters as handled, each by itself: one that is not there does not stop the others. */
export async function ack(context: Context, ids: readonly string[]): Promise<number> {
  const agent = context.agent();
  const results = ids.map((given): Acked => {
    try {
      return { id: context.hive.ack(agent, given).id, handled: true };
    } catch (error) {
      if (!(error instanceof HivemailError)) throw error;
      return { id: given, handled: false, error: { code: error.code, message: error.message } };
    }
  });
  for (const result of results) {
    if (!result.handled) context.note(escapeLine(`hivemail: ${result.error.message}`));
    else if (!context.json) context.print(escapeLine(`${result.id}  handled`));
  }
  if (context.json) context.printJson(results);
  const [failed] = results.flatMap((result) => (result.handled ? [] : [result.error]));
  return failed === undefined ? 0 : ERRORS[failed.code].exitCode;
}
