import { cutText, escapeLine, redactSecrets, type ThreadEntry } from '../index.ts';

const NAMES_SHOWN = 3;
const SUBJECT_LENGTH = 60;
/** An agent id is shorter; what is longer was not written by a router. */
const NAME_LENGTH = 80;

/** What says who wrote to whom, about what. */
export type Addressed = Pick<ThreadEntry, 'from' | 'to' | 'act' | 'subject' | 'outcome' | 'code'>;

/** Renders who wrote to whom, with which act, about what, and how it ended: one line, safe for a terminal. */
export function showAddressed({ from, to, act, subject, outcome, code }: Addressed): string {
  const named = to.slice(0, NAMES_SHOWN).map(clean);
  const more = to.length > NAMES_SHOWN ? ` and ${to.length - NAMES_SHOWN} more` : '';
  const about = cutText(escapeLine(redactSecrets(subject)), SUBJECT_LENGTH);
  const ending = outcome === 'delivered' ? '' : `  ${escapeLine(`${outcome} (${code})`)}`;
  const way = `${clean(from)} → ${named.join(', ')}${more}`;
  const said = about === '' ? '' : `  "${about.replaceAll('"', '\\"')}"`;
  return `${way}  ${clean(act ?? 'letter')}${said}${ending}`;
}

function clean(name: string): string {
  return cutText(escapeLine(name), NAME_LENGTH);
}

interface Branch {
  entry: ThreadEntry;
  depth: number;
}

/** Deeper answers stand below each other. */
const MOST_DEPTH = 12;

/**
 * Renders a conversation as a tree, answers below what they answer: a line for each, safe for a terminal.
 * @param marked - id of the one that is pointed at
 * @param most - lines; of a longer one those around the marked one
 */
export function showThread(
  thread: readonly ThreadEntry[],
  { marked, most }: { marked: string; most: number },
): string[] {
  const branches = toTree(thread);
  const place = branches.findIndex(({ entry }) => entry.id === marked);
  const first = Math.max(0, Math.min(place - Math.floor(most / 2), branches.length - most));
  const last = Math.min(branches.length, first + most);
  return [
    ...(first > 0 ? [`  … ${first} before`] : []),
    ...branches.slice(first, last).map((branch) => showBranch(branch, marked)),
    ...(last < branches.length ? [`  … ${branches.length - last} more`] : []),
  ];
}

function showBranch({ entry, depth }: Branch, marked: string): string {
  const mark = entry.id === marked ? '▸' : ' ';
  const indent = '  '.repeat(Math.min(depth, MOST_DEPTH));
  const time = entry.at.slice(0, 'YYYY-MM-DDTHH:MM:SS'.length).replace('T', ' ');
  return `${mark} ${time}  ${indent}${showAddressed(entry)}  ${entry.id}`;
}

function toTree(thread: readonly ThreadEntry[]): Branch[] {
  const known = new Set<string>(thread.map(({ id }) => id));
  const answers = new Map<string, ThreadEntry[]>();
  for (const entry of thread) {
    const parent = parentOf(entry, known);
    answers.set(parent, [...(answers.get(parent) ?? []), entry]);
  }
  const branches: Branch[] = [];
  const open: Branch[] = (answers.get('') ?? []).map((entry) => ({ entry, depth: 0 })).reverse();
  for (let branch = open.pop(); branch !== undefined; branch = open.pop()) {
    branches.push(branch);
    const { entry, depth } = branch;
    for (const answer of (answers.get(entry.id) ?? []).toReversed()) {
      open.push({ entry: answer, depth: depth + 1 });
    }
  }
  return branches;
}

/** What it answers, where that is part of the thread and older; so no entry is above itself. */
function parentOf({ id, in_reply_to: parent }: ThreadEntry, known: ReadonlySet<string>): string {
  return parent !== null && parent < id && known.has(parent) ? parent : '';
}
