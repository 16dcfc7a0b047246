import { join } from 'node:path';
import type { AgentId } from '../../src/protocol/addresses.ts';
import type { LogRow } from '../../src/protocol/event.ts';
import type { Plan } from '../../src/routing/plan.ts';
import type { World, Written } from './world.ts';

/** What lies in the hive when everything is at rest, beside what the ledger knows. */
interface Evidence {
  world: World;
  rows: LogRow[];
  /** How often the history's queue records an id. */
  records: Map<string, number>;
  /** How often an agent found a message, by `<id> <agent>`. */
  found: Map<string, number>;
  problems: string[];
}

/**
 * Compares the hive at rest with the ledger.
 * @returns what is wrong, in sentences; nothing when everything holds
 */
export function checkRest(world: World): string[] {
  const evidence: Evidence = {
    world,
    rows: rowsOf(world),
    records: countRecords(world),
    found: count(world.seen.map(({ agent, message }) => `${message.id} ${agent}`)),
    problems: [],
  };
  for (const letter of world.written) checkLetter(letter, evidence);
  checkNotices(evidence);
  checkDelivered(evidence);
  checkLog(evidence);
  checkPlaces(evidence);
  if (!world.faulty) checkOrder(evidence);
  return evidence.problems;
}

function rowsOf({ files, layout }: World): LogRow[] {
  const lines = (files.text(layout.log) ?? '').split('\n');
  return lines.flatMap((line) => {
    try {
      return line === '' ? [] : [JSON.parse(line) as LogRow];
    } catch (error) {
      if (error instanceof SyntaxError) return [];
      throw error;
    }
  });
}

function countRecords({ files, layout }: World): Map<string, number> {
  const plans = files
    .list(layout.historyQueue)
    .map((name) => JSON.parse(files.text(join(layout.historyQueue, name)) ?? '') as Plan);
  return count(plans.flatMap(({ records }) => records.map(({ id }) => id)));
}

function count(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

/** Ids under which a letter's bytes lie in its sender's archive. */
function archivedAs({ files, layout }: World, { agent, text }: Written): string[] {
  const { root, sent } = layout.agent(agent as AgentId);
  const moved = files.list(root).filter((name) => name.startsWith('sent-'));
  const dirs = [sent, ...moved.map((name) => join(root, name)), `/hive/.router/unfiled/${agent}`];
  return dirs
    .filter((dir) => files.stat(dir)?.kind === 'directory')
    .flatMap((dir) => files.list(dir).filter((name) => files.text(join(dir, name)) === text))
    .map((name) => /[0-9a-z]{12}-[0-9a-z]{8}/.exec(name)?.[0] ?? name);
}

function checkLetter(letter: Written, evidence: Evidence): void {
  const { world, rows, records, problems } = evidence;
  const { nonce, agent } = letter;
  const ids = archivedAs(world, letter);
  if (ids.length !== 1) problems.push(`${nonce} is archived ${ids.length} times.`);
  const [id] = ids;
  if (id === undefined) return;
  const own = rows.filter((row) => row.kind === 'letter' && row.id === id);
  if (own.length !== 1) problems.push(`${nonce} has ${own.length} rows.`);
  const [row] = own;
  if (row === undefined) return;
  if (row.from !== agent) problems.push(`${nonce} is from ${row.from}.`);
  if (records.get(id) !== 1) problems.push(`${nonce} has ${records.get(id) ?? 0} records.`);
  checkCopies(letter, row, evidence);
}

function checkCopies(letter: Written, row: LogRow, evidence: Evidence): void {
  const { world, rows, problems } = evidence;
  const { nonce } = letter;
  const copies = world.seen.filter(({ message }) => message.subject === nonce);
  for (const { message } of copies) {
    if (message.id !== row.id) problems.push(`${nonce} came as ${message.id}, not ${row.id}.`);
  }
  const accepted = ['delivered', 'partial', 'held'].includes(row.outcome ?? '');
  const failed = Object.keys(row.failed ?? {});
  const due = accepted ? (row.to ?? []).filter((to) => !failed.includes(to)) : [];
  const isLeft = rows.some(({ kind, id }) => kind === 'escalated' && id === row.id);
  const wanted = [...due, ...(isLeft ? ['human'] : [])].sort().join();
  const got = copies
    .map((copy) => copy.agent)
    .sort()
    .join();
  if (wanted !== got) problems.push(`${nonce} is due to [${wanted}] and came to [${got}].`);
  if (!accepted || failed.length > 0) checkTold(letter, row, evidence);
}

/** A letter in reply to a notice may be one too many, of which its sender is not told. */
function checkTold({ nonce, agent }: Written, row: LogRow, { rows, problems }: Evidence): void {
  const notices = rows.filter(({ kind }) => kind === 'notice');
  const told = notices.filter(({ batch, to }) => batch === row.batch && to?.includes(agent));
  const least = notices.some(({ id }) => id === row.in_reply_to) ? 0 : 1;
  if (told.length < least || told.length > 1) {
    problems.push(`Of ${nonce} its sender is told ${told.length} times.`);
  }
}

function checkNotices({ rows, records, found, problems }: Evidence): void {
  for (const { id = '', to = [], code } of rows.filter(({ kind }) => kind === 'notice')) {
    const times = found.get(`${id} ${to[0]}`) ?? 0;
    if (times !== 1) problems.push(`The notice ${code} came ${times} times to ${to[0]}.`);
    if (records.get(id) !== 1) problems.push(`The notice ${code} has ${records.get(id)} records.`);
  }
}

/** The rows say of each copy that was found, once, that it was delivered; and of no other. */
function checkDelivered({ rows, found, problems }: Evidence): void {
  const told = count(
    rows.flatMap(({ id, delivered = [] }) => delivered.map((to) => `${id} ${to}`)),
  );
  for (const key of new Set([...told.keys(), ...found.keys()])) {
    const [said, was] = [told.get(key) ?? 0, found.get(key) ?? 0];
    if (said !== 1 || was !== 1)
      problems.push(`${key}: found ${was} times, ${said} rows say delivered.`);
  }
}

function checkLog({ rows, problems }: Evidence): void {
  const seqs = new Map<number, number>();
  const batches = new Map<string, number>();
  let greatest = '';
  for (const { epoch, seq, batch, kind } of rows) {
    if (seq <= (seqs.get(epoch) ?? 0)) problems.push(`Seq ${seq} comes late in epoch ${epoch}.`);
    seqs.set(epoch, seq);
    if (batch === undefined || kind !== 'letter') continue;
    if (batch < greatest && !batches.has(batch)) problems.push(`Batch ${batch} comes late.`);
    batches.set(batch, 1);
    if (batch > greatest) greatest = batch;
  }
}

function checkPlaces({ world: { files, layout }, problems }: Evidence): void {
  const epochs = files.list(layout.router).filter((name) => /^e\d/.test(name));
  if (epochs.length !== 1) problems.push(`There are the epochs ${epochs.join(', ')}.`);
  for (const epoch of epochs) {
    const left = files
      .tree(join(layout.router, epoch))
      .filter((path) => !/^(\/[^/]+){4}\/$/.test(path));
    if (left.length > 0) problems.push(`Left in ${epoch}: ${left.join(', ')}.`);
  }
}

function checkOrder({ world, problems }: Evidence): void {
  const last = new Map<string, string>();
  for (const letter of world.written.filter(({ complete }) => complete)) {
    const [id = ''] = archivedAs(world, letter);
    if (id < (last.get(letter.agent) ?? '')) problems.push(`${letter.nonce} overtook another.`);
    last.set(letter.agent, id);
  }
}
