import { badRequest } from '../contract/problem.ts';

/** Invented, with realistic prices. */

export interface GpuData {
  readonly id: string;
  readonly name: string;
  readonly pool: string | null;
  readonly manufacturer: 'NVIDIA' | 'AMD';
  /** GB. */
  readonly memory: number;
  /** What a machine has for each GPU; a pod has it for each of its GPUs. */
  readonly machine: { readonly vcpuPerGpu: number; readonly ramGbPerGpu: number };
  /** US dollars per GPU and hour; 0 when that cloud has none. */
  readonly price: { readonly secure: number; readonly community: number; readonly serverless: number };
  /** The maximum number of GPUs of one pod; 0 when that cloud has none. */
  readonly maxCount: { readonly secure: number; readonly community: number };
  readonly cudaVersions: readonly string[];
  /** Data center id to the number of free GPUs. */
  readonly stock: Readonly<Record<string, number>>;
}

const gpu = (gigabytes: number, rest: Omit<GpuData, 'id' | 'name' | 'pool' | 'manufacturer' | 'memory'>): GpuData => ({
  id: `GPU-${String(gigabytes)}G`,
  name: `GPU ${String(gigabytes)} GB`,
  pool: `POOL-${String(gigabytes)}G`,
  manufacturer: 'NVIDIA',
  memory: gigabytes,
  ...rest,
});

export const GPUS: readonly GpuData[] = [
  gpu(16, {
    machine: { vcpuPerGpu: 6, ramGbPerGpu: 23 },
    price: { secure: 0.22, community: 0.16, serverless: 0.58 },
    maxCount: { secure: 8, community: 8 },
    cudaVersions: ['11.8', '12.1', '12.4'],
    stock: { 'EU-NORTH-1': 12, 'EU-WEST-1': 30, 'US-EAST-1': 4 },
  }),
  gpu(24, {
    machine: { vcpuPerGpu: 8, ramGbPerGpu: 31.25 },
    price: { secure: 0.69, community: 0.34, serverless: 1.12 },
    maxCount: { secure: 8, community: 4 },
    cudaVersions: ['12.1', '12.4', '12.8'],
    stock: { 'EU-NORTH-1': 40, 'EU-WEST-1': 24, 'US-EAST-1': 16, 'US-WEST-1': 9, 'ASIA-1': 6 },
  }),
  gpu(48, {
    machine: { vcpuPerGpu: 16, ramGbPerGpu: 62.5 },
    price: { secure: 0.86, community: 0.79, serverless: 1.9 },
    maxCount: { secure: 8, community: 2 },
    cudaVersions: ['12.4', '12.8'],
    stock: { 'EU-WEST-1': 5, 'US-EAST-1': 22, 'US-WEST-1': 18 },
  }),
  gpu(80, {
    machine: { vcpuPerGpu: 26, ramGbPerGpu: 117 },
    price: { secure: 2.39, community: 1.99, serverless: 4.18 },
    maxCount: { secure: 8, community: 8 },
    cudaVersions: ['12.4', '12.8', '12.9', '12.11'],
    stock: { 'EU-NORTH-1': 16, 'US-EAST-1': 32, 'US-WEST-1': 3 },
  }),
  {
    ...gpu(192, {
      machine: { vcpuPerGpu: 24, ramGbPerGpu: 283 },
      price: { secure: 2.69, community: 0, serverless: 5.2 },
      maxCount: { secure: 8, community: 0 },
      cudaVersions: [],
      stock: { 'EU-WEST-1': 8 },
    }),
    pool: null,
    manufacturer: 'AMD',
  },
];

export interface CpuData {
  readonly id: string;
  readonly name: string;
  readonly group: string;
  readonly vcpu: { readonly min: number; readonly max: number };
  readonly ramGbPerVcpu: number;
  /** US dollars per vCPU and hour. */
  readonly price: { readonly securePerVcpu: number; readonly serverlessPerVcpu: number };
  /** Data center id to the number of free vCPUs. */
  readonly stock: Readonly<Record<string, number>>;
}

export const CPUS: readonly CpuData[] = [
  {
    id: 'cpu-general',
    name: 'General Purpose',
    group: 'General',
    vcpu: { min: 2, max: 32 },
    ramGbPerVcpu: 4,
    price: { securePerVcpu: 0.03, serverlessPerVcpu: 0.045 },
    stock: { 'EU-NORTH-1': 512, 'EU-WEST-1': 256, 'US-EAST-1': 128, 'US-WEST-1': 64 },
  },
  {
    id: 'cpu-compute',
    name: 'Compute Optimized',
    group: 'Compute',
    vcpu: { min: 2, max: 64 },
    ramGbPerVcpu: 2,
    price: { securePerVcpu: 0.035, serverlessPerVcpu: 0.05 },
    stock: { 'EU-NORTH-1': 256, 'US-EAST-1': 512 },
  },
  {
    id: 'cpu-memory',
    name: 'Memory Optimized',
    group: 'Memory',
    vcpu: { min: 2, max: 16 },
    ramGbPerVcpu: 8,
    price: { securePerVcpu: 0.042, serverlessPerVcpu: 0.06 },
    stock: { 'EU-WEST-1': 32, 'ASIA-1': 16 },
  },
];

export interface DataCenterData {
  readonly id: string;
  readonly name: string;
  readonly country: string;
  readonly region: 'EUROPE' | 'NORTH_AMERICA' | 'ASIA';
  readonly globalNetwork: boolean;
  readonly networkVolumeTypes: readonly ('STANDARD' | 'HIGH_PERFORMANCE')[];
  readonly compliance: readonly string[];
}

const dataCenter = (
  name: string,
  country: string,
  region: DataCenterData['region'],
  compliance: readonly string[],
  networkVolumeTypes: DataCenterData['networkVolumeTypes'],
  globalNetwork: boolean,
): DataCenterData => {
  const id = name.replace('Europe', 'EU').replaceAll(' ', '-').toUpperCase();
  return { id, name, country, region, globalNetwork, networkVolumeTypes, compliance };
};

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

/** At most one of the two is set; with neither, every version is accepted. */
export interface CudaConstraint {
  readonly cudaVersions: readonly string[] | undefined;
  readonly minCudaVersion: string | undefined;
}

/** An empty list means no constraint. */
export const cudaConstraint = (allowed: readonly string[], minimum: string | null | undefined): CudaConstraint => ({
  cudaVersions: allowed.length > 0 ? allowed : undefined,
  minCudaVersion: minimum ?? undefined,
});

export const meetsCudaConstraint = (version: string, { cudaVersions, minCudaVersion }: CudaConstraint): boolean =>
  cudaVersions !== undefined
    ? cudaVersions.includes(version)
    : minCudaVersion === undefined || compareVersions(version, minCudaVersion) >= 0;

/** Compares versions such as `12.11` and `12.2` by their numbers: negative, zero or positive. */
export function compareVersions(a: string, b: string): number {
  const [aMajor = 0, aMinor = 0] = a.split('.').map(Number);
  const [bMajor = 0, bMinor = 0] = b.split('.').map(Number);
  return aMajor - bMajor || aMinor - bMinor;
}
