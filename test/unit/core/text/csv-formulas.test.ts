import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withApostrophe, withoutApostrophe } from '../../../../src/core/text.ts';
import { berthIn } from '../../../support/worlds/run-berth.ts';
import { createBatchWorld, OUT, read, RUN, write } from '../../../support/batch/command-fixture.ts';

const texts = fc.array(fc.constantFrom("'", '=', '+', '-', '@', '\t', '\r', '\n', '＝', 'a', '1', ' ', ',', '"'), {
  maxLength: 6,
});

test('an apostrophe is put before each text that a spreadsheet would run, and taken away again', () => {
  for (const first of ['=', '+', '-', '@', '\t', '\r', '\n']) expect(withApostrophe(`${first}1`)).toBe(`'${first}1`);
  expect(withApostrophe("'tis")).toBe("'tis");
  fc.assert(
    fc.property(texts, (characters) => {
      const text = characters.join('');
      expect(withoutApostrophe(withApostrophe(text))).toBe(text);
      expect(withApostrophe(text)).not.toMatch(/^[=+\-@\t\r\n＝]/);
    }),
  );
});

const NAMES = ['=1+1', '-5 degrees', '@home', '\nfirst', '\tx', "'=x", "'tis", 'plain', '+49', '\r\ny'];

test('a CSV that berth exported gives a batch the same values back', async () => {
  const world = await createBatchWorld();
  write(world, 'in.jsonl', NAMES.map((name) => `${JSON.stringify({ name })}\n`).join(''));
  expect((await berthIn(world, RUN)).code).toBe(0);
  const exported = await berthIn(world, ['jobs', 'batch', 'export', OUT, '-o', 'csv', '--fields', 'item,output.name']);
  expect(exported.out).toContain("'=1+1");
  write(world, 'again.csv', exported.out);
  const again = ['jobs', 'batch', 'run', 'echo', '--input', 'again.csv', '--out', 'again.jsonl', '--ordered'];
  expect((await berthIn(world, again)).code).toBe(0);
  expect([...outputsOf(read(world, 'again.jsonl'))].sort()).toEqual([...NAMES].sort());
});

test('--csv-raw prints and reads cells as they are', async () => {
  const world = await createBatchWorld();
  write(world, 'in.jsonl', '{"name":"=1+1"}\n');
  await berthIn(world, RUN);
  const exported = await berthIn(world, [
    'jobs',
    'batch',
    'export',
    OUT,
    '-o',
    'csv',
    '--csv-raw',
    '--fields',
    'output.name',
  ]);
  expect(exported.out).toBe('output.name\n=1+1\n');
  write(world, 'raw.csv', "output.name\n'=1+1\n");
  const args = ['jobs', 'batch', 'run', 'echo', '--input', 'raw.csv', '--out', 'raw.jsonl', '--csv-raw'];
  expect((await berthIn(world, args)).code).toBe(0);
  expect(outputsOf(read(world, 'raw.jsonl'))).toEqual(["'=1+1"]);
});

test('a batch says how many cells of its CSV files lost an apostrophe, and how to keep it', async () => {
  const world = await createBatchWorld();
  write(world, 'own.csv', "name,'-a\n'=1+1,'tis\n'+49 171,'@home\n");
  write(world, 'plain.csv', "name,b\n'tis,-1\n");
  const run = async (out: string, ...more: readonly string[]) =>
    await berthIn(world, ['jobs', 'batch', 'run', 'echo', '--out', out, ...more]);
  const told =
    '4 CSV cells lost the apostrophe before = + - @, a tab or a line break, which an export of berth adds. --csv-raw keeps it.';
  expect((await run('a.jsonl', '--input', 'own.csv', '--input', 'plain.csv')).err).toContain(`${told}\n`);
  const planned = await run('b.jsonl', '--input', 'own.csv', '--dry-run', '--json');
  expect(planned.err).toContain(told);
  expect(JSON.parse(planned.out)).toMatchObject({ planned: 2, removedApostrophes: 4 });
  for (const silent of [['plain.csv'], ['own.csv', '--csv-raw']]) {
    const { code, err } = await run(`${silent.join('')}.jsonl`, '--input', ...silent);
    expect(code).toBe(0);
    expect(err).not.toContain('apostrophe');
  }
});

const outputsOf = (results: string): readonly unknown[] =>
  results
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { output: Readonly<Record<string, unknown>> }).output['output.name']);
