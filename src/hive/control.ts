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
  /** Its name without what marks it as a request; its answer is called after it. */
  name: string;
  /** A router has begun with it, perhaps one that ended before it could answer. */
  taken: boolean;
  /** Nothing when the file holds no request. */
  request: ControlRequest | undefined;
}

/** What lies in the directory of requests. */
export interface Requests {
  /** Oldest first. */
  pending: PendingRequest[];
  /** Names of entries that can't be read now, with the system's code; they stay. */
  trouble: { name: string; code: string }[];
  /** Names of what is no file and has been set aside. */
  setAside: string[];
}

const REQUEST_END = '.request.json';
const TAKEN_END = '.taken.json';
const RESULT_END = '.result.json';
const ASIDE_END = '.no-request';
const MOST_BYTES = 1024 * 1024;
/** How long an answer is kept for who asked, and how many are. */
const KEEP_RESULT_MS = 24 * 3_600_000;
const MOST_RESULTS = 1000;
/** As {@link putRequest} names one, beginning with its time. */
const OWN_NAME = /^\d{15}-/;
/** What a link, a directory, a pipe or a device answers when it is read as a file. */
const NO_FILE = new Set(['ELOOP', 'EINVAL', 'EISDIR', 'ENOTDIR']);

/**
 * Lists the requests that wait. One that can't be read hides no other; what is no file is set aside.
 */
export function listRequests(fs: HiveFs, layout: HiveLayout): Requests {
  const found: Requests = { pending: [], trouble: [], setAside: [] };
  for (const file of fs.list(layout.control).sort()) {
    const end = [REQUEST_END, TAKEN_END].find((each) => file.endsWith(each));
    if (end === undefined) continue;
    try {
      const text = readText(fs, join(layout.control, file), MOST_BYTES);
      if (text === undefined) continue;
      const request = parseAs(controlRequestSchema, text);
      const name = file.slice(0, -end.length);
      found.pending.push({ name, taken: end === TAKEN_END, request });
    } catch (error) {
      noteOdd(fs, layout, { file, code: systemCode(error), error }, found);
    }
  }
  return found;
}

function noteOdd(
  fs: HiveFs,
  layout: HiveLayout,
  { file, code, error }: { file: string; code: string | undefined; error: unknown },
  { trouble, setAside }: Requests,
): void {
  if (code === undefined) throw error;
  if (!NO_FILE.has(code)) {
    trouble.push({ name: file, code });
    return;
  }
  const path = join(layout.control, file);
  try {
    fs.rename(path, `${path}${ASIDE_END}`);
    setAside.push(file);
  } catch (failure) {
    const reason = systemCode(failure);
    if (reason === undefined) throw failure;
    trouble.push({ name: file, code: reason });
  }
}

/**
 * Marks a request as begun with, durably: whoever finds it so after a crash knows that what it asks for
 * may be done already, and it can't be taken back any more.
 */
export async function takeRequest(fs: HiveFs, layout: HiveLayout, name: string): Promise<void> {
  const at = (end: string): string => join(layout.control, name + end);
  fs.rename(at(REQUEST_END), at(TAKEN_END));
  await fs.syncDir(layout.control);
}

/** Answers a request and takes it away. */
export async function answerRequest(
  fs: HiveFs,
  layout: HiveLayout,
  { name, taken }: Pick<PendingRequest, 'name' | 'taken'>,
  result: ControlResult,
): Promise<void> {
  const at = (end: string): string => join(layout.control, name + end);
  await replaceFile(fs, at(RESULT_END), JSON.stringify(result), randomTail);
  fs.unlink(at(taken ? TAKEN_END : REQUEST_END));
}

/** Removes answers that nobody has come for: those of yesterday, and the oldest of very many. */
export function expireResults(fs: HiveFs, layout: HiveLayout, nowMs: number): void {
  const results = fs
    .list(layout.control)
    .filter((name) => name.endsWith(RESULT_END))
    .sort();
  const isOld = (name: string): boolean =>
    OWN_NAME.test(name) && nowMs - Number.parseInt(name, 10) > KEEP_RESULT_MS;
  const beyond = Math.max(0, results.length - MOST_RESULTS);
  for (const [place, name] of results.entries()) {
    if (place < beyond || isOld(name)) fs.unlink(join(layout.control, name));
  }
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
