import { expect, it } from 'vitest';
import { berthIn } from '../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../support/worlds/test-world.ts';

/** Runs commands in one world of the local service: each must end 0 and gives its JSON. */
function session() {
  const world = createTestWorld();
  return async (...argv: readonly string[]): Promise<unknown> => {
    const ran = await berthIn(world, ['--local', '--json', ...argv]);
    expect([argv, ran.code, ran.err]).toEqual([argv, 0, ran.err]);
    return JSON.parse(ran.out);
  };
}

it('SSH keys are added, found by their comments and removed', async () => {
  const ask = session();
  const keys = (...argv: readonly string[]) => ask('account', 'ssh-keys', ...argv);
  const before = (await keys('list')) as readonly string[];
  const key = `ssh-ed25519 ${Buffer.from('a new key').toString('base64')} me@laptop`;
  expect(await keys('add', key)).toEqual([...before, key]);
  expect(await keys('list')).toEqual([...before, key]);
  expect(await keys('remove', 'me@laptop', '--yes')).toEqual(before);
});

it('local status counts what the lists show', async () => {
  const ask = session();
  const status = (await ask('local', 'status')) as Record<string, number>;
  for (const [noun, member] of [
    ['pods', 'pods'],
    ['endpoints', 'endpoints'],
    ['templates', 'templates'],
    ['volumes', 'networkVolumes'],
    ['registries', 'registries'],
    ['clusters', 'clusters'],
  ] as const)
    expect([noun, ((await ask(noun, 'list')) as unknown[]).length]).toEqual([noun, status[member]]);
});

it('local status shows jobs and faults with readable names, and `none` if there are none', async () => {
  const world = createTestWorld({ env: { BERTH_LOCAL: '1' } });
  const status = async (): Promise<string> => (await berthIn(world, ['local', 'status'])).out;
  expect(await status()).toMatch(/\njobs\tnone\nfaults\tnone\n$/);
  await berthIn(world, ['jobs', 'run', 'echo', '--input', '{}', '--wait']);
  await berthIn(world, ['jobs', 'run', 'fail', '--input', '{}', '--wait']);
  await berthIn(world, ['local', 'fault', 'add', 'latency', '--match', 'POST /v2/x', '--latency', '2s']);
  await berthIn(world, ['local', 'fault', 'add', 'drop', '--count', '3', '--match', '/v2/x']);
  expect(await status()).toMatch(
    /\njobs\t1 COMPLETED, 1 FAILED\nfaults\t\S+ latency, match POST \/v2\/x, latency 2s\nfaults\t\S+ drop, count 3, match \/v2\/x\n$/,
  );
  expect((await berthIn(world, ['local', 'reset', '--yes'])).out).toContain('\njobs\tnone\n');
});

it('an unknown fault id does not suggest that another service answered', async () => {
  const ran = await berthIn(createTestWorld(), ['local', 'fault', 'clear', 'nope']);
  expect(ran.code).toBe(4);
  expect(ran.err).toContain('fault not found');
});

interface Billed {
  readonly records: readonly { readonly totalAmount: number; readonly podId?: string }[];
  readonly metadata: { readonly totals: { readonly totalAmount: number }; readonly recordCount: number };
}

it('the rows of every billing report add up to its totals', async () => {
  const ask = session();
  for (const by of [[], ...['pod', 'endpoint', 'volume', 'cluster', 'public-endpoint'].map((word) => ['--by', word])]) {
    const { records, metadata } = (await ask('billing', 'summary', '--last', '5', ...by)) as Billed;
    const sum = records.reduce((total, { totalAmount }) => total + totalAmount, 0);
    expect(metadata.totals.totalAmount).toBeCloseTo(sum, 6);
    expect(metadata.recordCount).toBe(records.length);
  }
});

it('public templates are listed by their source, and each is shown by its id', async () => {
  const ask = session();
  const ids = new Set<string>();
  for (const source of ['official', 'verified', 'community'])
    for (const { id } of (await ask('catalog', 'templates', '--source', source)) as { readonly id: string }[]) {
      expect(await ask('catalog', 'templates', id)).toMatchObject({ id, public: true });
      expect(ids.has(id)).toBe(false);
      ids.add(id);
    }
  expect(ids.size).toBeGreaterThan(2);
});

it('data centers are filtered by region, volume type, compliance and networking', async () => {
  const ask = session();
  const all = (await ask('catalog', 'datacenters')) as { readonly region: string; readonly id: string }[];
  const found = await ask('catalog', 'datacenters', '--region', 'europe', '--available');
  const europe = all.filter(({ region }) => region === 'EUROPE').map(({ id }) => ({ id }));
  expect(found).toMatchObject(europe);
  expect(found).toHaveLength(europe.length);
  expect(found).toMatchObject(europe.map(() => ({ gpuAvailability: expect.any(Array) as unknown })));
});
