import { ageOf, cutText, type OwedAnswer, redactSecrets, systemClock } from '../../index.ts';
import type { Context } from '../context.ts';
import { parseMoment } from '../moment.ts';
import { withProgress } from '../progress.ts';
import { renderTable } from '../table.ts';

/** Options of `conversations`. `--agent` of the command line is a filter here. */
export interface ConversationsOptions {
  since?: string;
}

const SUBJECT_LENGTH = 50;

/** Lists the open conversations, and who owes whom. */
export async function conversations(
  context: Context,
  { since }: ConversationsOptions,
): Promise<void> {
  const nowMs = systemClock.now();
  const wanted = {
    agent: context.options.agent,
    since: since === undefined ? undefined : parseMoment(since, nowMs),
  };
  const open = await withProgress(context.surface, 'reading the log', (progress) =>
    context.hive.conversations({ ...wanted, onProgress: progress.show }),
  );
  if (context.json) return context.printJson(open);
  if (open.length === 0) return context.print('Nobody owes an answer.');
  const rows = open.flatMap(({ conversation, owed }) =>
    owed.map((each) => [
      conversation,
      ageOf(each.since, nowMs),
      each.owes,
      each.to,
      each.act,
      standingOf(each),
      cutText(redactSecrets(each.subject), SUBJECT_LENGTH),
    ]),
  );
  const headings = ['CONVERSATION', 'SINCE', 'OWES', 'TO', 'ACT', 'STANDING', 'SUBJECT'];
  for (const line of renderTable([headings, ...rows])) context.print(line);
}

function standingOf({ archived, agreedAt, handledAt }: OwedAnswer): string {
  if (archived) return 'archived';
  if (agreedAt !== undefined) return 'agreed';
  return handledAt === undefined ? 'unhandled' : 'handled';
}
