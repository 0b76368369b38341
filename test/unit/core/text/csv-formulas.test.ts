import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withApostrophe } from '../../../../src/core/text.ts';
import { berthIn } from '../../../support/worlds/run-berth.ts';
import { createBatchWorld, OUT, read, RUN, write } from '../../../support/batch/command-fixture.ts';

const texts = fc.array(fc.constantFrom("'", '=', '+', '-', '@', '\t', '\r', '\n', '＝', 'a', '1', ' ', ',', '"'), {
  maxLength: 6,
});

test('an apostrophe is put before each text that a spreadsheet would run', () => {
  for (const first of ['=', '+', '-', '@', '\t', '\r', '\n']) expect(withApostrophe(`${first}1`)).toBe(`'${first}1`);
  expect(withApostrophe("'tis")).toBe("'tis");
  fc.assert(
    fc.property(texts, (characters) => {
      expect(withApostrophe(characters.join(''))).not.toMatch(/^[=+\-@\t\r\n＝]/);
    }),
  );
});

const EXPORT = ['jobs', 'batch', 'export', OUT, '-o', 'csv'];

test('a batch reads the cells of a CSV as they are', async () => {
  const world = await createBatchWorld();
  write(world, 'in.jsonl', '{"name":"=1+1"}\n');
  await berthIn(world, RUN);
  const exported = await berthIn(world, [...EXPORT, '--fields', 'output.name']);
  expect(exported.out).toBe("output.name\n'=1+1\n");
  write(world, 'own.csv', exported.out);
  const args = ['jobs', 'batch', 'run', 'echo', '--input', 'own.csv', '--out', 'own.jsonl'];
  expect((await berthIn(world, args)).code).toBe(0);
  expect(outputsOf(read(world, 'own.jsonl'))).toEqual(["'=1+1"]);
});

const outputsOf = (results: string): readonly unknown[] =>
  results
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { output: Readonly<Record<string, unknown>> }).output['output.name']);
