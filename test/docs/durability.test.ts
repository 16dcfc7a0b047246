import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const page = readFileSync(join(ROOT, 'docs/durability.md'), 'utf8');

/** What a claim is shown by: a test file and words of a title in it. */
function shown(): { file: string; title: string }[] {
  const [, text = ''] = page.split('\n## What shows it\n');
  const [section = ''] = text.split('\n## ');
  return section.split('\n').flatMap((line) => {
    const [, , file, title] = line.split('|').map((cell) => cell.trim());
    return file?.startsWith('`test/')
      ? [{ file: file.replaceAll('`', ''), title: title ?? '' }]
      : [];
  });
}

const TEST = /^(it|test|describe)\b/;

/** Tells whether a piece of text is a title of a test, or stands in a table that titles are made of. */
function isTitle(text: ts.Node): boolean {
  let node = text;
  while (!ts.isSourceFile(node)) {
    if (ts.isCallExpression(node) && TEST.test(node.expression.getText())) return true;
    if (ts.isFunctionLike(node)) return false;
    node = node.parent;
  }
  return true;
}

function titlesIn(file: string): string[] {
  const path = join(ROOT, file);
  if (!existsSync(path)) return [];
  const text = readFileSync(path, 'utf8');
  const titles: string[] = [];
  const visit = (node: ts.Node): void => {
    if ((ts.isStringLiteralLike(node) || ts.isTemplateLiteralToken(node)) && isTitle(node))
      titles.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  return titles;
}

describe('docs/durability.md', () => {
  it('shows each claim by a test that is there', () => {
    const rows = shown();
    expect(rows.length).toBeGreaterThan(70);
    const missing = rows.filter(({ file, title }) => {
      return title === '' || !titlesIn(file).some((each) => each.includes(title));
    });
    expect(missing).toEqual([]);
  });

  it('shows them by tests that are not left out', () => {
    const files = [...new Set(shown().map(({ file }) => file))];
    const left = files.filter((file) =>
      /\b(it|test|describe)\.(skip|todo|fails|only)\b/.test(readFileSync(join(ROOT, file), 'utf8')),
    );
    expect(left).toEqual([]);
  });

  it('names no test file that is not there', () => {
    const named = [...page.matchAll(/`(test\/[^`*]+\.ts)`/g)].map(([, file = '']) => file);
    expect(named.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });
});
