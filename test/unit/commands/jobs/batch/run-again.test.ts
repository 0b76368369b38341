import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { items, read, RUN, write } from '../../../../support/batch/command-fixture.ts';
import { createStoppedBatch, resultsOf } from '../../../../support/batch/stopped-batch.ts';
import { createAutoAdvancingClock } from '../../../../support/clocks/auto-advancing-clock.ts';
import { berthIn } from '../../../../support/worlds/run-berth.ts';
import { createTestWorld, type TestWorld } from '../../../../support/worlds/test-world.ts';

describe('the same run again', () => {
  test('goes on with its batch, and when all have ended says so again', async () => {
    const world = await createStoppedBatch();
    expect((await berthIn(world, RUN)).code).toBe(0);
    const numbers = resultsOf(world).map(({ item }) => item);
    expect([...numbers].sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, at) => at + 1));
    const before = read(world, 'out.jsonl');
    expect((await berthIn(world, RUN)).code).toBe(0);
    expect(read(world, 'out.jsonl')).toBe(before);
  });

  test.each([
    ['another input', ['--input', 'other.jsonl'], 'not the one this batch was begun with'],
    ['an input that is read in another way', ['--id-field', 'n'], 'another input'],
    ['another shard', ['--shard', '1/2'], 'another shard'],
    ['--fresh', ['--fresh'], 'there is a batch at'],
  ])('sends nothing with %s', async (_, flags, says) => {
    const world = await createStoppedBatch();
    write(world, 'other.jsonl', items(21));
    const given = flags.includes('--input') ? RUN.map((word) => (word === 'in.jsonl' ? 'other.jsonl' : word)) : RUN;
    const before = read(world, 'out.jsonl.journal');
    const ran = await berthIn(world, [...given, ...flags.filter((flag) => !['--input', 'other.jsonl'].includes(flag))]);
    expect([ran.code, ran.err]).toEqual([14, expect.stringContaining(says)]);
    expect(read(world, 'out.jsonl.journal')).toBe(before);
  });
});

describe('a shard', () => {
  const worldOf = (count: number): TestWorld => {
    const world = createTestWorld({ clock: createAutoAdvancingClock() });
    const lines = Array.from({ length: count }, (_, at) => `{"n":${String(at + 1)}}\n`);
    writeFileSync(join(world.directory, 'in.jsonl'), lines.join(''));
    return world;
  };
  const shard = (world: TestWorld, text: string, ...more: readonly string[]) => {
    const out = ['--out', `r-${text.replace('/', '-')}.jsonl`];
    return berthIn(world, ['--local', 'jobs', 'batch', 'run', 'echo', '--input', 'in.jsonl', ...out, ...more]);
  };

  test('has every N-th item, with its number of the whole input', async () => {
    const world = worldOf(10);
    const found: number[] = [];
    for (const text of ['1/3', '2/3', '3/3']) {
      const ran = await shard(world, text, '--shard', text, '--json');
      expect([ran.code, JSON.parse(ran.out)]).toMatchObject([0, { planned: text === '1/3' ? 4 : 3 }]);
      const lines = readFileSync(join(world.directory, `r-${text.replace('/', '-')}.jsonl`), 'utf8').trimEnd();
      for (const line of lines.split('\n')) {
        const { item, output } = JSON.parse(line) as { readonly item: number; readonly output: { readonly n: number } };
        expect(output.n).toBe(item);
        found.push(item);
      }
    }
    expect(found.sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  test('is summed up with the others of its batch, and what is missing is named', async () => {
    const world = worldOf(10);
    for (const text of ['1/4', '4/4', '2/4']) expect((await shard(world, text, '--shard', text)).code).toBe(0);
    const files = ['r-1-4.jsonl', 'r-4-4.jsonl', 'r-2-4.jsonl'];
    const batch = (...words: readonly string[]) => berthIn(world, ['--local', 'jobs', 'batch', ...words]);
    for (const verb of ['status', 'report']) {
      const { out, err } = await batch(verb, ...files, '--json');
      expect(JSON.parse(out)).toMatchObject({ planned: 8, completed: 8, state: 'ended', missingShards: [3] });
      expect(JSON.parse(out)).toMatchObject({ shards: [{ shard: 1, planned: 3 }, { shard: 2 }, { shard: 4 }] });
      expect(err).toContain('missing shards: 3 of 4');
    }
    expect((await batch('status', ...files)).out).toMatch(/^shard 4\s+ended: 2 completed$/m);
    expect((await batch('status', ...files, '--exit-status')).code).toBe(13);
    const exported = await batch('export', ...files, '--join-input', '--fields', 'item,input.n', '--format', 'csv');
    const rows = [1, 2, 4, 5, 6, 8, 9, 10].map((item) => `${String(item)},${String(item)}`);
    expect(exported.out.trim().split(/\r?\n/).slice(1)).toEqual(rows);
    expect(exported.err).toContain('missing shards: 3 of 4');
    write(world, 'in.jsonl', items(11));
    expect((await shard(world, '3/4', '--shard', '3/4')).code).toBe(0);
    for (const [wrong, says] of [
      ['r-3-4.jsonl', 'not shards of one batch'],
      ['r-4-4.jsonl', 'shard 4 is named twice'],
    ] as const)
      expect(await batch('status', ...files, wrong)).toMatchObject({ code: 2, err: expect.stringContaining(says) });
  });

  test('comes from BERTH_SHARD too; one without items ends 0; a wrong one 2', async () => {
    const world = worldOf(2);
    const ran = await shard({ ...world, env: { ...world.env, BERTH_SHARD: '2/2' } }, '2/2', '--json');
    expect([ran.code, JSON.parse(ran.out)]).toMatchObject([0, { planned: 1, completed: 1 }]);
    expect((await shard(world, '3/3', '--shard', '3/3')).code).toBe(0);
    for (const wrong of ['0/3', '4/3', '1', 'a/b']) expect((await shard(world, 'x', '--shard', wrong)).code).toBe(2);
  });
});
