import { ageOf, cutText, type HeldMessage, redactSecrets, systemClock } from '../../index.ts';
import type { Context } from '../context.ts';
import { renderTable } from '../table.ts';

const SUBJECT_LENGTH = 60;

/** Lists the letters that are held back. */
export async function held(context: Context): Promise<void> {
  const all = context.hive.held();
  if (context.json) return context.printJson(all.map(asJson));
  if (all.length === 0) return context.print('Nothing is held.');
  const nowMs = systemClock.now();
  const rows = all.map(({ holder, message }) => [
    message.id,
    message.held?.code ?? '-',
    ageOf(message.held?.at ?? '', nowMs),
    message.from,
    holder,
    message.act,
    cutText(redactSecrets(message.subject), SUBJECT_LENGTH),
  ]);
  const headings = ['ID', 'WHY', 'SINCE', 'FROM', 'FOR', 'ACT', 'SUBJECT'];
  for (const line of renderTable([headings, ...rows])) context.print(line);
}

function asJson({ holder, message }: HeldMessage): object {
  const { code = null, at: since = null } = message.held ?? {};
  return { id: message.id, holder, code, since, message };
}
