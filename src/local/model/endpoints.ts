import { DAY_MS, type EpochMs, type Milliseconds, type Seconds } from '../../core/unit-types.ts';
import { type ContainerRecord, newContainer } from './container.ts';
import { cpusOf, DATA_CENTERS, gpusOf, isTaken, meetsCuda } from './hardware.ts';
import { volumes } from './records.ts';
import { createRecordTable, type State } from '../state/state.ts';

/** `unserved` is the handler of an endpoint whose handler module is not served now: its jobs fail. */
export type BuiltinHandler = 'echo' | 'demo' | 'sleep' | 'fail' | 'stream' | 'unserved';

/** `module`: given jobs here. `protocol`: workers started here. `attach`: workers started elsewhere. */
export type ServedHandler = 'module' | 'protocol' | 'attach';

export interface Served {
  readonly handler: ServedHandler;
  readonly program?: string;
}

export function builtinOf(endpoint: Pick<EndpointRecord, 'handler'> | undefined): BuiltinHandler | undefined {
  const handler = endpoint?.handler;
  return handler === 'module' || handler === 'protocol' || handler === 'attach' ? undefined : handler;
}

export const takesByProtocol = ({ handler }: Pick<EndpointRecord, 'handler'>): boolean =>
  handler === 'protocol' || handler === 'attach';

export interface EndpointRecord {
  id: string;
  name: string;
  type: 'QUEUE' | 'LOAD_BALANCER';
  createdAt: EpochMs;
  workers: { min: number; max: number; idleTimeout: Seconds };
  scaling: { type: 'QUEUE_DELAY'; queueDelay: number } | { type: 'REQUEST_COUNT'; requestCount: number };
  /** How long a job may run unless its policy says otherwise. */
  timeoutMs: Milliseconds;
  flashboot: string;
  /** Not saved to the file while a program of the user serves it. */
  handler: BuiltinHandler | ServedHandler;
  program?: string;
  container: ContainerRecord;
  /** Exactly one of `gpu` and `cpu` is set. */
  gpu?: EndpointGpu;
  cpu?: EndpointCpu[];
  dataCenterIds: string[];
  networkVolumes: string[];
  globalVolumes?: string[];
  /** The template it was last configured from; that template counts as in use. */
  template: string | null;
  /** Increases with every change of the container: workers of an older version are stale. */
  version: number;
  /** One for each version, newest first; only the latest are kept. */
  releases: ReleaseRecord[];
  /** A public model: reachable by its slug on the queue API, and not listed among the account's endpoints. */
  hidden?: true;
}

export interface EndpointGpu {
  pools: string[];
  excludedTypes?: string[];
  count: number;
  allowedCudaVersions: string[];
  minCudaVersion: string | null;
}

export interface EndpointCpu {
  id: string;
  vcpuCount: number;
  memory: number;
}

/** The hardware of a worker: exactly one of `gpu` and `cpu` is set. */
export interface WorkerHardware {
  readonly gpu?: { readonly id: string; readonly count: number };
  readonly cpu?: { readonly id: string; readonly vcpuCount: number };
  readonly dataCenterId: string;
}

export interface ReleaseRecord {
  id: string;
  version: number;
  createdAt: EpochMs;
  diff: { field: string; old: unknown; new: unknown }[];
}

export const firstRelease = (id: string, now: EpochMs): ReleaseRecord => ({ id, version: 1, createdAt: now, diff: [] });

const seedEndpoints = (now: EpochMs): EndpointRecord[] => [
  ...(['echo', 'demo', 'sleep', 'fail', 'stream'] as const).map((name) => newEndpoint(name, name, now - DAY_MS)),
  { ...newEndpoint('demo-text-model', 'stream', now - DAY_MS), hidden: true },
];

export const newEndpoint = (id: string, handler: EndpointRecord['handler'], now: EpochMs): EndpointRecord => ({
  id,
  name: id,
  type: 'QUEUE',
  createdAt: now,
  workers: { min: 0, max: 3, idleTimeout: 5 },
  scaling: { type: 'QUEUE_DELAY', queueDelay: 4 },
  timeoutMs: 300_000,
  flashboot: 'OFF',
  handler,
  container: { ...newContainer(), image: builtinOf({ handler }) === undefined ? '' : `example/${handler}:1.0` },
  cpu: [{ id: 'cpu-general', vcpuCount: 2, memory: 8 }],
  dataCenterIds: [],
  networkVolumes: [],
  template: null,
  version: 1,
  releases: [firstRelease(`rel-${id}`, now)],
});

export const endpoints = createRecordTable<EndpointRecord>('endpoints', seedEndpoints);

/** The state file outlives the programs, so the former handler is set again after the step. */
export function withServed<T>(state: State, served: Readonly<Record<string, Served>>, now: EpochMs, step: () => T): T {
  const before = new Map<string, EndpointRecord['handler']>();
  for (const [name, { handler, program }] of Object.entries(served)) {
    const endpoint = endpoints.get(state, name) ?? endpoints.put(state, newEndpoint(name, 'unserved', now));
    before.set(name, endpoint.handler);
    endpoint.handler = handler;
    if (program !== undefined) endpoint.program = program;
  }
  try {
    return step();
  } finally {
    for (const [name, handler] of before) {
      const endpoint = endpoints.get(state, name);
      if (endpoint === undefined) continue;
      endpoint.handler = handler;
      delete endpoint.program;
    }
  }
}

type PlacementNeeds = Pick<EndpointRecord, 'gpu' | 'cpu' | 'dataCenterIds' | 'networkVolumes'>;

/** With network volumes attached, only their data centers are considered (specification 2.4). */
export function placementsFor(state: State, needs: PlacementNeeds): readonly WorkerHardware[] {
  const volumeDataCenters = needs.networkVolumes.flatMap((id) => volumes.get(state, id)?.dataCenter ?? []);
  return DATA_CENTERS.filter(({ id }) => needs.dataCenterIds.length === 0 || needs.dataCenterIds.includes(id))
    .filter(({ id }) => volumeDataCenters.length === 0 || volumeDataCenters.includes(id))
    .flatMap(({ id }) => hardwareIn(state, id, needs) ?? []);
}

/** Others took the hardware of an idle worker: it has to wait for stock. */
export const isThrottled = (state: State, { gpu, cpu, dataCenterId }: WorkerHardware): boolean =>
  (gpu !== undefined && isTaken(state, gpu.id, dataCenterId, gpu.count)) ||
  (cpu !== undefined && isTaken(state, cpu.id, dataCenterId, cpu.vcpuCount));

function hardwareIn(state: State, dataCenterId: string, { gpu, cpu = [] }: PlacementNeeds): WorkerHardware | undefined {
  if (gpu === undefined) {
    const freeOf = new Map(cpusOf(state).map(({ id, stock }) => [id, stock[dataCenterId] ?? 0]));
    const fits = cpu.find(({ id, vcpuCount }) => (freeOf.get(id) ?? 0) >= vcpuCount);
    return fits && { cpu: { id: fits.id, vcpuCount: fits.vcpuCount }, dataCenterId };
  }
  const { count, pools, excludedTypes = [], allowedCudaVersions, minCudaVersion } = gpu;
  const wanted = pools
    .flatMap((pool) => gpusOf(state).filter((known) => known.pool === pool && !excludedTypes.includes(known.id)))
    .filter(({ cudaVersions }) =>
      cudaVersions.some((version) => meetsCuda(version, allowedCudaVersions, minCudaVersion)),
    )
    .find(({ stock }) => (stock[dataCenterId] ?? 0) >= count);
  return wanted && { gpu: { id: wanted.id, count }, dataCenterId };
}

type BuildText =
  | 'commitHash'
  | 'commitMessage'
  | 'branch'
  | 'commitDate'
  | 'imageName'
  | 'startedAt'
  | 'completedAt'
  | 'error';

/** The local service builds nothing: a control request adds builds. */
export interface BuildRecord extends Record<BuildText, string | null> {
  id: string;
  endpointId: string;
  createdAt: EpochMs;
  status: string;
}

export const builds = createRecordTable<BuildRecord>('builds');
