import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeJson, encodeJson } from '../../../../src/core/json.ts';
import { safeText } from '../../../../src/core/safe-text.ts';
import { compactJson, escapeJson, indentJson as indentParts } from '../../../../src/output/formats/json.ts';
import { itemSources, memberSource } from '../../../../src/core/json-source.ts';
import { render } from '../../../../src/output/render.ts';
import { podView } from '../../../support/output/pods.ts';
import { as, screen } from '../../../support/output/screen.ts';

/** JSON texts that no encoder writes: duplicate members, numbers that no double holds, unusual escapes. */
const space = fc.constantFrom('', ' ', '\n\t', '\r\n  ');
const scalar = fc.oneof(
  fc.constantFrom(
    'null',
    'true',
    'false',
    '1e400',
    '-0',
    '1.0',
    '9007199254740993',
    '1E+5',
    '-12.50e-3',
    '"\\u00e9\\/"',
  ),
  fc.bigInt().map(String),
  fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)),
  fc.constantFrom('"{[,:]}"', '"\\""', '"\\\\"', '"\u2028\u202e\u0085"'),
);
const name = fc.oneof(
  fc.constantFrom('"a"', '"b"', '"\\u0061"', '"__proto__"'),
  fc.string().map((text) => JSON.stringify(text)),
);
const { json } = fc.letrec<{ json: string; array: string; object: string }>((tie) => ({
  json: fc.oneof({ maxDepth: 4 }, scalar, tie('array'), tie('object')),
  array: fc
    .tuple(space, fc.array(tie('json'), { maxLength: 4 }))
    .map(([gap, items]) => `[${gap}${items.join(`${gap},${gap}`)}${gap}]`),
  object: fc
    .tuple(space, fc.array(fc.tuple(name, tie('json')), { maxLength: 4 }))
    .map(([gap, all]) => `{${gap}${all.map(([key, value]) => `${key}${gap}:${gap}${value}`).join(`,${gap}`)}${gap}}`),
}));

const indentJson = (source: string): string => [...indentParts(source)].join('');

/** An independent tokenizer, by regular expression, to compare the code with. */
const tokensOf = (text: string): readonly string[] => text.match(/"(?:\\.|[^"\\])*"|[[\]{},:]|[^\s[\]{},:"]+/gsu) ?? [];

describe('indenting JSON text', () => {
  test('keeps exactly the tokens of any JSON text', () => {
    fc.assert(
      fc.property(json, (text) => {
        expect(tokensOf(indentJson(text))).toEqual(tokensOf(text));
        expect(compactJson(text)).toBe(tokensOf(text).join(''));
      }),
    );
  });

  test('indents like JSON.stringify', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(indentJson(text)).toBe(JSON.stringify(value, null, 2));
        expect(encodeJson(decodeJson(text), 2)).toBe(encodeJson(decodeJson(indentJson(text)), 2));
      }),
    );
  });

  test('100000 levels of nesting take linear time and memory', () => {
    const text = '['.repeat(100_000) + '{"n":9007199254740993}' + ']'.repeat(100_000);
    const laidOut = indentJson(text);
    expect(laidOut.replace(/\s/g, '')).toBe(text);
    expect(laidOut.length).toBeLessThan(text.length + 20_000);
  });

  test('drops a byte order mark', () => {
    expect(indentJson('\uFEFF{}')).toBe('{}');
  });
});

describe('finding a part of JSON text', () => {
  test('a member is found by its unescaped name, and the last duplicate is used', () => {
    expect(memberSource('{"x":{"pods":1}, "p\\u006fds" : [1] , "pods":[2, {"pods":3}], "y":0}', 'pods')).toBe(
      '[2, {"pods":3}]',
    );
    expect(memberSource('{"x":1}', 'pods')).toBeUndefined();
    expect(memberSource('[{"pods":1}]', 'pods')).toBeUndefined();
  });

  test('the items are those of the outer array', () => {
    fc.assert(
      fc.property(fc.array(json), (items) => {
        expect(itemSources(`[ ${items.join(' , ')} ]`)).toEqual(items);
      }),
    );
  });
});

describe('--json', () => {
  const text = '{ "id":"p", "n":9007199254740993, "big":1e400, "n":1.0, "s":"\\u00e9\u202e\u0085" }';
  const one = { kind: 'one', view: podView, value: decodeJson(text), source: text } as const;

  test('is the document of the service, with duplicate members and numbers that no double holds', async () => {
    const to = screen();
    await render(one, as({ format: 'json' }), to);
    expect(to.out()).toBe(
      '{\n  "id": "p",\n  "n": 9007199254740993,\n  "big": 1e400,\n  "n": 1.0,\n  "s": "\\u00e9\u202e\u0085"\n}\n',
    );
  });

  test('of a list is its array, and with -o jsonl one line for each item', async () => {
    const sources = [{ text: `{"next":null,"pods":[${text}, {"id" : "q"}]}`, member: 'pods' }];
    const many = { kind: 'many', view: podView, values: [one.value, { id: 'q' }], sources } as const;
    const pretty = screen();
    await render(many, as({ format: 'json' }), pretty);
    expect(tokensOf(pretty.out())).toEqual(tokensOf(`[${text},{"id":"q"}]`));
    const lines = screen();
    await render(many, as({ format: 'jsonl' }), lines);
    expect(lines.out()).toBe(`${tokensOf(text).join('')}\n{"id":"q"}\n`);
  });

  test('of a list of several pages is one array of their rows, without those that are left out', async () => {
    const page = (rows: string) => ({ text: `{"pods":${rows}}`, member: 'pods' });
    const values = [one.value, { id: 'q' }, { id: 'r' }];
    for (const sources of [
      [page(`[${text}]`), page('[ ]'), page('[{"id" : "q"}, {"id":"r"}]')],
      [page('[]'), { ...page(`[{"id":"a"},${text}]`), without: new Set([0]) }, page('[{"id":"q"},{"id":"r"}]')],
    ]) {
      const many = { kind: 'many', view: podView, values, sources } as const;
      const pretty = screen();
      await render(many, as({ format: 'json' }), pretty);
      expect(tokensOf(pretty.out())).toEqual(tokensOf(`[${text},{"id":"q"},{"id":"r"}]`));
      expect(pretty.out().split('\n').slice(-6)).toEqual(
        ['    "id": "q"', '  },', '  {', '    "id": "r"', '  }', ']', ''].slice(-6),
      );
      const lines = screen();
      await render(many, as({ format: 'jsonl' }), lines);
      expect(lines.out()).toBe(`${tokensOf(text).join('')}\n{"id":"q"}\n{"id":"r"}\n`);
    }
    const empty = screen();
    await render(
      { kind: 'many', view: podView, values: [], sources: [page('[]'), page('[]')] },
      as({ format: 'json' }),
      empty,
    );
    expect(empty.out()).toBe('[]\n');
  });

  test('of several pages of any length is one array: the text is laid out in parts', async () => {
    // Two and three pieces an item, and 8192 in a part.
    for (const count of [1, 2730, 2731, 2732, 4094, 4095, 4096, 4097, 8190, 8191, 8192, 8193])
      for (const item of ['1', '[]']) {
        const page = { text: `[${Array.from({ length: count }, () => item).join(',')}]` };
        const pretty = screen();
        const many = { kind: 'many', view: podView, values: [], sources: [page, page] } as const;
        await render(many, as({ format: 'json' }), pretty);
        const expected = JSON.stringify(
          Array.from({ length: 2 * count }, () => JSON.parse(item) as unknown),
          null,
          2,
        );
        expect(pretty.out() === `${expected}\n`, `${count} of ${item}`).toBe(true);
      }
  });

  test('encodes the values if there is no source text or the text lacks the member', async () => {
    const empty = screen();
    await render({ ...one, value: { id: 'p' }, source: '' }, as({ format: 'json' }), empty);
    expect(empty.out()).toBe('{\n  "id": "p"\n}\n');
    const to = screen();
    await render(
      { kind: 'many', view: podView, values: [], sources: [{ text: '{}', member: 'pods' }] },
      as({ format: 'json' }),
      to,
    );
    expect(to.out()).toBe('[]\n');
  });

  test('on a terminal is the same JSON with all control characters escaped', () => {
    fc.assert(
      fc.property(json, (any) => {
        const shown = escapeJson(any.replace(/[\t\r]/g, ' '));
        expect(safeText(shown, true)).toBe(shown);
        expect(JSON.parse(shown)).toEqual(JSON.parse(any));
      }),
    );
    expect(JSON.parse(escapeJson('"\u{e0041}x"'))).toBe('\u{e0041}x');
  });
});
