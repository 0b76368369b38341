import { badRequest } from '../../contract/problem.ts';
import { listIn } from '../../http/call/list-parameter.ts';
import { meetsCudaConstraint, type CudaConstraint } from '../../model/catalog/cuda-versions.ts';
import { DATA_CENTERS, type CpuData, type DataCenterData, type GpuData } from '../../model/catalog/hardware.ts';

export type Level = 'NONE' | 'LOW' | 'MEDIUM' | 'HIGH';

/** The requirements that a GPU must meet to count as available. */
export interface GpuRequirements extends CudaConstraint {
  readonly count: number;
  readonly clouds: readonly ('SECURE' | 'COMMUNITY')[];
  readonly countries: readonly string[] | undefined;
}

export interface CpuRequirements {
  readonly vcpuCount: number;
}

/** Filters that are valid only with include=AVAILABILITY. */
const AVAILABILITY_FILTERS = [
  'product',
  'count',
  'cloud',
  'countryCodes',
  'cudaVersions',
  'minCudaVersion',
  'vcpuCount',
] as const;

/** Whether the query asks for availability. Throws the 400 Problem (contract rules, Catalog). */
export function wantsAvailability(query: URLSearchParams): boolean {
  const wanted = listIn(query, 'include')?.includes('AVAILABILITY') ?? false;
  const given = AVAILABILITY_FILTERS.filter((name) => query.has(name));
  if (!wanted && given.length > 0) throw badRequest(`${given.join(', ')}: valid only with include=AVAILABILITY`);
  if (wanted && (listIn(query, 'product') ?? []).length === 0)
    throw badRequest('include=AVAILABILITY needs product, such as product=POD');
  if (query.has('cudaVersions') && query.has('minCudaVersion'))
    throw badRequest('cudaVersions and minCudaVersion exclude each other');
  return wanted;
}

/** The GPU requirements of a validated query. */
export function gpuRequirements(query: URLSearchParams): GpuRequirements {
  const cloud = query.get('cloud') as 'SECURE' | 'COMMUNITY' | null;
  // Clusters and workers run in the secure cloud only.
  const products = listIn(query, 'product') ?? [];
  const clouds = products.includes('POD') ? (['SECURE', 'COMMUNITY'] as const) : (['SECURE'] as const);
  return {
    count: Number(query.get('count') ?? 1),
    clouds: cloud === null ? clouds : clouds.filter((known) => known === cloud),
    countries: listIn(query, 'countryCodes'),
    cudaVersions: listIn(query, 'cudaVersions'),
    minCudaVersion: query.get('minCudaVersion') ?? undefined,
  };
}

export const ANY_GPU: GpuRequirements = {
  count: 1,
  clouds: ['SECURE', 'COMMUNITY'],
  countries: undefined,
  cudaVersions: undefined,
  minCudaVersion: undefined,
};

/** The availability of a GPU in one data center. */
export function gpuLevel(gpu: GpuData, dataCenter: DataCenterData, required: GpuRequirements): Level {
  const maxCount = Math.max(
    0,
    ...required.clouds.map((cloud) => gpu.maxCount[cloud === 'SECURE' ? 'secure' : 'community']),
  );
  const versions = gpu.cudaVersions.filter((version) => meetsCudaConstraint(version, required));
  const needsCuda = required.cudaVersions !== undefined || required.minCudaVersion !== undefined;
  if (required.count > maxCount || (needsCuda && versions.length === 0)) return 'NONE';
  if (required.countries !== undefined && !required.countries.includes(dataCenter.country)) return 'NONE';
  return level(Math.floor((gpu.stock[dataCenter.id] ?? 0) / required.count), 4, 16);
}

export const cpuLevel = (cpu: CpuData, dataCenter: DataCenterData, { vcpuCount }: CpuRequirements): Level =>
  vcpuCount > cpu.vcpu.max ? 'NONE' : level(Math.floor((cpu.stock[dataCenter.id] ?? 0) / vcpuCount), 8, 64);

/** The best availability in any data center, and the data centers that have any. */
export function availabilityOf(levelIn: (dataCenter: DataCenterData) => Level): {
  availability: Level;
  dataCenters: { id: string; name: string; availability: Level }[];
} {
  const dataCenters = DATA_CENTERS.map((dataCenter) => ({
    id: dataCenter.id,
    name: dataCenter.name,
    availability: levelIn(dataCenter),
  })).filter(({ availability }) => availability !== 'NONE');
  const availability = (['HIGH', 'MEDIUM', 'LOW'] as const).find((wanted) =>
    dataCenters.some((dataCenter) => dataCenter.availability === wanted),
  );
  return { availability: availability ?? 'NONE', dataCenters };
}

const level = (free: number, medium: number, high: number): Level =>
  free <= 0 ? 'NONE' : free < medium ? 'LOW' : free < high ? 'MEDIUM' : 'HIGH';
