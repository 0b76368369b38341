import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeJson, type Json, memberSource } from '../../../../src/core/json.ts';
import { safeText } from '../../../../src/core/safe-text.ts';
import { escapeJson } from '../../../../src/output/formats/json.ts';
import { render } from '../../../../src/output/render.ts';
import type { RowsResult } from '../../../../src/output/view.ts';
import { podView } from '../../../support/output/pods.ts';
import { as, screen } from '../../../support/output/screen.ts';

test.each([
  ['{"x":{"pods":1}, "p\\u006fds" : [1] , "pods":[2, {"pods":3}], "y":0}', '[2, {"pods":3}]'],
  ['{"a":"pods\\"\\\\","pods": -1.50e3 }', '-1.50e3'],
  ['\uFEFF{"pods":"]}"}', '"]}"'],
  ['{"x":1}', undefined],
  ['[{"pods":1}]', undefined],
  ['"pods"', undefined],
])('the source of the member pods of %s is %s', (text, source) => {
  expect(memberSource(text, 'pods')).toBe(source);
});

const printed = async (result: RowsResult, format: 'json' | 'jsonl'): Promise<string> => {
  const to = screen();
  await render(result, as({ format }), to);
  return to.out();
};

describe('--json', () => {
  const text = '{"id":"p","n":9007199254740993,"big":1e400,"x":1.0,"s":"\u202e\u0085","deep":{"a":[]}}';
  const value = decodeJson(text);
  const list = (values: readonly Json[]) => ({ kind: 'many', view: podView, values }) as const;

  test('is the document of the service, with numbers that no double holds', async () => {
    expect(await printed({ kind: 'one', view: podView, value }, 'json')).toBe(
      '{\n  "id": "p",\n  "n": 9007199254740993,\n  "big": 1e400,\n  "x": 1.0,\n  "s": "\u202e\u0085",\n  "deep": {\n    "a": []\n  }\n}\n',
    );
    expect(await printed(list([value, { id: 'q' }]), 'jsonl')).toBe(`${text}\n{"id":"q"}\n`);
  });

  test.each([0, 1, 99, 100, 101, 250])('a list of %i rows is one array', async (count) => {
    const rows = Array.from({ length: count }, (_, at) => ({ id: `p${at}`, ports: [at] }));
    expect(await printed(list(rows), 'json')).toBe(`${JSON.stringify(rows, null, 2)}\n`);
  });

  test('on a terminal is the same JSON with all control characters escaped', () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: 'binary' }), (any) => {
        const shown = escapeJson(any);
        expect(safeText(shown, true)).toBe(shown);
        expect(JSON.parse(shown)).toEqual(JSON.parse(any));
      }),
    );
    expect(JSON.parse(escapeJson('"\u{e0041}x"'))).toBe('\u{e0041}x');
  });
});
