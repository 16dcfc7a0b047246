/**
 * Our entries in a client's JSON settings: adding them, and taking them away again.
 *
 * What must hold: `removeOwned` undoes `addEntries`, byte for byte, also when others of ours came or went
 * in between; after an edit by somebody else, only ours go. What a text was like before our first entry
 * can't be read off it later (was there an empty list?), so it is told by `addEntries` and kept.
 */
import { getNodeValue, type Node } from 'jsonc-parser';
import { itemsOf, parseDocument, UnfitText, valueOf } from './json-document.ts';
import { type Item, insertItem, interiorOf, removeItem } from './json-items.ts';
import { styleOf } from './json-style.ts';

/** A value to add: at the end of a list, or as a property. */
export type Entry =
  | { list: readonly string[]; value: unknown }
  | { property: readonly string[]; value: unknown };

/**
 * What a container, by its path joined with `/`, was like before anything of ours was in it: `missing`, or
 * what stood between its brackets. The root has the empty path; `blank` is the text of a file without content.
 */
export type Before = Readonly<Record<string, 'missing' | { interior: string } | { blank: string }>>;

/** Tells whether an object, or a property's value, is ours. */
export type Owns = (value: unknown, path: readonly (string | number)[]) => boolean;

/** What {@link addEntries} works with. */
export interface Adding {
  entries: readonly Entry[];
  /** What is known from the records of others of ours in the same text. */
  known: Before;
  /** Tells of what is of any of ours. */
  isOurs: Owns;
}

/**
 * Adds entries.
 * @param text - nothing for a file that is not there
 * @throws UnfitText when the text is broken, or holds something else where an entry is to go
 */
export function addEntries(
  text: string | undefined,
  { entries, known, isOurs }: Adding,
): { text: string; before: Before } {
  const before: Record<string, Before[string]> = {};
  const root = text === undefined ? undefined : parseDocument(text);
  if (root === undefined) before[''] = text === undefined ? 'missing' : { blank: text };
  let done = root === undefined ? `{}\n` : (text ?? '');
  for (const entry of entries) {
    const place = findPlace(done, entry);
    noteBefore(before, { text: done, place, known, isOurs });
    const style = styleOf(done, parseDocument(done));
    done = insertItem(done, place.container, itemAt(place, entry), style);
  }
  return { text: done, before };
}

/** Where an entry goes: the innermost container that is there, and what is to be made inside it. */
interface Place {
  /** The containers on the way that are there, outermost first. */
  path: readonly { name: string; node: Node }[];
  container: Node;
  /** Names that are missing below it. */
  missing: readonly string[];
}

function findPlace(text: string, entry: Entry): Place {
  const names = 'list' in entry ? entry.list : entry.property;
  let container = requireRoot(text);
  const path = [{ name: '', node: container }];
  for (const [depth, key] of names.entries()) {
    const node = valueOf(container, key);
    if (node === undefined) return { path, container, missing: names.slice(depth) };
    const isLast = depth === names.length - 1;
    if (isLast && !('list' in entry)) {
      throw new UnfitText(`already has "${names.join('.')}", which is not from here`);
    }
    const wanted = isLast ? 'array' : 'object';
    if (node.type !== wanted) {
      const shown = names.slice(0, depth + 1).join('.');
      throw new UnfitText(`holds something other than an ${wanted} under "${shown}"`);
    }
    container = node;
    path.push({ name: names.slice(0, depth + 1).join('/'), node });
  }
  return { path, container, missing: [] };
}

function requireRoot(text: string): Node {
  const root = parseDocument(text);
  if (root === undefined) throw new UnfitText('holds no JSON object');
  return root;
}

function itemAt({ missing }: Place, entry: Entry): Item {
  const [key, ...inner] = missing;
  const leaf = 'list' in entry && missing.length > 0 ? [entry.value] : entry.value;
  return { key, value: inner.reduceRight<unknown>((value, name) => ({ [name]: value }), leaf) };
}

function noteBefore(
  before: Record<string, Before[string]>,
  { text, place, known, isOurs }: { text: string; place: Place; known: Before; isOurs: Owns },
): void {
  for (const { name, node } of place.path) {
    if (name in before) continue;
    const first = known[name];
    if (itemsOf(node).length === 0) before[name] = { interior: interiorOf(text, node) };
    else if (first !== undefined) before[name] = first;
    else if (isAllOurs(node, isOurs)) before[name] = 'missing';
  }
  const last = place.path.at(-1)?.name ?? '';
  for (const [index] of place.missing.entries()) {
    const names = place.missing.slice(0, index + 1).join('/');
    before[last === '' ? names : `${last}/${names}`] ??= 'missing';
  }
}

function isAllOurs(container: Node, isOurs: Owns): boolean {
  const owned = findOwned(container, isOurs);
  const isCovered = (node: Node): boolean => {
    if (owned.includes(node)) return true;
    const children = itemsOf(node);
    return children.length > 0 && children.every((child) => isCovered(valueIn(child)));
  };
  return isCovered(container);
}

/** The value of a property; another node as it is. */
function valueIn(node: Node): Node {
  return node.type === 'property' ? (node.children?.[1] ?? node) : node;
}

/**
 * Takes away what is owned, and the containers that were made for it.
 * @param before - from {@link addEntries}; without it, what gets empty is taken to have been made for it
 * @returns the text; nothing when the file had not been there
 * @throws UnfitText when the text is broken
 */
export function removeOwned(text: string, owns: Owns, before?: Before): string | undefined {
  let done = text;
  for (;;) {
    const root = parseDocument(done);
    const owned = root === undefined ? undefined : findOwned(root, owns)[0];
    if (owned === undefined) break;
    const { item, container, interior } = outermost(itemOf(owned), before);
    done = removeItem(done, container, item, interior);
  }
  return done === text ? text : withoutRoot(done, before?.['']);
}

/** Takes away the empty object that is left of a file that was not there, or held nothing. */
function withoutRoot(text: string, root: Before[string] | undefined): string | undefined {
  if (root === undefined || !/^\s*\{\s*\}\s*$/.test(text)) return text;
  if (root === 'missing') return undefined;
  return 'blank' in root ? root.blank : text;
}

function findOwned(node: Node, owns: Owns): Node[] {
  const value = valueIn(node);
  if (owns(getNodeValue(value), pathOf(value))) return [value];
  return itemsOf(value).flatMap((child) => findOwned(child, owns));
}

/** The item to take out of its container, and what to leave there when it was the only one. */
interface Target {
  item: Node;
  container: Node;
  interior: string;
}

/** Goes outwards as long as what is around would be left empty and was made for what is ours. */
function outermost(item: Node, before: Before | undefined): Target {
  const container = containerOf(item);
  if (itemsOf(container).length > 1) return { item, container, interior: '' };
  const path = pathOf(container);
  const isInElement = path.some((part) => typeof part === 'number');
  const was = before === undefined ? 'missing' : before[path.join('/')];
  if (path.length > 0 && (isInElement || was === 'missing')) {
    return outermost(itemOf(isInElement ? elementAround(container) : container), before);
  }
  const interior = typeof was === 'object' && 'interior' in was ? was.interior : '';
  return { item, container, interior };
}

/** What stands in a container for a value: the property, or the value itself. */
function itemOf(value: Node): Node {
  return value.parent?.type === 'property' ? value.parent : value;
}

function containerOf({ parent }: Node): Node {
  if (parent === undefined) throw new UnfitText('holds nothing but what is ours');
  return parent;
}

function elementAround(node: Node): Node {
  return node.parent === undefined || node.parent.type === 'array'
    ? node
    : elementAround(node.parent);
}

function pathOf(node: Node): (string | number)[] {
  const { parent } = node;
  if (parent === undefined) return [];
  const path = pathOf(parent);
  if (parent.type === 'array') return [...path, itemsOf(parent).indexOf(node)];
  return node.type === 'property' ? [...path, String(node.children?.[0]?.value)] : path;
}

/** Lists what is owned in a text, with where it stands; positions in lists do not count. */
export function listOwned(text: string, owns: Owns): { path: string[]; value: unknown }[] {
  const root = parseDocument(text);
  if (root === undefined) return [];
  return findOwned(root, owns).map((node) => ({
    path: pathOf(node).filter((part) => typeof part === 'string'),
    value: getNodeValue(node) as unknown,
  }));
}
