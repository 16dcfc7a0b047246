import { isAbsolute } from 'node:path';
import * as z from 'zod';
import { HivemailError } from '../protocol/errors.ts';
import { nearest } from '../protocol/nearest.ts';
import type { RoutingRules } from '../routing/rules.ts';
import type { HiveFs } from './hive-fs.ts';

const count = z.number().int().min(1);
const absolutePath = z.string().refine((path) => isAbsolute(path), 'must be an absolute path');
const milliseconds = z.number().int().min(0);

const settingsSchema = z.strictObject({
  /** Interval of the poll that guarantees delivery, in milliseconds. */
  pollMs: z.number().int().min(20).max(3_600_000).default(1500),
  /** Most hops of a delivered message. */
  hopCap: count.default(12),
  /** So long the orchestrator may leave a letter for the person; then the desk gets a copy. 0: for ever. */
  escalateMs: milliseconds.default(600_000),
  limits: z
    .strictObject({
      letterBytes: count.max(64 * 1024 * 1024).default(1024 * 1024),
      depth: count.max(1000).default(64),
      recipients: count.default(256),
    })
    .prefault({}),
  /** What one pass takes on. */
  budget: z
    .strictObject({
      lettersPerPass: count.default(500),
      lettersPerSender: count.default(100),
      bytesPerSender: count.default(1024 * 1024),
      bytesPerPass: count.default(32 * 1024 * 1024),
      sortedNames: count.default(5000),
      /** A pass that takes in a flood aims at this time, in milliseconds. */
      floodMs: count.default(100),
    })
    .prefault({}),
  /** How long a file lies still before the router gives up waiting for its writer. */
  settle: z
    .strictObject({
      openMs: milliseconds.default(30_000),
      closedMs: milliseconds.default(3000),
      strayMs: milliseconds.default(10_000),
      temporaryMs: milliseconds.default(600_000),
    })
    .prefault({}),
  /**
   * Windows that hold back loops which hops do not bound, within `windowMs`: turns between the same two
   * or three agents, turns of one agent with others than who spoke to it, copies in one conversation,
   * broadcasts of one agent. docs/format.md says what a turn is.
   */
  loops: z
    .strictObject({
      windowMs: milliseconds.default(600_000),
      pairTurns: count.default(40),
      agentTurns: count.default(400),
      conversationCopies: count.default(2000),
      broadcasts: count.default(6),
    })
    .prefault({}),
  /** Copies that could not be put into an inbox. */
  owed: z
    .strictObject({
      retryFirstMs: milliseconds.default(1000),
      retryMostMs: milliseconds.default(60_000),
      expireMs: milliseconds.default(7 * 24 * 3_600_000),
    })
    .prefault({}),
  /** log.jsonl is moved among its older segments when it has grown to this size. */
  log: z.strictObject({ segmentBytes: count.min(1024).default(16 * 1024 * 1024) }).prefault({}),
  doorbell: z
    .strictObject({
      /** Directories of settings (CODEX_HOME) of sessions that are woken, besides the router's own. */
      codexHomes: z.array(absolutePath).default([]),
      /** Sockets of tmux that keystrokes may go through, besides those of the user's own tmux. */
      tmuxSockets: z.array(absolutePath).default([]),
    })
    .prefault({}),
  /**
   * How long letters stay in `.done` and `.sent` once the history has them: so long (0: for ever), and the
   * latest of each agent however old. How long segments of the log stay in `log/` (0: for ever).
   */
  retention: z
    .strictObject({
      handledMs: milliseconds.default(30 * 24 * 3_600_000),
      handledLetters: z.number().int().min(0).default(10_000),
      logMs: milliseconds.default(90 * 24 * 3_600_000),
    })
    .prefault({}),
  /** Most notices to one agent with no accepted letter in between. */
  noticesInARow: count.default(5),
});

/** The settings of a hive, every default filled in. Times are in milliseconds. */
export type HiveSettings = z.output<typeof settingsSchema>;

/**
 * Parses the text of hive.json.
 * @throws HivemailError `bad-settings` naming every wrong field
 */
export function parseSettings(text: string): HiveSettings {
  const issues: string[] = [];
  let value: unknown;
  try {
    value = JSON.parse(text.trim() === '' ? '{}' : text);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new HivemailError(
      'bad-settings',
      'hive.json is not valid JSON. An empty object, {}, is.',
      { cause },
    );
  }
  const parsed = settingsSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues) issues.push(...describe(issue));
  throw new HivemailError('bad-settings', `hive.json: ${issues.join(' ')}`);
}

/** Returns the settings of a hive whose hive.json says nothing. */
export function defaultSettings(): HiveSettings {
  return settingsSchema.parse({});
}

function describe(issue: z.core.$ZodIssue): string[] {
  const path = issue.path.map(String);
  if (issue.code !== 'unrecognized_keys') return [`"${path.join('.')}": ${issue.message}.`];
  return issue.keys.map((key) => {
    const [meant] = nearest(key, knownKeys(path));
    const name = [...path, key].join('.');
    const hint =
      meant === undefined ? 'remove it' : `did you mean "${[...path, meant].join('.')}"?`;
    return `"${name}" is no setting; ${hint}`;
  });
}

function knownKeys(path: readonly string[]): string[] {
  let at: unknown = defaultSettings();
  for (const key of path) at = (at as Record<string, unknown>)[key];
  return Object.keys(at as object);
}

const MOST_SETTINGS_BYTES = 1024 * 1024;

/**
 * Reads hive.json; a missing file means the defaults.
 * @throws HivemailError `bad-settings`
 */
export function readSettings(fs: HiveFs, path: string): HiveSettings {
  if (fs.stat(path) === undefined) return defaultSettings();
  return parseSettings(Buffer.from(fs.read(path, MOST_SETTINGS_BYTES).bytes).toString('utf8'));
}

/** Picks the numbers of the routing rules. */
export function routingRules(settings: HiveSettings): RoutingRules {
  const { hopCap, loops, noticesInARow } = settings;
  return { hopCap, noticesInARow, ...loops };
}
