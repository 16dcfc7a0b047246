/**
 * Requests to a running router: a file each in `.router/control/`, answered by a result file beside
 * it. Both are made by temporary file and rename, so neither is ever read half.
 */
import { join } from 'node:path';
import * as z from 'zod';
import { ERRORS, type ErrorCode, systemCode } from '../protocol/errors.ts';
import { parseStrictly } from '../protocol/parse-strictly.ts';
import type { HiveFs } from './hive-fs.ts';
import type { HiveLayout } from './layout.ts';
import { randomTail } from './random.ts';
import { readText } from './read-text.ts';
import { replaceFile } from './replace-file.ts';
import { rosterChangeSchema } from './roster-change.ts';

/** A request: a change of the roster, or the release of a held message. */
export const controlRequestSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('roster'), change: rosterChangeSchema }),
  z.strictObject({ kind: z.literal('release'), id: z.string() }),
]);

const errorCodes = Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]];

const controlResultSchema = z.union([
  z.strictObject({ ok: z.literal(true), said: z.string() }),
  z.strictObject({ ok: z.literal(false), code: z.enum(errorCodes), message: z.string() }),
]);

/** A request to the router; see {@link controlRequestSchema}. */
export type ControlRequest = z.output<typeof controlRequestSchema>;

/** The router's answer: a sentence for the person, or the code and sentence of what stood in the way. */
export type ControlResult = z.output<typeof controlResultSchema>;

/** A request as it lies in the directory. */
export interface PendingRequest {
  name: string;
  /** Nothing when the file holds no request. */
  request: ControlRequest | undefined;
}

const REQUEST_END = '.request.json';
const RESULT_END = '.result.json';
const MOST_BYTES = 1024 * 1024;

/** Lists the requests that wait, oldest first. */
export function listRequests(fs: HiveFs, layout: HiveLayout): PendingRequest[] {
  return fs
    .list(layout.control)
    .filter((name) => name.endsWith(REQUEST_END))
    .sort()
    .map((name) => {
      const text = readText(fs, join(layout.control, name), MOST_BYTES) ?? '';
      return { name, request: parseAs(controlRequestSchema, text) };
    });
}

/** Answers a request and takes it away. */
export async function answerRequest(
  fs: HiveFs,
  layout: HiveLayout,
  name: string,
  result: ControlResult,
): Promise<void> {
  const answer = join(layout.control, name.slice(0, -REQUEST_END.length) + RESULT_END);
  await replaceFile(fs, answer, JSON.stringify(result), randomTail);
  fs.unlink(join(layout.control, name));
}

/**
 * Puts a request down for the router.
 * @param nowMs - wall clock; requests are handled in the order of their names
 * @returns the name to ask {@link takeResult} with
 */
export async function putRequest(
  fs: HiveFs,
  layout: HiveLayout,
  request: ControlRequest,
  nowMs: number,
): Promise<string> {
  const name = `${String(nowMs).padStart(15, '0')}-${randomTail()}`;
  await replaceFile(
    fs,
    join(layout.control, name + REQUEST_END),
    JSON.stringify(request),
    randomTail,
  );
  return name;
}

/** Takes the answer to a request, once it is there. */
export function takeResult(
  fs: HiveFs,
  layout: HiveLayout,
  name: string,
): ControlResult | undefined {
  const path = join(layout.control, name + RESULT_END);
  const text = readText(fs, path, MOST_BYTES);
  if (text === undefined) return undefined;
  fs.unlink(path);
  return parseAs(controlResultSchema, text);
}

/** Takes a request back that was not answered in time; false when the router has it. */
export function withdrawRequest(fs: HiveFs, layout: HiveLayout, name: string): boolean {
  try {
    fs.unlink(join(layout.control, name + REQUEST_END));
    return true;
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    return false;
  }
}

function parseAs<Value>(schema: z.ZodType<Value>, text: string): Value | undefined {
  return schema.safeParse(parseStrictly(text)?.value).data;
}
