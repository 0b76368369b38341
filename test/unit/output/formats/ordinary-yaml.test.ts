import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as yaml from 'yaml';
import { decodeJson, type Json } from '../../../../src/core/json.ts';
import { encode, ordinaryYaml, typedBy } from '../../../../src/output/formats/yaml.ts';

const isTyped = typedBy(yaml);

/** Texts that a YAML reader could take for something else. */
const word = fc.constantFrom(
  ...[
    'no',
    'Yes',
    'y',
    'N',
    'on',
    'OFF',
    'True',
    'false',
    'null',
    'Null',
    '~',
    '',
    'nulls',
    'not',
    'NO',
    'none',
    'tRue',
  ],
  ...[
    '1',
    '-1',
    '+1',
    '0x1f',
    '0o17',
    '017',
    '1e3',
    'E0',
    'e-12345',
    '1_000',
    '.5',
    '.inf',
    '.NaN',
    '-.inf',
    '1:30',
    '0b1',
    '1.0',
  ],
  ...[
    '2026-01-01',
    '2026-01-01T00:00:00Z',
    '2026-1-1 1:2:3',
    '<<',
    '=',
    '---',
    '...',
    '--- a',
    '%TAG',
    '-',
    '?',
    '- a',
  ],
  ...[
    'a: b',
    'a:',
    'a #b',
    'a#b',
    '#a',
    ': a',
    ':a',
    'a,b',
    '[a]',
    '{a}',
    '*a',
    '&a',
    '!a',
    '|',
    '>',
    '@a',
    '`a',
    "'a'",
  ],
  ...[
    '"a"',
    `"a'`,
    "it's",
    ' a',
    'a ',
    'a\tb',
    '\ta',
    'a\n',
    'a\nb',
    'a\n\nb\n',
    '\na',
    'a\n b',
    ' a\nb',
    'a \nb',
    'a\n\n',
  ],
  ...[
    '\n',
    '\n\n',
    'a\n---\nb',
    'a\n%b',
    'a\n...',
    'a\r\nb',
    'Größe',
    '\u202e',
    '\u00a0',
    '😀',
    'a\u2028b',
    '\u001b[31m',
    '\ud800',
  ],
  ...['/workspace', 'key=value', 'a b c', 'a:b', 'x'.repeat(300), 'http://host:80/a?b=c', 'C:\\dir', 'a\nb: "c"\n#d\n'],
);
const pieces = fc
  .array(fc.oneof(word, fc.constantFrom(' ', ':', '#', '\n', '-', '"', "'", '\\', 'a', '1', 'é')), { maxLength: 5 })
  .map((parts) => parts.join(''));
const text = fc.oneof(word, pieces, fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }));
const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.constantFrom(-0, 1e21, 1e-7, 0.1),
);
const { value } = fc.letrec<{ value: Json; list: Json; object: Json }>((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, text, number, fc.constantFrom(null, true, false), tie('list'), tie('object')),
  list: fc.array(tie('value'), { maxLength: 4 }),
  object: fc.dictionary(text, tie('value'), { maxKeys: 4 }),
}));

test('what is written without the library is byte for byte what the library writes', () => {
  let taken = 0;
  fc.assert(
    fc.property(value, (each) => {
      const written = ordinaryYaml(each, isTyped);
      if (written === undefined) return;
      taken++;
      expect(written).toBe(encode(yaml, each));
    }),
    { numRuns: 3000 },
  );
  expect(taken).toBeGreaterThan(500);
});

test('every short text is written as the library writes it, as a value and as a name', () => {
  const characters = ['a', 'n', '1', '.', '-', ' ', ':', '#', "'", '"', '\n', '~', '%', 'é'];
  const texts = ['', ...characters].flatMap((a) =>
    ['', ...characters].flatMap((b) => ['', ...characters].map((c) => a + b + c)),
  );
  for (const each of texts) {
    for (const shown of [[each], { [each]: { a: each } }]) {
      const written = ordinaryYaml(shown, isTyped);
      if (written !== undefined) expect(written).toBe(encode(yaml, shown));
    }
  }
});

test('a pod is ordinary, with exact numbers and lines', () => {
  const pod = decodeJson(
    '{"id":"p","count":9007199254740993,"cost":0.0,"env":{"NOTE":"Größe, \\"a\\"\\nline"},"at":"2026-01-01T00:00:00Z","ports":[]}',
  );
  expect(ordinaryYaml([pod], isTyped)).toBe(
    '- id: p\n  count: 9007199254740993\n  cost: 0.0\n  env:\n    NOTE: |-\n      Größe, "a"\n      line\n' +
      '  at: "2026-01-01T00:00:00Z"\n  ports: []\n',
  );
});

test.each([[[]], [{}], ['text'], [1], [null]])('%j is left to the library', (each) => {
  expect(ordinaryYaml(each, isTyped)).toBeUndefined();
});
