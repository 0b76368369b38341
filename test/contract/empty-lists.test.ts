import { describe, expect, it, test } from 'vitest';
import { json, pointedAt, serve, text } from '../support/servers/scripted-server.ts';
import { berth, berthIn } from '../support/worlds/run-berth.ts';
import { createTestWorld, type TestWorld } from '../support/worlds/test-world.ts';

/** Every command that prints a list, and whether a new local account has rows of it. */
const LISTS: readonly (readonly [command: string, seeded: boolean])[] = [
  ['pods list', true],
  ['endpoints list', true],
  ['endpoints workers echo', true],
  ['clusters list', true],
  ['clusters pods train', true],
  ['templates list', true],
  ['volumes list', true],
  ['registries list', true],
  ['registries delegations list', true],
  ['catalog gpus', true],
  ['catalog cpus', true],
  ['catalog datacenters', true],
  ['catalog templates', true],
  ['billing summary', true],
  ['billing summary --by pod', true],
  ['account ssh-keys list', true],
  ['local fault list', true],
  ['local stock list', true],
  ['limits', true],
  ['auth list', false],
];

/** An answer without rows to every request. */
const nothing = json(
  Object.fromEntries(
    [
      ...['pods', 'endpoints', 'workers', 'clusters', 'templates', 'networkVolumes', 'registries', 'delegations'],
      ...['gpus', 'cpus', 'dataCenters', 'records', 'keys', 'faults', 'stock'],
    ].map((member) => [member, []]),
  ),
);

const csv = (world: TestWorld, line: string, ...flags: readonly string[]) =>
  berthIn(world, [...line.split(' '), '-o', 'csv', ...flags]);

const CLUSTER = '--name train --type TRAINING --gpu GPU-80G --gpu-count 8 --pods 2 --image x --data-center EU-NORTH-1';

/** The header of a list with rows, from an account that has some of every resource. */
async function headerOfRows(line: string): Promise<string[]> {
  const world = createTestWorld({ env: { BERTH_LOCAL: '1' } });
  for (const before of [
    `clusters create ${CLUSTER}`,
    'jobs run echo --input {} --wait',
    'local fault add latency --count 1 --match /nowhere',
    'local clock advance 2h',
    'jobs run echo --input {} --wait',
  ]) {
    const ran = await berthIn(world, before.split(' '));
    expect(ran.code, ran.err).toBe(0);
  }
  const [header = '', ...rows] = (await csv(world, line)).out.trimEnd().split('\n');
  expect(rows, 'rows to compare with').not.toEqual([]);
  // A fee is always 0, and has no column of its own.
  return header.split(',').filter((member) => !/fee/i.test(member));
}

test('an empty list is a note on a terminal, an empty array in JSON and YAML, and else nothing', async () => {
  const server = await serve([nothing]);
  const list = async (format: string, tty = false) => {
    const { code, out, err } = await berth(['pods', 'list', '-o', format], { tty, env: pointedAt(server.url) });
    return [code, out, err];
  };
  expect(await list('table', true)).toEqual([0, '', 'No pods.\n']);
  for (const format of ['json', 'yaml']) expect(await list(format)).toEqual([0, '[]\n', '']);
  for (const format of ['table', 'wide', 'jsonl', 'id']) expect(await list(format)).toEqual([0, '', '']);
});

describe('CSV of an empty list has its header', () => {
  it.each(LISTS)('%s', async (line, seeded) => {
    const server = await serve([nothing]);
    const { code, out, err } = await csv(createTestWorld({ env: pointedAt(server.url) }), line);
    expect([code, out]).toEqual([0, expect.stringMatching(/^\w[\w-]*(,[\w-]+)*\n$/)]);
    expect(err).not.toContain('error');
    const members = out.trimEnd().split(',');
    expect(new Set(members).size).toBe(members.length);
    if (seeded) expect(members).toEqual(expect.arrayContaining(await headerOfRows(line)));
  });

  test('the header is the fields of --fields, else all members of the noun and then those that are new', async () => {
    const server = await serve([nothing, json({ pods: [{ id: 'p', later: 1 }] })]);
    const world = createTestWorld({ env: pointedAt(server.url) });
    expect((await csv(world, 'pods list', '--fields', 'id,gpu.count')).out).toBe('id,gpu.count\n');
    const [header = '', row] = (await csv(world, 'pods list')).out.split('\n');
    expect(header).toMatch(/^id,name,.*\bgpu,.*,later$/);
    expect(row).toBe(`p${','.repeat(header.split(',').length - 1)}1`);
  });

  test('streamed rows have the header too', async () => {
    const server = await serve([text('', 200, { 'content-type': 'text/event-stream' })]);
    const { out } = await berth(['pods', 'logs', 'p', '-o', 'csv'], { env: pointedAt(server.url) });
    expect(out).toBe('ts,source,line\n');
  });
});
