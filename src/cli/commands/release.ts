import { HivemailError } from '../../index.ts';
import type { Context } from '../context.ts';

/** Delivers a held letter, named by its id or the beginning of it. */
export async function release(context: Context, given: string): Promise<void> {
  const id = requireOne(given, new Set(context.hive.held().map(({ message }) => message.id)));
  const said = await context.hive.release(id);
  if (context.json) context.printJson({ id, said });
  else context.print(said);
}

function requireOne(given: string, ids: ReadonlySet<string>): string {
  if (ids.has(given)) return given;
  const [only, ...others] = [...ids].filter((id) => given !== '' && id.startsWith(given));
  if (only !== undefined && others.length === 0) return only;
  const message =
    only === undefined
      ? `No held letter has the id "${given}". \`hivemail held\` lists them.`
      : `"${given}" fits ${others.length + 1} held letters. Give more of the id.`;
  throw new HivemailError('not-found', message);
}
