import fc from 'fast-check';

/** What may stand between two tokens of a settings file. */
const gap = fc
  .array(
    fc.constantFrom(
      '',
      ' ',
      '\n',
      '\n  ',
      '\r\n',
      '\t',
      '/* , ] } */',
      '// "x": [\n',
      '/**/',
      '// y\r\n',
    ),
    { maxLength: 3 },
  )
  .map((parts) => parts.join(''));

const plainGap = fc.constantFrom('', ' ', '\n', '\n  ', '\r\n\t', '  ');

const leaf = fc.constantFrom('1', 'null', 'true', '"text"', '"\\u007b, // no"', '-1.5e3', '"ß🐝"');

/** Joins items the way of JSON, some with a comma behind the last. */
function between(
  [open, close]: readonly [string, string],
  items: fc.Arbitrary<string[]>,
  space: fc.Arbitrary<string>,
): fc.Arbitrary<string> {
  return fc
    .tuple(items, fc.infiniteStream(space), fc.boolean())
    .map(([texts, spaces, trailing]) => {
      const next = (): string => String(spaces.next().value);
      const inside = texts.map((text) => next() + text + next()).join(',');
      const comma = trailing && texts.length > 0 && space === gap ? ',' : '';
      return open + inside + comma + next() + close;
    });
}

function settings(space: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const { value } = fc.letrec<{ value: string; list: string; object: string }>((tie) => ({
    value: fc.oneof({ maxDepth: 2 }, leaf, tie('list'), tie('object')),
    list: between(['[', ']'], fc.array(tie('value'), { maxLength: 3 }), space),
    object: between(['{', '}'], fc.array(property(tie('value')), { maxLength: 3 }), space),
  }));
  const list = between(['[', ']'], fc.array(value, { maxLength: 3 }), space);
  const hooks = between(
    ['{', '}'],
    fc
      .uniqueArray(fc.constantFrom('Stop', 'PostToolUse', 'Mine'), { maxLength: 3 })
      .chain((names) => fc.tuple(...names.map((name) => list.map((text) => `"${name}":${text}`)))),
    space,
  ).map((text) => `"hooks": ${text}`);
  const properties = fc
    .tuple(fc.array(property(value), { maxLength: 3 }), fc.option(hooks), fc.nat({ max: 3 }))
    .map(([others, own, at]) => (own === null ? others : others.toSpliced(at, 0, own)));
  return fc
    .tuple(space, between(['{', '}'], properties, space), space)
    .map(([before, root, after]) => before + root + after);
}

function property(value: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom('a', 'b', '$schema', '__proto__', 'a b'), plainGap, value)
    .map(([key, space, text]) => `"${key}"${space}:${space}${text}`);
}

/** Settings files of any layout: as programs write them, as people do, and as nobody does. */
export const anySettings: fc.Arbitrary<string> = fc.oneof(
  settings(gap),
  settings(plainGap),
  fc
    .tuple(
      fc.jsonValue({ maxDepth: 3 }),
      fc.constantFrom(0, 2, 4, '\t'),
      fc.constantFrom('', '\n', '\r\n'),
    )
    .map(([value, indent, end]) => JSON.stringify({ value, hooks: {} }, undefined, indent) + end),
  fc.constantFrom('', '\n', ' \r\n\t'),
);
