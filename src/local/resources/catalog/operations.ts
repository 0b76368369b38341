import type { Json } from '../../../core/json.ts';
import { operation, type Call, type Operation } from '../../frame/operation.ts';
import { notFound } from '../../contract/problem.ts';
import { listIn } from '../../frame/query.ts';
import { ANY_GPU, cpuLevel, gpuLevel, gpuRequirements, availabilityOf, wantsAvailability } from './availability.ts';
import { meetsCudaConstraint } from '../../model/catalog/cuda-versions.ts';
import {
  CPUS,
  DATA_CENTERS,
  GPUS,
  type CpuData,
  type DataCenterData,
  type GpuData,
} from '../../model/catalog/hardware.ts';

function gpuDocument(gpu: GpuData, query: URLSearchParams, available: boolean): Json {
  const { stock: _stock, cudaVersions, ...shown } = gpu;
  const required = gpuRequirements(query);
  return {
    ...shown,
    secure: gpu.maxCount.secure > 0,
    community: gpu.maxCount.community > 0,
    ...(available
      ? {
          ...availabilityOf((dataCenter) => gpuLevel(gpu, dataCenter, required)),
          cudaVersions: cudaVersions.map((version) => ({ version, available: meetsCudaConstraint(version, required) })),
        }
      : {}),
  };
}

function cpuDocument(cpu: CpuData, query: URLSearchParams, available: boolean): Json {
  const { stock: _stock, ...shown } = cpu;
  const vcpuCount = Number(query.get('vcpuCount') ?? cpu.vcpu.min);
  return { ...shown, ...(available ? availabilityOf((dataCenter) => cpuLevel(cpu, dataCenter, { vcpuCount })) : {}) };
}

function dataCenterDocument(dataCenter: DataCenterData, query: URLSearchParams): Json {
  const include = listIn(query, 'include') ?? [];
  const { country: _country, ...shown } = dataCenter;
  return {
    ...shown,
    ...(include.includes('GPU_AVAILABILITY')
      ? { gpuAvailability: levels(GPUS, (gpu) => gpuLevel(gpu, dataCenter, ANY_GPU)) }
      : {}),
    ...(include.includes('CPU_AVAILABILITY')
      ? { cpuAvailability: levels(CPUS, (cpu) => cpuLevel(cpu, dataCenter, { vcpuCount: cpu.vcpu.min })) }
      : {}),
  };
}

const levels = <T extends { readonly id: string; readonly name: string }>(
  all: readonly T[],
  levelOf: (item: T) => string,
) => all.map((item) => ({ id: item.id, name: item.name, availability: levelOf(item) }));

/** Whether all filters match; a filter with several values matches any of them (contract rules, Catalog). */
function matchesFilters(dataCenter: DataCenterData, query: URLSearchParams): boolean {
  const regions = listIn(query, 'regions');
  const types = listIn(query, 'networkVolumeTypes');
  const compliance = listIn(query, 'compliance');
  const globalNetwork = query.get('globalNetwork');
  return (
    (regions === undefined || regions.includes(dataCenter.region)) &&
    (types === undefined || dataCenter.networkVolumeTypes.some((type) => types.includes(type))) &&
    (compliance === undefined || compliance.some((standard) => dataCenter.compliance.includes(standard))) &&
    (globalNetwork === null || dataCenter.globalNetwork === (globalNetwork === 'true'))
  );
}

function findById<T extends { readonly id: string }>(all: readonly T[], call: Call): T {
  const found = all.find(({ id }) => id === call.params['id']);
  if (found === undefined) throw notFound();
  return found;
}

/** The catalog: hardware and data centers. It never changes. */
export const catalogOperations: readonly Operation[] = [
  operation('listGpuTypes', ({ query }) => {
    const available = wantsAvailability(query);
    return { status: 200, body: { gpus: GPUS.map((gpu) => gpuDocument(gpu, query, available)) } };
  }),
  operation('getGpuType', (call) => {
    const available = wantsAvailability(call.query);
    return { status: 200, body: gpuDocument(findById(GPUS, call), call.query, available) };
  }),
  operation('listCpuTypes', ({ query }) => {
    const available = wantsAvailability(query);
    return { status: 200, body: { cpus: CPUS.map((cpu) => cpuDocument(cpu, query, available)) } };
  }),
  operation('getCpuType', (call) => {
    const available = wantsAvailability(call.query);
    return { status: 200, body: cpuDocument(findById(CPUS, call), call.query, available) };
  }),
  operation('listDataCenters', ({ query }) => ({
    status: 200,
    body: {
      dataCenters: DATA_CENTERS.filter((dataCenter) => matchesFilters(dataCenter, query)).map((dataCenter) =>
        dataCenterDocument(dataCenter, query),
      ),
    },
  })),
  operation('getDataCenter', (call) => ({
    status: 200,
    body: dataCenterDocument(findById(DATA_CENTERS, call), call.query),
  })),
];
