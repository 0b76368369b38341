import type { EpochMs, Milliseconds } from '../../core/unit-types.ts';
import { badRequest } from '../contract/problem.ts';
import { createPart, type State } from '../state/state.ts';

type Stock = Readonly<Record<string, number>>;

/** Invented, with realistic prices in US dollars per hour and GPU. A cloud that has none has 0. */
const gpu = (
  memory: number,
  [vcpuPerGpu, ramGbPerGpu]: readonly [number, number],
  [secure, community, serverless]: readonly [number, number, number],
  /** Of one pod, in the secure and the community cloud. */
  [mostSecure, mostCommunity]: readonly [number, number],
  cudaVersions: readonly string[],
  /** Data center id to the number of free GPUs. */
  stock: Stock,
) => ({
  id: `GPU-${String(memory)}G`,
  name: `GPU ${String(memory)} GB`,
  pool: `POOL-${String(memory)}G` as string | null,
  manufacturer: 'NVIDIA' as 'NVIDIA' | 'AMD',
  memory,
  machine: { vcpuPerGpu, ramGbPerGpu },
  price: { secure, community, serverless },
  maxCount: { secure: mostSecure, community: mostCommunity },
  cudaVersions,
  stock,
});

export type GpuData = Readonly<ReturnType<typeof gpu>>;

const STOCK_24 = { 'EU-NORTH-1': 40, 'EU-WEST-1': 24, 'US-EAST-1': 16, 'US-WEST-1': 9, 'ASIA-1': 6 };

export const GPUS: readonly GpuData[] = [
  gpu(16, [6, 23], [0.22, 0.16, 0.58], [8, 8], ['11.8', '12.1', '12.4'], {
    'EU-NORTH-1': 12,
    'EU-WEST-1': 30,
    'US-EAST-1': 4,
  }),
  gpu(24, [8, 31.25], [0.69, 0.34, 1.12], [8, 4], ['12.1', '12.4', '12.8'], STOCK_24),
  gpu(48, [16, 62.5], [0.86, 0.79, 1.9], [8, 2], ['12.4', '12.8'], {
    'EU-WEST-1': 5,
    'US-EAST-1': 22,
    'US-WEST-1': 18,
  }),
  gpu(80, [26, 117], [2.39, 1.99, 4.18], [8, 8], ['12.4', '12.8', '12.9', '12.11'], {
    'EU-NORTH-1': 16,
    'US-EAST-1': 32,
    'US-WEST-1': 3,
  }),
  {
    ...gpu(192, [24, 283], [2.69, 0, 5.2], [8, 0], [], { 'EU-WEST-1': 8 }),
    pool: null,
    manufacturer: 'AMD',
  },
];

const cpu = (
  id: string,
  name: string,
  maxVcpus: number,
  ramGbPerVcpu: number,
  /** US dollars per vCPU and hour. */
  [securePerVcpu, serverlessPerVcpu]: readonly [number, number],
  /** Data center id to the number of free vCPUs. */
  stock: Stock,
) => ({
  id,
  name,
  group: name.split(' ')[0] ?? '',
  vcpu: { min: 2, max: maxVcpus },
  ramGbPerVcpu,
  price: { securePerVcpu, serverlessPerVcpu },
  stock,
});

export type CpuData = Readonly<ReturnType<typeof cpu>>;

export const CPUS: readonly CpuData[] = [
  cpu('cpu-general', 'General Purpose', 32, 4, [0.03, 0.045], {
    'EU-NORTH-1': 512,
    'EU-WEST-1': 256,
    'US-EAST-1': 128,
    'US-WEST-1': 64,
  }),
  cpu('cpu-compute', 'Compute Optimized', 64, 2, [0.035, 0.05], { 'EU-NORTH-1': 256, 'US-EAST-1': 512 }),
  cpu('cpu-memory', 'Memory Optimized', 16, 8, [0.042, 0.06], { 'EU-WEST-1': 32, 'ASIA-1': 16 }),
];

const dataCenter = (
  name: string,
  country: string,
  region: 'EUROPE' | 'NORTH_AMERICA' | 'ASIA',
  compliance: readonly string[],
  networkVolumeTypes: readonly ('STANDARD' | 'HIGH_PERFORMANCE')[],
  globalNetwork: boolean,
) => {
  const id = name.replace('Europe', 'EU').replaceAll(' ', '-').toUpperCase();
  return { id, name, country, region, globalNetwork, networkVolumeTypes, compliance };
};

export type DataCenterData = Readonly<ReturnType<typeof dataCenter>>;

const BOTH = ['STANDARD', 'HIGH_PERFORMANCE'] as const;
const ONE = ['STANDARD'] as const;

export const DATA_CENTERS: readonly DataCenterData[] = [
  dataCenter('Europe North 1', 'SE', 'EUROPE', ['GDPR', 'ISO_IEC_27001', 'RENEWABLE'], BOTH, true),
  dataCenter('Europe West 1', 'NL', 'EUROPE', ['GDPR', 'ISO_IEC_27001', 'ISO_14001'], ONE, true),
  dataCenter('US East 1', 'US', 'NORTH_AMERICA', ['SOC_2_TYPE_2', 'HIPAA'], BOTH, true),
  dataCenter('US West 1', 'US', 'NORTH_AMERICA', ['SOC_2_TYPE_2'], ONE, false),
  dataCenter('Asia 1', 'JP', 'ASIA', [], [], false),
];

export const gpuById = (id: string): GpuData | undefined => GPUS.find((known) => known.id === id);
export const cpuById = (id: string): CpuData | undefined => CPUS.find((known) => known.id === id);
export const dataCenterById = (id: string): DataCenterData | undefined => DATA_CENTERS.find((known) => known.id === id);

/** The flavor with so many vCPUs. Throws the 400 Problem of specification 2.2. */
export function flavorFor(flavors: readonly CpuData[], id: string, vcpuCount: number): CpuData {
  const flavor = flavors.find((known) => known.id === id);
  if (flavor === undefined)
    throw badRequest(`unknown CPU flavor ${id}: one of ${CPUS.map(({ id: known }) => known).join(', ')}`);
  if (!Number.isInteger(Math.log2(vcpuCount))) throw badRequest('cpu: vcpuCount must be a power of two');
  if (vcpuCount < flavor.vcpu.min || vcpuCount > flavor.vcpu.max)
    throw badRequest(`${id} has ${String(flavor.vcpu.min)} to ${String(flavor.vcpu.max)} vCPUs`);
  return flavor;
}

export const meetsCuda = (version: string, allowed: readonly string[] = [], minimum?: string | null): boolean =>
  allowed.length > 0 ? allowed.includes(version) : compareVersions(version, minimum ?? '0') >= 0;

/** Compares versions such as `12.11` and `12.2` by their numbers: negative, zero or positive. */
export function compareVersions(a: string, b: string): number {
  const [aMajor = 0, aMinor = 0] = a.split('.').map(Number);
  const [bMajor = 0, bMinor = 0] = b.split('.').map(Number);
  return aMajor - bMajor || aMinor - bMinor;
}

/** When a change holds: from `from` on, for `forMs`, and again after each `everyMs`. */
interface Span {
  readonly from: EpochMs;
  readonly forMs: Milliseconds;
  readonly everyMs?: Milliseconds;
}

/** What is free in a data center, or a price in US dollars an hour. */
interface Change {
  readonly hardware: string;
  readonly of: 'stock' | 'price';
  /** The data center, or the member of the catalog's prices. */
  readonly member: string;
  readonly value: number;
  readonly span?: Span;
}

/** All else has the catalog's value. The last one counts. */
const changes = createPart<Change[]>('hardware', () => []);

const changed = (state: State, hardwareId: string, of: Change['of']): Readonly<Partial<Record<string, number>>> =>
  Object.fromEntries(
    changes
      .of(state)
      .filter((each) => each.hardware === hardwareId && each.of === of && holds(each.span, state.asOf))
      .map(({ member, value }) => [member, value]),
  );

const asChanged = <T extends GpuData | CpuData>(state: State, hardware: T): T => ({
  ...hardware,
  price: { ...hardware.price, ...changed(state, hardware.id, 'price') },
  stock: { ...hardware.stock, ...changed(state, hardware.id, 'stock') },
});

export const gpusOf = (state: State): readonly GpuData[] => GPUS.map((gpu) => asChanged(state, gpu));
export const cpusOf = (state: State): readonly CpuData[] => CPUS.map((cpu) => asChanged(state, cpu));

function holds(span: Span | undefined, now: EpochMs): boolean {
  if (span === undefined) return true;
  const since = now - span.from;
  return since >= 0 && (span.everyMs === undefined ? since : since % span.everyMs) < span.forMs;
}

/** The last time at which a change begins or ends, after `after` and up to `now`; undefined without one. */
export function lastStockTurn(state: State, after: number, now: EpochMs): number | undefined {
  const turns = changes.of(state).flatMap(({ span }) => {
    if (span === undefined) return [];
    const { from, forMs, everyMs } = span;
    const begun = everyMs === undefined ? from : from + Math.floor((now - from) / everyMs) * everyMs;
    return [begun, begun + forMs, begun - (everyMs ?? 0) + forMs].filter((at) => at > after && at <= now);
  });
  return turns.length === 0 ? undefined : Math.max(...turns);
}

/** For good in place of all that was set before; with a span over what was set for good. */
export function changeHardware(state: State, members: readonly string[], change: Omit<Change, 'member'>): void {
  const { hardware, of, span } = change;
  const isReplaced = (each: Change): boolean =>
    each.hardware === hardware &&
    each.of === of &&
    members.includes(each.member) &&
    (span === undefined || each.span !== undefined);
  const kept = changes.of(state).filter((each) => !isReplaced(each));
  changes.replace(state, [...kept, ...members.map((member) => ({ ...change, member }))]);
}

export const resetHardware = (state: State): void => {
  changes.replace(state, []);
};

/** Whether `berth local stock set` has left less than `count` of some hardware in a data center. */
export const isTaken = (state: State, hardwareId: string, dataCenterId: string, count: number): boolean =>
  (changed(state, hardwareId, 'stock')[dataCenterId] ?? Infinity) < count;

export const dataCentersWith = ({ stock }: GpuData | CpuData): readonly string[] =>
  DATA_CENTERS.map(({ id }) => id).filter((id) => stock[id] !== undefined);
