import { readText } from '../hive/read-text.ts';
import { type Examination, unlessBroken } from './examination.ts';

const MOST_HEALTH_BYTES = 4 * 1024 * 1024;

/** health.json as far as it is of use here. */
export interface ReadHealth {
  epoch: number;
  at: string;
  problems: { key: string; red: boolean; message: string; code: string | undefined }[];
}

/** Reads health.json as another version of the router may have written it; a damaged one is none. */
export function readHealth({ fs, layout }: Examination): ReadHealth | undefined {
  let value: unknown;
  try {
    value = JSON.parse(readText(fs, layout.health, MOST_HEALTH_BYTES) ?? '');
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
  const { epoch, at, problems }: Record<string, unknown> = { ...(value as object) };
  if (typeof epoch !== 'number' || typeof at !== 'string' || !Array.isArray(problems))
    return undefined;
  const known = problems.map((problem: unknown) => {
    const { key, red, message, code }: Record<string, unknown> = { ...(problem as object) };
    return {
      key: typeof key === 'string' ? key : '',
      code: typeof code === 'string' ? code : undefined,
      red: red === true,
      message: typeof message === 'string' ? message : 'something unknown.',
    };
  });
  return { epoch, at, problems: known };
}

/** Tells by what code inboxes refused their mail, as the router said last. */
export function inboxRefusals(exam: Examination): Map<string, string> {
  const problems = unlessBroken(() => readHealth(exam))?.problems ?? [];
  return new Map(
    problems.flatMap(({ key, code }): [string, string][] =>
      key.startsWith('inbox/') && code !== undefined ? [[key.slice('inbox/'.length), code]] : [],
    ),
  );
}
