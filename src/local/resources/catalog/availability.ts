import { badRequest } from '../../contract/problem.ts';
import { compareVersions, listIn } from '../../frame/query.ts';
import { DATA_CENTERS, type CpuData, type DataCenterData, type GpuData } from '../../model/catalog/hardware.ts';

export type Level = 'NONE' | 'LOW' | 'MEDIUM' | 'HIGH';

/** What a GPU must offer to count as available. */
export interface GpuWish {
  readonly count: number;
  readonly clouds: readonly ('SECURE' | 'COMMUNITY')[];
  readonly countries: readonly string[] | undefined;
  readonly cudaVersions: readonly string[] | undefined;
  readonly minCudaVersion: string | undefined;
}

export interface CpuWish {
  readonly vcpuCount: number;
}

/** Filters that mean something only where availability is asked for. */
const AVAILABILITY_FILTERS = [
  'product',
  'count',
  'cloud',
  'countryCodes',
  'cudaVersions',
  'minCudaVersion',
  'vcpuCount',
] as const;

/** True where availability was asked for. Throws the 400 Problem of contract rules, Catalog. */
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

/** What a checked query wishes of a GPU. */
export function gpuWish(query: URLSearchParams): GpuWish {
  const cloud = query.get('cloud') as 'SECURE' | 'COMMUNITY' | null;
  // Clusters and workers run in the secure cloud alone.
  const products = listIn(query, 'product') ?? [];
  const podOnly = products.includes('POD') ? (['SECURE', 'COMMUNITY'] as const) : (['SECURE'] as const);
  return {
    count: Number(query.get('count') ?? 1),
    clouds: cloud === null ? podOnly : podOnly.filter((known) => known === cloud),
    countries: listIn(query, 'countryCodes'),
    cudaVersions: listIn(query, 'cudaVersions'),
    minCudaVersion: query.get('minCudaVersion') ?? undefined,
  };
}

export const ANY_GPU: GpuWish = {
  count: 1,
  clouds: ['SECURE', 'COMMUNITY'],
  countries: undefined,
  cudaVersions: undefined,
  minCudaVersion: undefined,
};

/** How available a GPU is in one data center. */
export function gpuLevel(gpu: GpuData, dataCenter: DataCenterData, wish: GpuWish): Level {
  const most = Math.max(0, ...wish.clouds.map((cloud) => gpu.maxCount[cloud === 'SECURE' ? 'secure' : 'community']));
  const versions = gpu.cudaVersions.filter((version) => suits(version, wish));
  const needsCuda = wish.cudaVersions !== undefined || wish.minCudaVersion !== undefined;
  if (wish.count > most || (needsCuda && versions.length === 0)) return 'NONE';
  if (wish.countries !== undefined && !wish.countries.includes(dataCenter.country)) return 'NONE';
  return level(Math.floor((gpu.stock[dataCenter.id] ?? 0) / wish.count), 4, 16);
}

export const cpuLevel = (cpu: CpuData, dataCenter: DataCenterData, { vcpuCount }: CpuWish): Level =>
  vcpuCount > cpu.vcpu.max ? 'NONE' : level(Math.floor((cpu.stock[dataCenter.id] ?? 0) / vcpuCount), 8, 64);

/** True where a CUDA version is among those wished for, or at least the least one. */
export const suits = (version: string, wish: Pick<GpuWish, 'cudaVersions' | 'minCudaVersion'>): boolean =>
  wish.cudaVersions !== undefined
    ? wish.cudaVersions.includes(version)
    : wish.minCudaVersion === undefined || compareVersions(version, wish.minCudaVersion) >= 0;

/** Availability over all data centers, and in each that has any. */
export function spread(levelIn: (dataCenter: DataCenterData) => Level): {
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
