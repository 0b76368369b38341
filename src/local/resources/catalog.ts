import type { Json } from '../../core/json.ts';
import { badRequest, notFound } from '../contract/problem.ts';
import { type Call, listIn, type Operation, steps } from '../http/operation.ts';
import {
  type CpuData,
  type CudaConstraint,
  DATA_CENTERS,
  type DataCenterData,
  type GpuData,
  meetsCudaConstraint,
} from '../model/hardware.ts';
import { cpusOf, gpusOf } from '../model/stock.ts';
import type { State } from '../state/state.ts';

type Level = 'NONE' | 'LOW' | 'MEDIUM' | 'HIGH';

interface GpuRequirements extends CudaConstraint {
  readonly count: number;
  readonly clouds: readonly ('SECURE' | 'COMMUNITY')[];
  readonly countries: readonly string[] | undefined;
}

interface CpuRequirements {
  readonly vcpuCount: number;
}

/** Valid only with include=AVAILABILITY. */
const AVAILABILITY_FILTERS = [
  'product',
  'count',
  'cloud',
  'countryCodes',
  'cudaVersions',
  'minCudaVersion',
  'vcpuCount',
] as const;

/** Throws the 400 Problem (contract rules, Catalog). */
function wantsAvailability(query: URLSearchParams): boolean {
  const wanted = listIn(query, 'include')?.includes('AVAILABILITY') ?? false;
  const given = AVAILABILITY_FILTERS.filter((name) => query.has(name));
  if (!wanted && given.length > 0) throw badRequest(`${given.join(', ')}: valid only with include=AVAILABILITY`);
  if (wanted && (listIn(query, 'product') ?? []).length === 0)
    throw badRequest('include=AVAILABILITY needs product, such as product=POD');
  if (query.has('cudaVersions') && query.has('minCudaVersion'))
    throw badRequest('cudaVersions and minCudaVersion exclude each other');
  return wanted;
}

function gpuRequirements(query: URLSearchParams): GpuRequirements {
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

const ANY_GPU: GpuRequirements = {
  count: 1,
  clouds: ['SECURE', 'COMMUNITY'],
  countries: undefined,
  cudaVersions: undefined,
  minCudaVersion: undefined,
};

function gpuLevel(gpu: GpuData, dataCenter: DataCenterData, required: GpuRequirements): Level {
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

const cpuLevel = (cpu: CpuData, dataCenter: DataCenterData, { vcpuCount }: CpuRequirements): Level =>
  vcpuCount > cpu.vcpu.max ? 'NONE' : level(Math.floor((cpu.stock[dataCenter.id] ?? 0) / vcpuCount), 8, 64);

function availabilityOf(levelIn: (dataCenter: DataCenterData) => Level): {
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

function gpuDocument(gpu: GpuData, query: URLSearchParams): Json {
  const { stock: _stock, machine: _machine, cudaVersions, ...shown } = gpu;
  const required = gpuRequirements(query);
  return {
    ...shown,
    secure: gpu.maxCount.secure > 0,
    community: gpu.maxCount.community > 0,
    ...(wantsAvailability(query)
      ? {
          ...availabilityOf((dataCenter) => gpuLevel(gpu, dataCenter, required)),
          cudaVersions: cudaVersions.map((version) => ({ version, available: meetsCudaConstraint(version, required) })),
        }
      : {}),
  };
}

function cpuDocument(cpu: CpuData, query: URLSearchParams): Json {
  const { stock: _stock, ...shown } = cpu;
  const vcpuCount = Number(query.get('vcpuCount') ?? cpu.vcpu.min);
  const levelIn = (dataCenter: DataCenterData): Level => cpuLevel(cpu, dataCenter, { vcpuCount });
  return { ...shown, ...(wantsAvailability(query) ? availabilityOf(levelIn) : {}) };
}

function dataCenterDocument(state: State, dataCenter: DataCenterData, query: URLSearchParams): Json {
  const include = listIn(query, 'include') ?? [];
  const { country: _country, ...shown } = dataCenter;
  return {
    ...shown,
    ...(include.includes('GPU_AVAILABILITY')
      ? { gpuAvailability: levels(gpusOf(state), (gpu) => gpuLevel(gpu, dataCenter, ANY_GPU)) }
      : {}),
    ...(include.includes('CPU_AVAILABILITY')
      ? { cpuAvailability: levels(cpusOf(state), (cpu) => cpuLevel(cpu, dataCenter, { vcpuCount: cpu.vcpu.min })) }
      : {}),
  };
}

const levels = <T extends { readonly id: string; readonly name: string }>(
  all: readonly T[],
  levelOf: (item: T) => string,
) => all.map((item) => ({ id: item.id, name: item.name, availability: levelOf(item) }));

/** Regions are alternatives; types of volumes and compliance must all match (additions 10). */
function matchesFilters(dataCenter: DataCenterData, query: URLSearchParams): boolean {
  const regions = listIn(query, 'regions');
  const types = listIn(query, 'networkVolumeTypes');
  const compliance = listIn(query, 'compliance');
  const globalNetwork = query.get('globalNetwork');
  return (
    (regions === undefined || regions.includes(dataCenter.region)) &&
    (types === undefined || types.every((type) => dataCenter.networkVolumeTypes.some((known) => known === type))) &&
    (compliance === undefined || compliance.every((standard) => dataCenter.compliance.includes(standard))) &&
    (globalNetwork === null || dataCenter.globalNetwork === (globalNetwork === 'true'))
  );
}

function findById<T extends { readonly id: string }>(all: readonly T[], call: Call): T {
  const found = all.find(({ id }) => id === call.params['id']);
  if (found === undefined) throw notFound();
  return found;
}

export const catalogOperations: readonly Operation[] = steps({
  listGpuTypes: (state, { query }) => ({ gpus: gpusOf(state).map((gpu) => gpuDocument(gpu, query)) }),
  getGpuType: (state, call) => gpuDocument(findById(gpusOf(state), call), call.query),
  listCpuTypes: (state, { query }) => ({ cpus: cpusOf(state).map((cpu) => cpuDocument(cpu, query)) }),
  getCpuType: (state, call) => cpuDocument(findById(cpusOf(state), call), call.query),
  listDataCenters: (state, { query }) => ({
    dataCenters: DATA_CENTERS.filter((dataCenter) => matchesFilters(dataCenter, query)).map((dataCenter) =>
      dataCenterDocument(state, dataCenter, query),
    ),
  }),
  getDataCenter: (state, call) => dataCenterDocument(state, findById(DATA_CENTERS, call), call.query),
});
