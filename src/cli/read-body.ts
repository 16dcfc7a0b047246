import { readFile } from 'node:fs/promises';
import { HivemailError } from '../index.ts';
import type { Context } from './context.ts';

/** Where a body comes from. */
export interface BodyOptions {
  body?: string;
  /** `-` for standard input. */
  bodyFile?: string;
}

/** More than any hive takes; what is longer is not even read. */
const MOST_BYTES = 64 * 1024 * 1024;

/**
 * Reads the body of a letter. Of a file, the last line break is left out, as a shell's `$(…)` does.
 * @returns nothing when none is given
 * @throws HivemailError `not-found`, `usage`
 */
export async function readBody(
  context: Context,
  options: BodyOptions,
): Promise<string | undefined> {
  const { body, bodyFile } = options;
  if (bodyFile === undefined) return body;
  const bytes = bodyFile === '-' ? await readInput(context) : await readFrom(context, bodyFile);
  return decode(bytes, bodyFile).replace(/\r?\n$/, '');
}

async function readInput({ surface }: Context): Promise<Buffer> {
  const { stdin, stderr } = surface;
  if (stdin.isTTY === true)
    stderr.write('Write the body, then press Ctrl-D on a line of its own.\n');
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of stdin) {
    const bytes = Buffer.from(chunk as Buffer | string);
    chunks.push(bytes);
    sizeBytes += bytes.length;
    if (sizeBytes > MOST_BYTES)
      throw new HivemailError('usage', 'The body is too long for a letter.');
  }
  return Buffer.concat(chunks);
}

async function readFrom(context: Context, file: string): Promise<Buffer> {
  try {
    return await readFile(context.path(file));
  } catch (cause) {
    const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
    const code = reason === 'ENOENT' ? 'not-found' : 'usage';
    throw new HivemailError(
      code,
      `The body file ${file} can not be read (${reason}). Nothing was sent.`,
      {
        cause,
      },
    );
  }
}

function decode(bytes: Buffer, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    const file = name === '-' ? 'Standard input' : name;
    const message = `${file} is not UTF-8 text. Nothing was sent; put the file where the other can read it and send its path.`;
    throw new HivemailError('usage', message, { cause });
  }
}
