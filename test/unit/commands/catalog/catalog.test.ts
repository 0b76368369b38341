import { describe, expect, it, test } from 'vitest';
import { berth } from '../../../support/worlds/run-berth.ts';
import { json, pointedAt, serve, type Behaviour } from '../../../support/servers/scripted-server.ts';

async function catalog(argv: readonly string[], script: readonly Behaviour[], columns?: number) {
  const server = await serve(script);
  const env = { ...pointedAt(server.url), NO_COLOR: '1' };
  const terminal = columns === undefined ? {} : { tty: true, columns };
  return { server, ...(await berth(['catalog', ...argv], { env, ...terminal })) };
}

const empty = json({ gpus: [], cpus: [], dataCenters: [], templates: [] });

describe('the query', () => {
  it.each([
    [['gpus'], '/v2/catalog/gpus?include=AVAILABILITY&product=POD'],
    [
      ['gpus', '--available', '--product', 'pod,cluster', '--count', '2', '--cloud', 'secure', '--country', 'se,us'],
      '/v2/catalog/gpus?include=AVAILABILITY&product=POD%2CCLUSTER&count=2&cloud=SECURE&countryCodes=SE%2CUS',
    ],
    [['gpus', 'G1', '--min-cuda', '12.4'], '/v2/catalog/gpus/G1?include=AVAILABILITY&product=POD&minCudaVersion=12.4'],
    [['cpus', '--available', '--vcpu', '4'], '/v2/catalog/cpus?include=AVAILABILITY&product=POD&vcpuCount=4'],
    [
      ['datacenters', '--available', '--region', 'europe,asia', '--volume-type', 'high_performance'],
      '/v2/catalog/datacenters?include=GPU_AVAILABILITY%2CCPU_AVAILABILITY&regions=EUROPE%2CASIA&networkVolumeTypes=HIGH_PERFORMANCE',
    ],
    [
      ['datacenters', '--compliance', 'gdpr', '--compliance', 'HIPAA', '--global-network'],
      '/v2/catalog/datacenters?compliance=GDPR%2CHIPAA&globalNetwork=true',
    ],
    [['datacenters', 'D1', '--available'], '/v2/catalog/datacenters/D1?include=GPU_AVAILABILITY%2CCPU_AVAILABILITY'],
    [['templates', '--source', 'community'], '/v2/catalog/templates?source=community'],
    [['templates', 'T1'], '/v2/templates/T1'],
  ])('%j', async (argv, url) => {
    const { server, code } = await catalog(argv, [argv[1]?.startsWith('--') === false ? json({ id: argv[1] }) : empty]);
    expect([code, server.seen.map((seen) => seen.url)]).toEqual([0, [url]]);
  });

  it.each([
    [['gpus', 'G1', '--available'], '--available filters the list'],
    [['gpus', '--available', '--cuda', '12.4', '--min-cuda', '12.1'], '--cuda and --min-cuda exclude each other'],
    [['gpus', '--max-price', 'cheap'], '--max-price is not an amount in US dollars'],
    [['datacenters', 'D1', '--region', 'EUROPE', '--global-network'], '--region and --global-network'],
    [['templates', '--source', 'mine'], 'official, verified, community'],
  ])('%j ends 2 and sends nothing', async (argv, words) => {
    const { server, code, err } = await catalog(argv, [empty]);
    expect([code, server.seen, err.includes(words)]).toEqual([2, [], true]);
  });
});

/** Every member of the contract, and an unknown one. */
const ENTRIES = {
  gpus: {
    id: 'GPU-24G',
    name: 'GPU 24 GB',
    pool: 'POOL-24G',
    manufacturer: 'NVIDIA',
    memory: 24,
    secure: true,
    community: false,
    price: { secure: 0.69, community: 0.34, serverless: 1.12 },
    maxCount: { secure: 8, community: 4 },
    availability: 'LOW',
    dataCenters: [
      { id: 'EU-1', name: 'Europe', availability: 'HIGH' },
      { id: 'US-1', name: 'America', availability: 'SOLD_OUT' },
    ],
    cudaVersions: [
      { version: '12.4', available: true },
      { version: '12.8', available: false },
    ],
    unheardOf: { nested: 9007199254740993n },
  },
  cpus: {
    id: 'cpu-general',
    name: 'General',
    group: 'general',
    vcpu: { min: 2, max: 32 },
    ramGbPerVcpu: 4,
    price: { securePerVcpu: 0.03, serverlessPerVcpu: 0.05 },
    availability: 'HIGH',
    dataCenters: [{ id: 'EU-1', name: 'Europe', availability: 'NONE' }],
    unheardOf: 'x',
  },
  datacenters: {
    id: 'EU-1',
    name: 'Europe',
    region: 'EUROPE',
    networkVolumeTypes: ['STANDARD', 'HIGH_PERFORMANCE'],
    compliance: ['GDPR'],
    globalNetwork: true,
    gpuAvailability: [{ id: 'GPU-24G', name: 'GPU 24 GB', availability: 'MEDIUM' }],
    cpuAvailability: [{ id: 'cpu-general', name: 'General', availability: 'LOW' }],
    unheardOf: [1],
  },
} as const;

const encode = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? `#${String(each)}#` : each)).replace(
    /"#(\d+)#"/g,
    '$1',
  );

describe('an entry in full', () => {
  test.each(Object.entries(ENTRIES))('%s: every member has its place', async (name, entry) => {
    const { code, out } = await catalog([name, entry.id], [json(encode(entry))], 80);
    expect(code).toBe(0);
    await expect(out).toMatchFileSnapshot(`../../../golden/catalog/${name}.txt`);
  });
});

it('shows no price for a cloud that does not offer it, and always the availability', async () => {
  const gpus = [
    { id: 'A', secure: true, community: false, price: { secure: 1, community: 0 }, availability: 'NONE' },
    { id: 'B', secure: true, community: true, price: { secure: 1, community: 0.5 }, availability: 'HIGH' },
  ];
  const rows = async (...flags: readonly string[]) =>
    (await catalog(['gpus', ...flags], [json({ gpus })])).out.split('\n').map((line) => line.split('\t'));
  expect(await rows()).toEqual([
    ['ID', 'NAME', 'MEMORY', 'SECURE/H', 'COMMUNITY/H', 'AVAILABILITY'],
    ['A', '-', '-', '$1.00', '-', 'NONE'],
    ['B', '-', '-', '$1.00', '$0.50', 'HIGH'],
    [''],
  ]);
  expect((await rows('--available')).map(([id]) => id)).toEqual(['ID', 'B', '']);
  expect((await rows('--sort', '-id')).map(([id]) => id)).toEqual(['ID', 'B', 'A', '']);
  expect((await catalog(['cpus'], [json({ cpus: [{ id: 'A' }] })])).out).toContain('AVAILABILITY');
});

it.each([
  [[], ['A', 'B']],
  [['--cloud', 'secure'], ['A']],
  [['--count', '2'], ['B']],
  [['--product', 'SERVERLESS'], ['C']],
] as const)('--max-price compares the price of what is asked for: %j', async (flags, ids) => {
  const gpus = [
    { id: 'A', price: { secure: 1, community: 0, serverless: 1.5 } },
    { id: 'B', price: { secure: 2, community: 0.5, serverless: 1.5 } },
    { id: 'C', price: { secure: 2, community: 2, serverless: 0.9 } },
  ];
  const { out } = await catalog(['gpus', '--max-price', '1', ...flags, '-o', 'id'], [json({ gpus })]);
  expect(out.trim().split('\n')).toEqual(ids);
});
