/** The operations of which answers are generated, with the commands that print them. */

/** A source of choices. */
export interface Choices {
  /** One of the values. */
  one<T>(values: readonly T[]): T;
  /** A whole number from 0 up to, but not including, `below`. */
  number(below: number): number;
}

export interface PlannedRequest {
  /** The command that prints the answer. */
  readonly command: string;
  /** The method and the path; `{id}` stands for a row of the collection. */
  readonly request: string;
  /** The member of the answer that the command prints; the whole answer if absent. */
  readonly member?: string;
  readonly body?: (choose: Choices) => unknown;
}

const GPUS = ['GPU-16G', 'GPU-24G', 'GPU-48G', 'GPU-80G'];
const POOLS = ['POOL-16G', 'POOL-24G'];
const DATA_CENTERS = ['EU-NORTH-1', 'EU-WEST-1', 'US-EAST-1'];
const IMAGES = ['example/image:1', 'registry.example/team/train:2.1'];

const name = (choose: Choices): string => choose.one(['a', 'Ünï-cödé 🚀', '"quoted"', 'x'.repeat(80), '\u001b[31mred']);
const container = (choose: Choices) => ({
  image: choose.one(IMAGES),
  disk: 10 + choose.number(90),
  ...choose.one([{}, { args: 'python main.py' }, { ports: ['80/http', '22/tcp'] }, { env: { A: '1', B: '' } }]),
});
const hardware = (choose: Choices) =>
  choose.one([
    { gpu: { id: choose.one(GPUS), count: 1 + choose.number(2) } },
    { cpu: { id: 'cpu-general', vcpuCount: 2 + 2 * choose.number(3) } },
  ]);

/** List, get and delete of a collection. A row is what `get` prints. */
const reads = (noun: string, path: string, member: string): readonly PlannedRequest[] => [
  { command: `${noun} list`, request: `GET ${path}`, member },
  { command: `${noun} get`, request: `GET ${path}/{id}` },
];

export const PLAN: readonly PlannedRequest[] = [
  ...reads('pods', '/v2/pods', 'pods'),
  ...reads('endpoints', '/v2/serverless', 'endpoints'),
  ...reads('templates', '/v2/templates', 'templates'),
  ...reads('volumes', '/v2/network-volumes', 'networkVolumes'),
  ...reads('registries', '/v2/registries', 'registries'),
  ...reads('clusters', '/v2/clusters', 'clusters'),
  {
    command: 'pods create',
    request: 'POST /v2/pods',
    body: (choose) => ({
      name: name(choose),
      ...container(choose),
      ...hardware(choose),
      startSsh: choose.one([true, false]),
    }),
  },
  {
    command: 'pods update',
    request: 'PATCH /v2/pods/{id}',
    body: (choose) => choose.one([{ name: name(choose) }, { locked: false }, { disk: 40 }]),
  },
  ...['start', 'stop', 'restart'].map((action) => ({
    command: `pods ${action}`,
    request: 'POST /v2/pods/{id}/action',
    body: () => ({ action }),
  })),
  {
    command: 'endpoints create',
    request: 'POST /v2/serverless',
    body: (choose) => ({
      name: name(choose),
      type: 'QUEUE',
      ...container(choose),
      gpu: { pools: [choose.one(POOLS)] },
      scaling: { type: 'REQUEST_COUNT', requestCount: 4 },
      workers: { min: 0, max: 1 + choose.number(3) },
    }),
  },
  { command: 'endpoints update', request: 'PATCH /v2/serverless/{id}', body: (choose) => ({ name: name(choose) }) },
  { command: 'endpoints workers', request: 'GET /v2/serverless/{id}/workers', member: 'workers' },
  { command: 'endpoints releases', request: 'GET /v2/serverless/{id}/releases' },
  {
    command: 'templates create',
    request: 'POST /v2/templates',
    body: (choose) => ({ name: name(choose), ...container(choose) }),
  },
  { command: 'templates update', request: 'PATCH /v2/templates/{id}', body: (choose) => ({ name: name(choose) }) },
  {
    command: 'volumes create',
    request: 'POST /v2/network-volumes',
    body: (choose) => ({ name: name(choose), size: 10 + choose.number(90), dataCenter: choose.one(DATA_CENTERS) }),
  },
  { command: 'volumes update', request: 'PATCH /v2/network-volumes/{id}', body: (choose) => ({ name: name(choose) }) },
  {
    command: 'registries create',
    request: 'POST /v2/registries',
    body: (choose) => ({ name: name(choose), username: 'u', password: 'p' }),
  },
  { command: 'registries delegations list', request: 'GET /v2/registries/delegations', member: 'delegations' },
  {
    command: 'registries delegations create',
    request: 'POST /v2/registries/delegations',
    body: (choose) => ({
      name: name(choose),
      resource: `arn:cloud:registry:eu-north-1:123456789012:repository/team/r${String(choose.number(50))}`,
    }),
  },
  {
    command: 'clusters create',
    request: 'POST /v2/clusters',
    body: (choose) => ({
      name: name(choose),
      type: choose.one(['APPLICATION', 'TRAINING']),
      image: choose.one(IMAGES),
      compute: { gpuTypeId: 'GPU-80G', gpuCountPerPod: 8, podCount: 2 + choose.number(2) },
    }),
  },
  { command: 'clusters update', request: 'PATCH /v2/clusters/{id}', body: (choose) => ({ name: name(choose) }) },
  { command: 'clusters pods', request: 'GET /v2/clusters/{id}/pods', member: 'pods' },
  ...['', '?include=AVAILABILITY&product=POD', '?include=AVAILABILITY&product=SERVERLESS'].flatMap((query) => [
    { command: 'catalog gpus', request: `GET /v2/catalog/gpus${query}`, member: 'gpus' },
    { command: 'catalog cpus', request: `GET /v2/catalog/cpus${query}`, member: 'cpus' },
  ]),
  ...['', '?include=GPU_AVAILABILITY,CPU_AVAILABILITY', '?regions=EUROPE'].map((query) => ({
    command: 'catalog datacenters',
    request: `GET /v2/catalog/datacenters${query}`,
    member: 'dataCenters',
  })),
  { command: 'catalog templates', request: 'GET /v2/catalog/templates', member: 'templates' },
  ...['', '/pods', '/serverless', '/endpoints', '/network-volumes', '/clusters'].flatMap((path) =>
    ['day', 'hour'].map((size) => ({
      command: 'billing summary',
      request: `GET /v2/billing${path}?bucketSize=${size}&lastN=3`,
    })),
  ),
  { command: 'account ssh-keys list', request: 'GET /v2/account/ssh-keys', member: 'keys' },
  {
    command: 'account ssh-keys set',
    request: 'PUT /v2/account/ssh-keys',
    member: 'keys',
    body: (choose) => ({ keys: choose.one([[], ['ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAMc ci@runner']]) }),
  },
  ...['echo', 'demo', 'fail', 'stream'].flatMap((endpoint) => [
    {
      command: 'jobs run',
      request: `POST /v2/${endpoint}/run`,
      body: (choose: Choices) => ({ input: choose.one([{}, { chunks: 2 }, { n: 9007199254740991 }]) }),
    },
    { command: 'health', request: `GET /v2/${endpoint}/health` },
    { command: 'jobs status', request: `GET /v2/${endpoint}/status/{id}` },
  ]),
  { command: 'jobs cancel', request: 'POST /v2/demo/cancel/{id}' },
  { command: 'queue purge', request: 'POST /v2/fail/purge-queue' },
  { command: 'local status', request: 'GET /local/status' },
  { command: 'local clock show', request: 'GET /local/clock' },
  {
    command: 'local clock advance',
    request: 'POST /local/clock',
    body: (choose) => ({ advanceMs: choose.one([0, 1000, 60_000, 3_600_000]) }),
  },
  { command: 'local stock list', request: 'GET /local/stock', member: 'stock' },
  { command: 'local fault list', request: 'GET /local/fault', member: 'faults' },
  {
    command: 'local fault add',
    request: 'POST /local/fault',
    body: (choose) =>
      choose.one([
        { kind: 'latency', latencyMs: 5, count: 1, match: '/none' },
        { kind: 'server-error', status: 502, probability: 0.5, match: 'GET /none' },
      ]),
  },
];

/** Requests that make room, and print nothing. */
export const DELETIONS = ['pods', 'serverless', 'templates', 'network-volumes', 'clusters', 'registries'].map(
  (collection) => `DELETE /v2/${collection}/{id}`,
);
