/**
 * Makes a hive old: letters that were routed, handled and recorded long ago. What a batch is comes from
 * the router's own steps (parse, decide, plan, render, record), so the bytes are those that it writes;
 * only the waits for the disk and the passage of time are left out.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openHistory } from '../src/history/history.ts';
import { layoutOf } from '../src/hive/layout.ts';
import { createNodeFs } from '../src/hive/node-fs.ts';
import { randomTail } from '../src/hive/random.ts';
import { defaultSettings, routingRules } from '../src/hive/settings.ts';
import { systemClock } from '../src/hive/system-clock.ts';
import { examineLetter } from '../src/letter/examine.ts';
import { parseLetter } from '../src/letter/parse.ts';
import type { AgentId } from '../src/protocol/addresses.ts';
import { escapeUnsafe } from '../src/protocol/escape.ts';
import type { HiveEvent } from '../src/protocol/event.ts';
import { createIdSource } from '../src/protocol/ids.ts';
import type { Claim } from '../src/routing/inputs.ts';
import { RoutingMemory } from '../src/routing/memory.ts';
import type { PlannedBatch } from '../src/routing/plan.ts';
import { planBatch } from '../src/routing/plan-batch.ts';
import type { Roster } from '../src/routing/roster.ts';

/** How old a hive is to be. */
export interface Age {
  letters: number;
  /** Letters of one batch, which is one commit. */
  batch: number;
  /** Bytes of its log at least. */
  logBytes: number;
  /** Agents `a0`, `a1`, …, as the hive has them. */
  agents: number;
}

/** What was made. */
export interface Aged {
  /** Ids of some of the letters. */
  ids: string[];
  /** Bytes of all messages as they stand in the history. */
  messageBytes: number;
}

/** Between two batches, so that 100 000 letters of ten a batch are spread over some days. */
const GAP_MS = 20_000;
const FLUSH_EVERY = 1000;
const SEGMENT_BYTES = 16 * 1024 * 1024;
const HISTORY_MS = 3_600_000;

/** Fills a hive that no router has been started for. */
export async function ageHive(hive: string, age: Age): Promise<Aged> {
  const batches = Math.ceil(age.letters / age.batch);
  let now = Date.now() - (batches + 1) * GAP_MS;
  const source = createIdSource({ now: () => now, random: randomTail });
  const maker = { ...source, memory: new RoutingMemory(), roster: rosterOf(age.agents) };
  const log = new SegmentWriter(hive);
  const layout = layoutOf(hive);
  const aged: Aged = { ids: [], messageBytes: 0 };
  mkdirSync(layout.historyQueue, { recursive: true });
  await using history = await openHistory({ layout, clock: systemClock, fs: createNodeFs() });
  for (let batch = 0; batch < batches; batch++) {
    now += GAP_MS;
    const { planned, claims } = makeBatch(batch * age.batch, age, maker, log.seq);
    fileBatch(hive, planned, claims);
    for (const row of planned.plan.rows) log.write(row, now);
    for (const { id, to } of planned.plan.copies) log.write(handledRow(id, to), now);
    fillLog(log, planned, { now, bytes: (age.logBytes * (batch + 1)) / batches });
    if (batch % 100 === 0 || batch === batches - 1) aged.ids.push(...claims.map(({ id }) => id));
    aged.messageBytes += [...planned.contents.values()].reduce((sum, text) => sum + text.length, 0);
    writeFileSync(
      join(layout.historyQueue, `${planned.plan.batch}.json`),
      JSON.stringify(planned.plan),
    );
    if (batch % FLUSH_EVERY === FLUSH_EVERY - 1) await flush(history);
  }
  log.end();
  await flush(history);
  return aged;
}

async function flush(history: Awaited<ReturnType<typeof openHistory>>): Promise<void> {
  if (await history.flush({ timeoutMs: HISTORY_MS })) return;
  throw new Error(`The history is behind: ${history.state().problem}`);
}

type Maker = Pick<ReturnType<typeof createIdSource>, 'next'> & {
  memory: RoutingMemory;
  roster: Roster;
};

function makeBatch(
  first: number,
  { batch, agents }: Age,
  { next, memory, roster }: Maker,
  logSeq: number,
): { planned: PlannedBatch; claims: Claim[] } {
  const settings = defaultSettings();
  const claims = Array.from({ length: batch }, (_, place): Claim => {
    const serial = first + place;
    const id = next();
    const [sender, file] = [`a${serial % agents}` as AgentId, `letter-${serial}.json`];
    const original = Buffer.from(prose(`a${(serial + 1) % agents}`, serial));
    const parsed = parseLetter(examineLetter(original, settings.limits));
    return { id, claimName: `${id}~${sender}~${file}`, sender, file, parsed, original };
  });
  const inputs = { claims, deferred: [], releases: [], escalations: [], strays: [] };
  const context = { roster, memory, rules: routingRules(settings), nextId: next, logSeq };
  const planned = planBatch(inputs, { ...context, batch: next() });
  memory.commit();
  return { planned, claims };
}

/** Originals into `.sent/`, copies into `.done/`, as their agents have handled them. */
function fileBatch(hive: string, { plan, contents }: PlannedBatch, claims: readonly Claim[]): void {
  const layout = layoutOf(hive);
  for (const move of plan.moves) {
    if (move.from !== 'claim') continue;
    const claim = claims.find(({ claimName }) => claimName === move.name);
    writeFileSync(join(layout.agent(move.agent).sent, move.as), claim?.original ?? '');
  }
  for (const { name, id, to } of plan.copies) {
    writeFileSync(join(layout.agent(to).done, `${id}.json`), contents.get(name) ?? '');
  }
}

function handledRow(id: string, to: string): HiveEvent {
  return { kind: 'handled', id, to: [to] };
}

/** Rows of sessions that were told of a batch again and again, until the log is as long as it is to be by then. */
function fillLog(
  log: SegmentWriter,
  { plan }: PlannedBatch,
  { now, bytes }: { now: number; bytes: number },
): void {
  for (let place = 0; log.bytes < bytes; place++) {
    const copy = plan.copies[place % plan.copies.length];
    if (copy === undefined) return;
    const [id, to, note] = [copy.id, [copy.to], 'claude: reminder at PostToolUse'];
    log.write({ kind: 'announced', id, to, code: 'tool', note }, now);
  }
}

/** A letter of some two kilobytes whose words are drawn, so that it packs no better than prose does. */
function prose(to: string, serial: number): string {
  let state = serial + 1;
  const draw = (most: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * most);
  };
  const words = Array.from({ length: 320 }, () => (46_656 + draw(4000) * 397).toString(36));
  return JSON.stringify({ to, act: 'request', subject: `Letter ${serial}`, body: words.join(' ') });
}

function rosterOf(agents: number): Roster {
  const ids = Array.from({ length: agents }, (_, place) => `a${place}` as AgentId);
  const flags = { role: undefined, archived: false, onHold: false, sendOnly: false };
  return {
    agents: new Map(ids.map((id) => [id, { id, name: id, ...flags }])),
    orchestrator: undefined,
  };
}

/** Writes rows as the log does, in segments of its size. */
class SegmentWriter {
  readonly #hive: string;
  #lines: string[] = [];
  #open = 0;
  #first = 1;
  seq = 0;
  bytes = 0;

  constructor(hive: string) {
    this.#hive = hive;
  }

  write(event: HiveEvent, at: number): void {
    const row = { seq: ++this.seq, ts: new Date(at).toISOString(), epoch: 1, ...event };
    const line = `${escapeUnsafe(JSON.stringify(row))}\n`;
    this.#lines.push(line);
    this.#open += line.length;
    this.bytes += line.length;
    if (this.#open >= SEGMENT_BYTES) this.#flush('segment');
  }

  end(): void {
    this.#flush('log');
  }

  #flush(into: 'segment' | 'log'): void {
    const { log, logSegments } = layoutOf(this.#hive);
    mkdirSync(logSegments, { recursive: true });
    const name = `${String(this.#first).padStart(12, '0')}.jsonl`;
    writeFileSync(into === 'log' ? log : join(logSegments, name), this.#lines.join(''));
    [this.#lines, this.#open, this.#first] = [[], 0, this.seq + 1];
  }
}
