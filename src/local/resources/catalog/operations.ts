import type { Json } from '../../../core/json.ts';
import type { OperationId } from '../../contract/rows.ts';
import { operation, reply, type Call, type Operation } from '../../http/call/operation.ts';
import { notFound } from '../../contract/problem.ts';
import { listIn } from '../../http/call/list-parameter.ts';
import { ANY_GPU, cpuLevel, gpuLevel, gpuRequirements, availabilityOf, wantsAvailability } from './availability.ts';
import { meetsCudaConstraint } from '../../model/catalog/cuda-versions.ts';
import { DATA_CENTERS, type CpuData, type DataCenterData, type GpuData } from '../../model/catalog/hardware.ts';
import { cpusOf, gpusOf } from '../../model/catalog/stock.ts';
import type { State } from '../../state/state.ts';

function gpuDocument(gpu: GpuData, query: URLSearchParams, available: boolean): Json {
  const { stock: _stock, machine: _machine, cudaVersions, ...shown } = gpu;
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

/**
 * Whether all filters match. The regions of a filter are alternatives; of types of volumes and of compliance all must hold
 * (additions 10).
 */
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

/** The operations that list some hardware and that get one of it; `member` is the member of the list. */
function hardwareOperations<T extends GpuData | CpuData>(
  [listId, getId, member]: readonly [OperationId, OperationId, string],
  all: (state: State) => readonly T[],
  documentOf: (hardware: T, query: URLSearchParams, available: boolean) => Json,
): readonly Operation[] {
  return [
    operation(
      listId,
      reply(200, (state, { query }) => {
        const available = wantsAvailability(query);
        return { [member]: all(state).map((hardware) => documentOf(hardware, query, available)) };
      }),
    ),
    operation(
      getId,
      reply(200, (state, call) => {
        const available = wantsAvailability(call.query);
        return documentOf(findById(all(state), call), call.query, available);
      }),
    ),
  ];
}

/** The catalog: hardware and data centers. Only the stock ever changes, by `berth local stock`. */
export const catalogOperations: readonly Operation[] = [
  ...hardwareOperations(['listGpuTypes', 'getGpuType', 'gpus'], gpusOf, gpuDocument),
  ...hardwareOperations(['listCpuTypes', 'getCpuType', 'cpus'], cpusOf, cpuDocument),
  operation(
    'listDataCenters',
    reply(200, (state, { query }) => ({
      dataCenters: DATA_CENTERS.filter((dataCenter) => matchesFilters(dataCenter, query)).map((dataCenter) =>
        dataCenterDocument(state, dataCenter, query),
      ),
    })),
  ),
  operation(
    'getDataCenter',
    reply(200, (state, call) => dataCenterDocument(state, findById(DATA_CENTERS, call), call.query)),
  ),
];
