import { expect, test } from 'vitest';
import { decodeJson, type Json } from '../../../../src/core/json.ts';
import { openRows } from '../../../../src/output/render.ts';
import type { OutputOptions } from '../../../../src/output/view.ts';
import { podView } from '../../../support/output/pods.ts';
import { as, screen, type Screen } from '../../../support/output/screen.ts';

const ROWS = ['{"id":"a","name":"x\\ty","n":9007199254740993}', '{"id":"b","name":"\u202elong name","extra":[1]}'].map(
  decodeJson,
);

async function write(options: Partial<OutputOptions>, rows: readonly Json[], to: Screen = screen()): Promise<string> {
  const writer = openRows(podView, as(options), to);
  for (const row of rows) await writer.row(row);
  await writer.close();
  return to.out();
}

test.each([
  [
    { format: 'json' },
    '[\n  {\n    "id": "a",\n    "name": "x\\ty",\n    "n": 9007199254740993\n  },\n  {\n    "id": "b",\n    "name": "\u202elong name",\n    "extra": [\n      1\n    ]\n  }\n]\n',
    '[]\n',
  ],
  [
    { format: 'jsonl' },
    '{"id":"a","name":"x\\ty","n":9007199254740993}\n{"id":"b","name":"\u202elong name","extra":[1]}\n',
    '',
  ],
  [
    { format: 'yaml' },
    '- id: a\n  name: x\ty\n  "n": 9007199254740993\n- id: b\n  name: "\\u202elong name"\n  extra:\n    - 1\n',
    '[]\n',
  ],
  [{ format: 'csv' }, 'id,name,n\na,x\ty,9007199254740993\nb,\u202elong name,\n', ''],
  [{ format: 'id' }, 'a\nb\n', ''],
  [{ fields: ['id', 'n'] }, 'id\tn\na\t9007199254740993\nb\t-\n', ''],
  [{ fields: ['name'] }, 'x\\ty\n\\u202elong name\n', ''],
  [{ format: 'jsonl', fields: ['n'] }, '{"n":9007199254740993}\n{"n":null}\n', ''],
] as const)('%j', async (options, expected, none) => {
  expect(await write(options, ROWS)).toBe(expected);
  expect(await write(options, [])).toBe(none);
});

test('on a terminal columns stay aligned and control characters are escaped', async () => {
  const to = screen({ tty: true });
  expect(await write({ fields: ['id', 'name', 'n'] }, [...ROWS, { id: '日本', name: 'z' }], to)).toBe(
    'id  name  n\na   x\\ty  9007199254740993\nb   \\u202elong name  -\n日本  z                -\n',
  );
});
