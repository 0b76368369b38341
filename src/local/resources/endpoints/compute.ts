import { CPUS, cpuById, dataCenterById, gpuById, GPUS } from '../../model/catalog/hardware.ts';
import { badRequest, notFound } from '../../contract/problem.ts';
import type { State } from '../../state/state.ts';
import { placesFor } from '../../model/endpoints/placement.ts';
import type { EndpointCpu, EndpointGpu, EndpointRecord } from '../../model/endpoints/record.ts';

export interface GpuBody {
  readonly pools?: readonly string[];
  readonly excludedTypes?: readonly string[];
  readonly count?: number;
  readonly allowedCudaVersions?: readonly string[];
  /** Empty takes the constraint away. */
  readonly minCudaVersion?: string;
}

export type CpuBody = readonly { readonly id: string; readonly vcpuCount: number }[];

/**
 * An endpoint's GPUs as a body changes them: what it does not name stays, but that new pools start without exclusions.
 * Throws the 400 Problem on a CPU endpoint, and for what the catalog does not know.
 */
export function gpuFor(present: EndpointRecord, asked: GpuBody | undefined): { readonly gpu?: EndpointGpu } {
  if (asked === undefined) return {};
  if (present.cpu !== undefined) throw badRequest('gpu on a CPU endpoint: the kind of compute is fixed at creation');
  const kept = present.gpu ?? { pools: [], count: 1, allowedCudaVersions: [], minCudaVersion: null };
  const { excludedTypes: keptExclusions, ...others } = kept;
  const excludedTypes = asked.pools === undefined ? keptExclusions : asked.excludedTypes;
  const gpu: EndpointGpu = {
    ...others,
    pools: [...(asked.pools ?? kept.pools)],
    ...(excludedTypes !== undefined && { excludedTypes: [...excludedTypes] }),
    count: asked.count ?? kept.count,
    allowedCudaVersions: [...(asked.allowedCudaVersions ?? kept.allowedCudaVersions)],
    minCudaVersion: asked.minCudaVersion === undefined ? kept.minCudaVersion : asked.minCudaVersion || null,
  };
  if (gpu.allowedCudaVersions.length > 0 && gpu.minCudaVersion !== null)
    throw badRequest('gpu.allowedCudaVersions and gpu.minCudaVersion exclude each other');
  const pool = gpu.pools.find((id) => !GPUS.some((known) => known.pool === id));
  if (pool !== undefined) throw badRequest(`unknown GPU pool ${pool}`);
  const type = gpu.excludedTypes?.find((id) => gpuById(id) === undefined);
  if (type !== undefined) throw badRequest(`gpu.excludedTypes: unknown GPU type ${type}`);
  return { gpu };
}

/** An endpoint's CPU flavors as a body sets them. Throws the 400 Problem on a GPU endpoint, and as specification 2.2. */
export function cpuFor(present: EndpointRecord, asked: CpuBody | undefined): { readonly cpu?: EndpointCpu[] } {
  if (asked === undefined) return {};
  if (present.gpu !== undefined) throw badRequest('cpu on a GPU endpoint: the kind of compute is fixed at creation');
  const cpu = asked.map(({ id, vcpuCount }) => {
    const flavor = cpuById(id);
    if (flavor === undefined)
      throw badRequest(`unknown CPU flavor ${id}: one of ${CPUS.map((one) => one.id).join(', ')}`);
    if (!Number.isInteger(Math.log2(vcpuCount))) throw badRequest('cpu: vcpuCount must be a power of two');
    if (vcpuCount < flavor.vcpu.min || vcpuCount > flavor.vcpu.max)
      throw badRequest(`${id} has ${String(flavor.vcpu.min)} to ${String(flavor.vcpu.max)} vCPUs`);
    return { id, vcpuCount, memory: vcpuCount * flavor.ramGbPerVcpu };
  });
  return { cpu };
}

/**
 * Throws the 404 Problem for a volume that is not there, 400 where there are several in one data center
 * (specification 2.4), where a data center is unknown, and where no worker could run anywhere.
 */
export function refusePlaces(state: State, endpoint: EndpointRecord): void {
  const homes = endpoint.networkVolumes.map((id) => {
    const volume = state.volumes[id];
    if (volume === undefined) throw notFound(`network volume ${id} not found`);
    return volume.dataCenter;
  });
  if (new Set(homes).size < homes.length) throw badRequest('at most one network volume per data center');
  const unknown = endpoint.dataCenterIds.find((id) => dataCenterById(id) === undefined);
  if (unknown !== undefined) throw badRequest(`unknown data center ${unknown}`);
  if (placesFor(state, endpoint).length === 0) throw badRequest('no data center has what these workers need');
}
