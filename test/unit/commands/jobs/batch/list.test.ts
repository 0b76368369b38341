import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readHeader } from '../../../../../src/batch/store/journal.ts';
import { memoryFiles } from '../../../../support/batch/memory-files.ts';
import { batchIn, createBatchWorld, items, write } from '../../../../support/batch/command-fixture.ts';
import { berthIn, type Ran } from '../../../../support/worlds/run-berth.ts';

const broken = (batch: string) => ({
  batch,
  state: 'broken',
  error: { code: 'local-file', message: expect.any(String) as string },
});
const rowsOf = ({ out }: Ran): unknown => JSON.parse(out);

test('a list of a folder shows a broken journal and a foreign file as such, and the batches beside them', async () => {
  const world = await createBatchWorld();
  write(world, 'in.jsonl', items(2));
  for (const out of ['b.jsonl', 'd.jsonl'])
    expect((await batchIn(world, 'run', 'echo', '--input', 'in.jsonl', '--out', out)).code).toBe(0);
  write(world, 'a.jsonl.journal', 'a diary\n');
  write(world, 'c.jsonl.journal', '');
  writeFileSync(join(world.directory, 'e.journal'), Buffer.alloc(4096, 0xff));
  mkdirSync(join(world.directory, 'f.journal'));
  const listed = await batchIn(world, 'list');
  expect(rowsOf(listed)).toMatchObject([
    broken('a.jsonl'),
    { completed: 2, state: 'ended' },
    broken('c.jsonl'),
    { completed: 2, state: 'ended' },
    broken('e'),
  ]);
  expect([listed.code, listed.err]).toEqual([14, expect.stringContaining('3 of 5 did not go through')]);
  const table = await berthIn({ ...world }, ['jobs', 'batch', 'list']);
  expect(table.out).toMatch(/a\.jsonl\s+broken/);
});

test.skipIf(process.platform === 'win32')('a list of a folder follows no link and waits for no pipe', async () => {
  const world = await createBatchWorld();
  write(world, 'in.jsonl', items(2));
  expect((await batchIn(world, 'run', 'echo', '--input', 'in.jsonl', '--out', 'here.jsonl')).code).toBe(0);
  const at = (name: string): string => join(world.directory, name);
  symlinkSync(at('here.jsonl.journal'), at('linked.jsonl.journal'));
  symlinkSync('/dev/zero', at('zeros.journal'));
  symlinkSync(at('nothing'), at('nowhere.journal'));
  execFileSync('mkfifo', [at('pipe.journal')]);
  const listed = await batchIn(world, 'list');
  expect([listed.code, rowsOf(listed)]).toMatchObject([0, [{ completed: 2, state: 'ended' }]]);
  expect(rowsOf(listed)).toHaveLength(1);
});

test('of a file that is no journal the first chunk is read, however long its first line is; of a false header 64 MiB', async () => {
  const world = await createBatchWorld();
  for (const [begin, most] of [
    ['no header ', 1],
    ['0123abcd 999999999 ', 65],
  ] as const) {
    let chunks = 0;
    async function* read(): AsyncGenerator<Uint8Array> {
      for (;;) {
        chunks++;
        yield Buffer.alloc(1024 * 1024, begin);
      }
    }
    await expect(readHeader({ ...memoryFiles({}), read }, 'x.journal')).rejects.toMatchObject({
      exit: 14,
      message: 'x.journal is not the journal of a batch',
    });
    expect(chunks).toBe(most);
  }
  // A whole file without a line feed, which the list says is no journal.
  writeFileSync(join(world.directory, 'x.journal'), '');
  truncateSync(join(world.directory, 'x.journal'), 40_000_000_000);
  expect(rowsOf(await batchIn(world, 'list'))).toMatchObject([broken('x')]);
});
