/**
 * What a letter costs before any file is touched: assessing, parsing and normalizing it, repairing a
 * damaged one, deciding on a batch; each over JSON.parse + JSON.stringify of the same letter.
 */
import { Buffer } from 'node:buffer';
import { defaultSettings, routingRules } from '../src/hive/settings.ts';
import { assessLetter } from '../src/letter/completeness.ts';
import { examineLetter } from '../src/letter/examine.ts';
import { parseLetter } from '../src/letter/parse.ts';
import type { AgentId } from '../src/protocol/addresses.ts';
import { createIdSource } from '../src/protocol/ids.ts';
import type { Claim } from '../src/routing/inputs.ts';
import { RoutingMemory } from '../src/routing/memory.ts';
import { planBatch } from '../src/routing/plan-batch.ts';
import type { Roster } from '../src/routing/roster.ts';
import { letterText, report, round } from './measure.ts';

const settings = defaultSettings();
const { limits } = settings;
const rules = routingRules(settings);
const roster: Roster = {
  agents: new Map(
    Array.from({ length: 10 }, (_, place) => {
      const id = `a${place}` as AgentId;
      const agent = {
        id,
        name: id,
        role: undefined,
        archived: false,
        onHold: false,
        sendOnly: false,
      };
      return [id, agent];
    }),
  ),
  orchestrator: undefined,
};
const ROUNDS = 15;
/** Least time of one sample: shorter ones measure the clock. */
const SAMPLE_MS = 20;
const BATCH = 100;
const MIB = 1024 * 1024;

/** A letter as its bytes, and what JSON.parse takes in its place. */
interface Sample {
  bytes: Uint8Array;
  valid: string;
}

const plain = (body: string): Sample => {
  const valid = JSON.stringify({ to: 'a1', act: 'request', subject: 'Bench', body });
  return { bytes: Buffer.from(valid), valid };
};

/** As agents damage letters: raw line breaks, a path, a comment, a trailing comma, a fence. */
function damaged(body: string): Sample {
  const { valid } = plain(body);
  const raw = valid
    .replaceAll('\\n', '\n')
    .replace('"act"', '"cwd":"C:\\Users\\x", // here\n"act"');
  return { bytes: Buffer.from(`\`\`\`json\n${raw.slice(0, -1)},}\n\`\`\`\n`), valid };
}

const lines = (sizeBytes: number): string =>
  'The quick brown fox jumps over the lazy dog.\n'.repeat(Math.ceil(sizeBytes / 45));
const escapes = (sizeBytes: number): string => '\u0001'.repeat(Math.floor(sizeBytes / 6));
const rawEscapes = (sizeBytes: number): Sample => {
  const { valid } = plain(escapes(sizeBytes));
  return { bytes: Buffer.from(`${valid.slice(0, -1)},}`), valid };
};

/** A letter of very many small fields, in its body or beside it. */
function wide(where: 'body' | 'beside'): Sample {
  const fields = Array.from({ length: 80_000 }, (_, serial) => `"k${serial}":0`).join(',');
  const rest = where === 'body' ? `"body":{${fields}}` : `"body":"x",${fields}`;
  const valid = `{"to":"a1","act":"inform",${rest}}`;
  return { bytes: Buffer.from(valid), valid };
}

/** A call, and how often it is made for one sample. */
interface Timed {
  work: () => unknown;
  calls: number;
}

function timed(work: () => unknown): Timed {
  const each: Timed = { work, calls: 1 };
  while (sampleMs(each) < SAMPLE_MS) each.calls *= 2;
  return each;
}

function sampleMs({ work, calls }: Timed): number {
  const start = performance.now();
  for (let left = calls; left > 0; left--) work();
  return performance.now() - start;
}

/**
 * Microseconds of one call of each: the least of several samples, taken in turns, so that what else the
 * machine does shows in none of them.
 */
function microseconds(...works: readonly (() => unknown)[]): number[] {
  const all = works.map(timed);
  const least = all.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [place, each] of all.entries()) {
      const cost = (sampleMs(each) / each.calls) * 1000;
      least[place] = Math.min(least[place] ?? cost, cost);
    }
  }
  return least;
}

function read({ bytes }: Sample): void {
  const letter = examineLetter(bytes, limits);
  assessLetter(letter);
  if (!parseLetter(letter).ok) throw new Error('The letter is wrong.');
}

function tell(what: string, sample: Sample, reach: string): void {
  const [cost = 0, limit = 0] = microseconds(
    () => read(sample),
    () => JSON.stringify(JSON.parse(sample.valid)),
  );
  tellCost(what, { cost, limit }, reach);
}

function tellCost(what: string, { cost, limit }: { cost: number; limit: number }, reach: string) {
  report(
    what,
    `${round(cost)} us (JSON ${round(limit)} us)`,
    `${round(cost / limit)} x JSON`,
    reach,
  );
}

const small = (build: (body: string) => Sample): Sample => build(lines(1900));
const large = (build: (body: string) => Sample, sizeBytes: number): Sample =>
  build(lines(sizeBytes - 50_000));

tell('assess + parse, 2 kB plain', small(plain), '<= 5 x');
tell('assess + parse + repair, 2 kB damaged', small(damaged), '<= 15 x');
tellBatch();
tell('assess + parse, 1 MiB plain', large(plain, MIB), '<= 5 x');
tell('assess + parse + repair, 1 MiB damaged', large(damaged, MIB), '<= 15 x');
tell('assess + parse, 1 MiB of escapes', plain(escapes(MIB - 200)), '<= 5 x');
tell('assess + parse + repair, 1 MiB of escapes', rawEscapes(MIB - 200), '<= 15 x');
tell('assess + parse, 80 000 fields in the body', wide('body'), '<= 3 x');
tell('assess + parse, 80 000 unknown fields', wide('beside'), '<= 3 x');
tellLinearity();

function tellLinearity(): void {
  const [twice, once] = [large(damaged, MIB), large(damaged, MIB / 2)];
  const [whole = 0, half = 0] = microseconds(
    () => read(twice),
    () => read(once),
  );
  report(
    'linearity of repair',
    '1 MiB over 512 KiB damaged',
    `${round(whole / half)} x`,
    '<= 2.2 x',
  );
}

function tellBatch(): void {
  const texts = Array.from({ length: BATCH }, (_, serial) =>
    letterText(`a${(serial + 1) % 10}`, serial),
  );
  let now = Date.parse('2026-11-30T17:19:11.123Z');
  const { next } = createIdSource({ now: () => now++, random: () => 'bench000' });
  const claims = texts.map((text, serial): Claim => {
    const [id, file] = [next(), 'x.json'];
    const sender = `a${serial % 10}` as AgentId;
    const original = Buffer.from(text);
    const parsed = parseLetter(examineLetter(original, limits));
    return { id, claimName: `${id}~${sender}~${file}`, sender, file, parsed, original };
  });
  const [cost = 0, limit = 0] = microseconds(
    () => plan(claims, next),
    () => texts.map((text) => JSON.stringify(JSON.parse(text))),
  );
  const perLetter = { cost: cost / BATCH, limit: limit / BATCH };
  tellCost(`decide, batch of ${BATCH} x 2 kB, per letter`, perLetter, 'no target');
}

/** Each batch with a memory of its own, so that no loop window fills. */
function plan(claims: Claim[], nextId: ReturnType<typeof createIdSource>['next']): void {
  const inputs = { claims, deferred: [], releases: [], escalations: [], strays: [] };
  const memory = new RoutingMemory();
  const { plan: made } = planBatch(inputs, {
    ...{ roster, memory, rules, nextId, logSeq: 0 },
    batch: nextId(),
  });
  if (made.copies.length !== BATCH) throw new Error(`${made.copies.length} copies`);
  memory.commit();
}
