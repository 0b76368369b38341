import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { berthIn } from '../../../../support/worlds/run-berth.ts';
import { items, createBatchWorld, read, RESUME, RUN, write } from '../../../../support/batch/command-fixture.ts';

test.each([
  ['ended', []],
  ['ended in order', ['--ordered']],
])('lines that somebody else added to the results of a batch that %s are kept aside, each time', async (_, more) => {
  const world = await createBatchWorld();
  write(world, 'in.jsonl', items(3));
  await berthIn(world, [...RUN, ...more]);
  const results = read(world, 'out.jsonl');
  const aside = `out.jsonl.torn-${String(results.length)}`;
  for (const [added, name] of [
    ['{"item":1,"status":"COMPLETED"}\n', aside],
    ['# checked\n{"item":2', `${aside}.2`],
  ] as const) {
    appendFileSync(join(world.directory, 'out.jsonl'), added);
    const ran = await berthIn(world, RESUME);
    expect([ran.code, ran.err]).toEqual([0, expect.stringContaining(`${String(added.length)} bytes`)]);
    expect(ran.err).toContain(name);
    expect(read(world, name)).toBe(added);
    expect(read(world, 'out.jsonl')).toBe(results);
  }
});
