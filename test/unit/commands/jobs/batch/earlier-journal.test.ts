import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { decodeRecord, encodeRecord } from '../../../../../src/batch/stores/file/journal/record.ts';
import { createBatchWorld, OUT, read, RESUME, summary, write } from '../../../../support/batch/command-fixture.ts';
import { parquetBytes } from '../../../../support/parquet/parquet-bytes.ts';
import { berthIn } from '../../../../support/worlds/run-berth.ts';

/** Inputs of three items and one that cannot be sent. */
const INPUTS: readonly (readonly [string, string | Uint8Array, readonly unknown[]])[] = [
  ['in.jsonl', '\n{"n":1}\n{"n":2}\nnope\n{"n":3}\n\n', [{ n: 1 }, { n: 2 }, { n: 3 }]],
  [
    'in.csv',
    '"n\n",b\n1,"x\ny"\n2,\n3\n4,z\n',
    [
      { 'n\n': '1', b: 'x\ny' },
      { 'n\n': '2', b: '' },
      { 'n\n': '4', b: 'z' },
    ],
  ],
  [
    'in.parquet',
    new Uint8Array(parquetBytes({ columnData: [{ name: 'n', data: [1, 2, 3], type: 'INT32' }] })),
    [{ n: 1 }, { n: 2 }, { n: 3 }],
  ],
];

test.each(INPUTS)(
  'a batch of one plain file that an earlier version began is finished, and joined with its input: %s',
  async (name, content, outputs) => {
    const world = await createBatchWorld();
    writeFileSync(join(world.directory, name), content);
    const run = [
      'jobs',
      'batch',
      'run',
      'echo',
      '--input',
      name,
      '--out',
      OUT,
      '--skip-invalid',
      '--ordered',
      '--json',
    ];
    const ran = await berthIn(world, run);
    expect([ran.code, ran.err]).toEqual([0, ran.err]);
    const [line = ''] = read(world, `${OUT}.journal`).split('\n');
    const record = decodeRecord(Buffer.from(line));
    if (record?.kind !== 'header') throw new Error('no header');
    // Earlier versions stored neither the ranges nor the kind of an input, but its length and digest.
    const { inputs: _, ...input } = record.header.input;
    const bytes = readFileSync(join(world.directory, name));
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const header = { ...record.header, version: 1 as const, input: { ...input, bytes: bytes.byteLength, sha256 } };
    write(world, `${OUT}.journal`, encodeRecord({ kind: 'header', header }));
    write(world, OUT, '');
    const resumed = await berthIn(world, [...RESUME, '--json']);
    expect([resumed.code, resumed.err]).toEqual([0, resumed.err]);
    expect(summary(resumed)).toMatchObject({ planned: 3, completed: 3, input: name });
    const exported = await berthIn(world, ['jobs', 'batch', 'export', OUT, '--join-input', '--fields', 'input,output']);
    expect(
      exported.out
        .trimEnd()
        .split('\n')
        .map((row) => JSON.parse(row) as unknown),
    ).toEqual(outputs.map((each) => ({ input: each, output: each })));
    writeFileSync(join(world.directory, name), 'something else');
    const refused = await berthIn(world, RESUME);
    expect([refused.code, refused.err]).toEqual([
      2,
      expect.stringContaining('is not the one this batch was begun with'),
    ]);
  },
);
