/** A document of each kind with every member that it may have, and another value for each member. */

/** What a change of a member comes to: it is made, at once or at the next start, it cannot be made, or it cannot be compared. */
export type Outcome = 'changed' | 'at the next start' | 'fixed' | 'not compared';

export interface FieldChange {
  readonly path: string;
  readonly value: unknown;
  readonly outcome: Outcome;
  /** The paths that the plan names, where it is not this one. */
  readonly named?: readonly string[];
}

export interface Sample {
  readonly label: string;
  readonly kind: string;
  readonly document: Readonly<Record<string, unknown>>;
  readonly changes: readonly FieldChange[];
}

const to = (path: string, value: unknown, ...named: readonly string[]): FieldChange => ({
  path,
  value,
  outcome: 'changed',
  ...(named.length === 0 ? {} : { named }),
});
const fixed = (path: string, value: unknown): FieldChange => ({ path, value, outcome: 'fixed' });
const hidden = (path: string, value: unknown): FieldChange => ({ path, value, outcome: 'not compared' });

/** What the samples refer to. */
export const SURROUNDINGS = [
  ...['hub', 'hub-2'].map((name) => ({ kind: 'registry', name, username: 'me', password: 'hidden' })),
  ...['data', 'data-2'].map((name) => ({ kind: 'volume', name, size: 10, dataCenter: 'EU-NORTH-1' })),
  ...['base', 'base-2'].map((name) => ({ kind: 'template', name, image: 'a/b:1' })),
  ...['work', 'work-2'].map((name) => ({ kind: 'template', name, image: 'a/b:1', serverless: true })),
];

const CONTAINER = {
  image: 'a/b:1',
  entrypoint: ['python'],
  cmd: ['-u', 'a.py'],
  disk: 30,
  ports: ['8080/http', '22/tcp'],
  env: { MODE: 'fast', LEVEL: '1' },
  registry: 'hub',
};

const CONTAINER_CHANGES = [
  to('image', 'a/b:2'),
  to('entrypoint', ['sh']),
  to('cmd', ['-u', 'b.py']),
  to('disk', 31),
  to('ports', ['8081/http', '22/tcp']),
  to('env.MODE', 'slow'),
  to('env.NEW', 'x'),
  to('env.LEVEL', null),
  to('registry', 'hub-2'),
  to('registry', null),
];

export const SAMPLES: readonly Sample[] = [
  {
    label: 'registry',
    kind: 'registry',
    document: { kind: 'registry', name: 'sample', username: 'me', password: 'hidden' },
    changes: [hidden('username', 'you'), hidden('password', 'other')],
  },
  {
    label: 'volume',
    kind: 'volume',
    document: { kind: 'volume', name: 'sample', size: 10, dataCenter: 'EU-NORTH-1', type: 'STANDARD' },
    changes: [to('size', 11), fixed('dataCenter', 'US-WEST-1'), fixed('type', 'HIGH_PERFORMANCE')],
  },
  {
    label: 'template',
    kind: 'template',
    document: {
      kind: 'template',
      name: 'sample',
      ...CONTAINER,
      category: 'NVIDIA',
      allowedCudaVersions: ['12.4'],
      mounts: { persistent: { size: 20, path: '/data' } },
      serverless: false,
      public: false,
      startSsh: true,
      startJupyter: true,
    },
    changes: [
      ...CONTAINER_CHANGES,
      to('category', 'AMD'),
      to('allowedCudaVersions', ['12.8']),
      to('mounts.persistent.size', 21),
      to('mounts.persistent.path', '/other'),
      to('public', true),
      to('startSsh', false),
      to('startJupyter', false),
    ],
  },
  {
    label: 'template for endpoints, with a command as one text',
    kind: 'template',
    document: { kind: 'template', name: 'sample', image: 'a/b:1', args: 'python a.py', serverless: false },
    changes: [to('args', 'python b.py'), to('serverless', true)],
  },
  {
    label: 'endpoint on GPUs',
    kind: 'endpoint',
    document: {
      kind: 'endpoint',
      name: 'sample',
      type: 'QUEUE',
      ...CONTAINER,
      templateId: 'work',
      gpu: { pools: ['POOL-24G'], excludedTypes: [], count: 1, allowedCudaVersions: ['12.4'] },
      workers: { min: 0, max: 3, idleTimeout: 10 },
      scaling: { type: 'QUEUE_DELAY', queueDelay: 4 },
      timeout: 600_000,
      flashboot: 'OFF',
      dataCenterIds: ['EU-NORTH-1'],
      networkVolumes: ['data'],
    },
    changes: [
      ...CONTAINER_CHANGES,
      fixed('type', 'LOAD_BALANCER'),
      hidden('templateId', 'work-2'),
      to('gpu.pools', ['POOL-80G', 'POOL-24G']),
      to('gpu.excludedTypes', ['GPU-24G']),
      to('gpu.count', 2),
      to('gpu.allowedCudaVersions', ['12.8']),
      to('workers.min', 1),
      to('workers.max', 4),
      to('workers.idleTimeout', 11),
      to('scaling.queueDelay', 5),
      to('timeout', 700_000),
      to('flashboot', 'FLASHBOOT'),
      to('networkVolumes', ['data-2']),
      to('dataCenterIds', ['EU-NORTH-1', 'US-WEST-1']),
    ],
  },
  {
    label: 'endpoint on CPUs',
    kind: 'endpoint',
    document: {
      kind: 'endpoint',
      name: 'sample',
      image: 'a/b:1',
      args: 'python a.py',
      cpu: [{ id: 'cpu-general', vcpuCount: 4 }],
    },
    changes: [to('args', 'python b.py'), to('cpu.0.vcpuCount', 8, 'cpu'), to('cpu.0.id', 'cpu-compute', 'cpu')],
  },
  {
    label: 'endpoint with a least CUDA version',
    kind: 'endpoint',
    document: {
      kind: 'endpoint',
      name: 'sample',
      image: 'a/b:1',
      gpu: { pools: ['POOL-24G'], minCudaVersion: '12.4' },
    },
    changes: [to('gpu.minCudaVersion', '12.8')],
  },
  {
    label: 'pod on a GPU, with a volume',
    kind: 'pod',
    document: {
      kind: 'pod',
      name: 'sample',
      ...CONTAINER,
      gpu: { id: 'GPU-24G', count: 1, minRamPerGpu: 1, minVcpuCountPerGpu: 1, allowedCudaVersions: [] },
      cloud: 'SECURE',
      dataCenterIds: ['EU-NORTH-1'],
      templateId: 'base',
      mounts: { network: [{ volumeId: 'data', path: '/workspace' }] },
      globalNetworking: false,
      startSsh: false,
      startJupyter: false,
      locked: false,
    },
    changes: [
      ...CONTAINER_CHANGES,
      fixed('gpu.id', 'GPU-48G'),
      fixed('gpu.count', 2),
      hidden('gpu.minRamPerGpu', 2),
      hidden('gpu.minVcpuCountPerGpu', 2),
      hidden('gpu.allowedCudaVersions', ['12.8']),
      fixed('cloud', 'COMMUNITY'),
      fixed('dataCenterIds', ['US-WEST-1']),
      hidden('templateId', 'base-2'),
      to('mounts.network.0.path', '/other', 'mounts.network'),
      { path: 'globalNetworking', value: true, outcome: 'at the next start' },
      hidden('startSsh', true),
      hidden('startJupyter', true),
      to('locked', true),
    ],
  },
  {
    label: 'pod on a GPU, with storage of its host',
    kind: 'pod',
    document: {
      kind: 'pod',
      name: 'sample',
      image: 'a/b:1',
      args: 'python a.py',
      gpu: { id: 'GPU-24G', minCudaVersion: '12.4' },
      mounts: { persistent: { size: 20, path: '/data' } },
    },
    changes: [
      to('args', 'python b.py'),
      hidden('gpu.minCudaVersion', '12.1'),
      to('mounts.persistent.size', 21),
      to('mounts.persistent.path', '/other'),
    ],
  },
  {
    label: 'pod on a CPU',
    kind: 'pod',
    document: { kind: 'pod', name: 'sample', image: 'a/b:1', cpu: { id: 'cpu-general', vcpuCount: 4 } },
    changes: [fixed('cpu.id', 'cpu-compute'), fixed('cpu.vcpuCount', 8)],
  },
];

/** A copy of a document with another value at a path; the numbers of a path are places in lists. */
export function changedAt(document: unknown, path: string, value: unknown): Readonly<Record<string, unknown>> {
  const copy = structuredClone(document) as Record<string, unknown>;
  const names = path.split('.');
  const last = names.pop() ?? '';
  let inner = copy;
  for (const name of names) inner = (inner[name] ??= {}) as Record<string, unknown>;
  inner[last] = value;
  return copy;
}
