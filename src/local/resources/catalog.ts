import type { Json } from '../../core/json.ts';
import { badRequest, notFound } from '../contract/problem.ts';
import { type Call, listIn, type Operation, steps } from '../http/operation.ts';
import {
  type CpuData,
  cpusOf,
  DATA_CENTERS,
  type DataCenterData,
  type GpuData,
  gpusOf,
  meetsCuda,
} from '../model/hardware.ts';
import type { State } from '../state/state.ts';

type Level = 'NONE' | 'LOW' | 'MEDIUM' | 'HIGH';
type LevelIn = (dataCenter: DataCenterData) => Level;

type GpuRequirements = ReturnType<typeof gpuRequirements>;

/** Valid only with include=AVAILABILITY. */
const AVAILABILITY_FILTERS = 'product count cloud countryCodes cudaVersions minCudaVersion vcpuCount'.split(' ');

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

function gpuRequirements(query: URLSearchParams) {
  const cloud = query.get('cloud')?.toLowerCase();
  // Clusters and workers run in the secure cloud only.
  const isOfPods = (listIn(query, 'product') ?? []).includes('POD');
  return {
    count: Number(query.get('count') ?? 1),
    clouds: CLOUDS.filter((known) => (known === 'secure' || isOfPods) && (cloud ?? known) === known),
    countries: listIn(query, 'countryCodes'),
    cudaVersions: listIn(query, 'cudaVersions'),
    minCudaVersion: query.get('minCudaVersion') ?? undefined,
  };
}

const CLOUDS = ['secure', 'community'] as const;
const ANY_GPU: GpuRequirements = gpuRequirements(new URLSearchParams({ product: 'POD' }));

const gpuLevel =
  (gpu: GpuData, required: GpuRequirements): LevelIn =>
  ({ id, country }) => {
    const { count, clouds, countries, cudaVersions, minCudaVersion } = required;
    const needsCuda = cudaVersions !== undefined || minCudaVersion !== undefined;
    const isNone =
      count > Math.max(0, ...clouds.map((cloud) => gpu.maxCount[cloud])) ||
      (needsCuda && !gpu.cudaVersions.some((version) => meetsCuda(version, cudaVersions, minCudaVersion))) ||
      countries?.includes(country) === false;
    return isNone ? 'NONE' : level(Math.floor((gpu.stock[id] ?? 0) / count), 4, 16);
  };

const cpuLevel =
  (cpu: CpuData, vcpuCount = cpu.vcpu.min): LevelIn =>
  ({ id }) =>
    vcpuCount > cpu.vcpu.max ? 'NONE' : level(Math.floor((cpu.stock[id] ?? 0) / vcpuCount), 8, 64);

const level = (free: number, medium: number, high: number): Level =>
  free <= 0 ? 'NONE' : free < medium ? 'LOW' : free < high ? 'MEDIUM' : 'HIGH';

function availabilityOf(levelIn: LevelIn) {
  const dataCenters = DATA_CENTERS.map((each) => ({
    id: each.id,
    name: each.name,
    availability: levelIn(each),
  })).filter(({ availability }) => availability !== 'NONE');
  const best = (['HIGH', 'MEDIUM', 'LOW'] as const).find((wanted) =>
    dataCenters.some(({ availability }) => availability === wanted),
  );
  return { availability: best ?? 'NONE', dataCenters };
}

function gpuDocument(gpu: GpuData, query: URLSearchParams): Json {
  const { stock: _stock, machine: _machine, cudaVersions, ...shown } = gpu;
  const required = gpuRequirements(query);
  return {
    ...shown,
    secure: gpu.maxCount.secure > 0,
    community: gpu.maxCount.community > 0,
    ...(wantsAvailability(query) && {
      ...availabilityOf(gpuLevel(gpu, required)),
      cudaVersions: cudaVersions.map((version) => ({
        version,
        available: meetsCuda(version, required.cudaVersions, required.minCudaVersion),
      })),
    }),
  };
}

function cpuDocument(cpu: CpuData, query: URLSearchParams): Json {
  const { stock: _stock, ...shown } = cpu;
  const vcpuCount = Number(query.get('vcpuCount') ?? cpu.vcpu.min);
  return { ...shown, ...(wantsAvailability(query) && availabilityOf(cpuLevel(cpu, vcpuCount))) };
}

function dataCenterDocument(state: State, dataCenter: DataCenterData, query: URLSearchParams): Json {
  const include = listIn(query, 'include') ?? [];
  const { country: _country, ...shown } = dataCenter;
  const levels = <T extends GpuData | CpuData>(all: readonly T[], levelOf: (each: T) => LevelIn) =>
    all.map((each) => ({ id: each.id, name: each.name, availability: levelOf(each)(dataCenter) }));
  return {
    ...shown,
    ...(include.includes('GPU_AVAILABILITY') && {
      gpuAvailability: levels(gpusOf(state), (gpu) => gpuLevel(gpu, ANY_GPU)),
    }),
    ...(include.includes('CPU_AVAILABILITY') && { cpuAvailability: levels(cpusOf(state), (cpu) => cpuLevel(cpu)) }),
  };
}

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
