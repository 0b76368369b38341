import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { batchIn, createStoreWorld } from '../../../../support/batch/store-world.ts';
import { describeWithPostgres, useCluster } from '../../../../support/postgres/postgres.ts';
import type { TestWorld } from '../../../../support/worlds/test-world.ts';

const TO = ['--out', 'parts', '--name', 'nightly', '--shard-items', '2'];

/** The inputs and outputs of all items, in their order. */
async function exported(world: TestWorld): Promise<readonly unknown[]> {
  const ran = await batchIn(world, 'export', 'nightly', '--join-input', '--format', 'jsonl', '--out', 'all.jsonl');
  expect(ran.code).toBe(0);
  return readFileSync(join(world.directory, 'all.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => {
      const { item, input, output } = JSON.parse(line) as Record<string, unknown>;
      return { item, input, output };
    });
}

const rows = (...inputs: readonly unknown[]): readonly unknown[] =>
  inputs.map((input, at) => ({ item: at + 1, input, output: input }));

const copiesIn = (world: TestWorld): readonly string[] =>
  existsSync(join(world.directory, 'parts'))
    ? readdirSync(join(world.directory, 'parts')).filter((name) => name.startsWith('input-'))
    : [];

describeWithPostgres('the inputs of a shared batch', () => {
  const cluster = useCluster();

  test.each<readonly [string, string | Uint8Array, readonly string[], readonly unknown[]]>([
    ['JSON lines', '{"n":1}\n{"n":2}\n{"n":3}', [], [{ n: 1 }, { n: 2 }, { n: 3 }]],
    ['CSV', 'n\n1\n2', ['--input-format', 'csv', '--types', 'n:number'], [{ n: 1 }, { n: 2 }]],
  ])('from stdin are copied beside the results: %s', async (_, stdin, options, inputs) => {
    const { world } = await createStoreWorld(cluster(), { stdin });
    const ran = await batchIn(world, 'run', 'echo', '--input', '-', ...TO, ...options);
    const [copy = ''] = copiesIn(world);
    expect({ code: ran.code, err: ran.err }).toEqual({ code: 0, err: ran.err });
    expect(ran.err).toContain(`The input was copied to ${join(world.directory, 'parts', copy)}`);
    expect(Buffer.from(readFileSync(join(world.directory, 'parts', copy)))).toEqual(Buffer.from(stdin));
    expect(await exported(world)).toEqual(rows(...inputs));
    const cleaned = await batchIn(world, 'clean', 'nightly', '--yes');
    expect([cleaned.code, copiesIn(world)]).toEqual([0, [copy]]);
  });

  test.each<readonly [string, string, readonly string[], string]>([
    ['that cannot be sent', '{"n":1}\nnot JSON\n', [], 'line 2'],
    ['for an endpoint that does not exist', '{"n":1}\n', ['no-such-endpoint'], 'no-such-endpoint'],
  ])('from stdin are not left behind: a batch %s', async (_, stdin, [endpoint = 'echo'], reason) => {
    const { world } = await createStoreWorld(cluster(), { stdin });
    const ran = await batchIn(world, 'run', endpoint, '--input', '-', ...TO);
    expect(ran.code).not.toBe(0);
    expect(ran.err).toContain(reason);
    expect(copiesIn(world)).toEqual([]);
    expect((await batchIn(world, 'status', 'nightly')).code).toBe(4);
  });

  test('from stdin are not copied when the endpoint does not exist', async () => {
    const { world } = await createStoreWorld(cluster(), { stdin: '{"n":1}\n' });
    const ran = await batchIn(world, 'run', 'no-such-endpoint', '--input', '-', ...TO);
    expect([ran.code, existsSync(join(world.directory, 'parts'))]).toEqual([4, false]);
  });

  test('from stdin are checked by a dry run, which writes nothing', async () => {
    const { world } = await createStoreWorld(cluster(), { stdin: '{"n":1}\n{"n":2}\n' });
    const ran = await batchIn(world, 'run', 'echo', '--input', '-', ...TO, '--dry-run');
    expect([ran.code, JSON.parse(ran.out)]).toEqual([0, expect.objectContaining({ planned: 2 })]);
    expect(existsSync(join(world.directory, 'parts'))).toBe(false);
  });

  test('from stdin are not read when the name is in use', async () => {
    const { world } = await createStoreWorld(cluster(), { stdin: '{"n":1}\n' });
    writeFileSync(join(world.directory, 'a.jsonl'), '{"n":1}\n');
    expect((await batchIn(world, 'run', 'echo', '--input', 'a.jsonl', ...TO)).code).toBe(0);
    const again = await batchIn(world, 'run', 'echo', '--input', '-', '--out', 'other', '--name', 'nightly');
    expect([again.code, again.err]).toEqual([2, expect.stringContaining('nightly already')]);
    expect(existsSync(join(world.directory, 'other'))).toBe(false);
  });

  test('that were changed since they were planned end the driver', async () => {
    const { world } = await createStoreWorld(cluster());
    const input = join(world.directory, 'in.jsonl');
    writeFileSync(input, '{"n":1}\n{"n":2}\n{"n":3}\n');
    expect((await batchIn(world, 'run', 'fail', '--input', 'in.jsonl', ...TO)).code).not.toBe(0);
    writeFileSync(input, '{"n":1}\n{"n":5}\n{"n":3}\n');
    const ran = await batchIn(world, 'resume', 'nightly', '--resubmit', 'failed');
    expect([ran.code, ran.err]).toEqual([14, expect.stringContaining('in.jsonl')]);
    expect(JSON.parse((await batchIn(world, 'status', 'nightly')).out)).toMatchObject({ waiting: 3, state: 'stopped' });
  });

  test('may have several formats, and --types is for the CSV files among them', async () => {
    const { world } = await createStoreWorld(cluster());
    const files = {
      'a.jsonl': '{"n":1}\n{"n":2}\n{"n":3}\n',
      'b.csv': 'n,s\n4,x\n5,y',
      'c.jsonl.gz': gzipSync('{"n":6}\n'),
    };
    for (const [name, content] of Object.entries(files)) writeFileSync(join(world.directory, name), content);
    const inputs = Object.keys(files).flatMap((name) => ['--input', name]);
    const ran = await batchIn(world, 'run', 'echo', ...inputs, ...TO, '--types', 'n:number');
    expect([ran.code, ran.err]).toEqual([0, ran.err]);
    expect(await exported(world)).toEqual(
      rows(...[{ n: 1 }, { n: 2 }, { n: 3 }, { n: 4, s: 'x' }, { n: 5, s: 'y' }], { n: 6 }),
    );
    const refused = await batchIn(world, 'run', 'echo', '--input', 'a.jsonl', '--out', 'p', '--types', 'n:number');
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('--types is for a CSV file')]);
  });
});
