import { CPUS, cpuById, dataCenterById, gpuById, GPUS } from '../../model/catalog/hardware.ts';
import { badRequest, notFound } from '../../contract/problem.ts';
import { volumes } from '../../model/volumes.ts';
import type { State } from '../../state/state.ts';
import { placementsFor } from '../../model/endpoints/placement.ts';
import type { EndpointCpu, EndpointGpu, EndpointRecord } from '../../model/endpoints/record.ts';

export interface GpuBody {
  readonly pools?: readonly string[];
  readonly excludedTypes?: readonly string[];
  readonly count?: number;
  readonly allowedCudaVersions?: readonly string[];
  /** Empty removes the constraint. */
  readonly minCudaVersion?: string;
}

export type CpuBody = readonly { readonly id: string; readonly vcpuCount: number }[];

/**
 * An endpoint's GPU settings after a change. What the body does not name is kept, except that new pools have no exclusions.
 * Throws the 400 Problem on a CPU endpoint, and for an unknown pool or GPU type.
 */
export function gpuFor(current: EndpointRecord, request: GpuBody | undefined): { readonly gpu?: EndpointGpu } {
  if (request === undefined) return {};
  if (current.cpu !== undefined) throw badRequest('gpu on a CPU endpoint: the kind of compute is fixed at creation');
  const kept = current.gpu ?? { pools: [], count: 1, allowedCudaVersions: [], minCudaVersion: null };
  const { excludedTypes: keptExclusions, ...others } = kept;
  const excludedTypes = request.pools === undefined ? keptExclusions : request.excludedTypes;
  const gpu: EndpointGpu = {
    ...others,
    pools: [...(request.pools ?? kept.pools)],
    ...(excludedTypes !== undefined && { excludedTypes: [...excludedTypes] }),
    count: request.count ?? kept.count,
    allowedCudaVersions: [...(request.allowedCudaVersions ?? kept.allowedCudaVersions)],
    minCudaVersion: request.minCudaVersion === undefined ? kept.minCudaVersion : request.minCudaVersion || null,
  };
  if (gpu.allowedCudaVersions.length > 0 && gpu.minCudaVersion !== null)
    throw badRequest('gpu.allowedCudaVersions and gpu.minCudaVersion exclude each other');
  const pool = gpu.pools.find((id) => !GPUS.some((known) => known.pool === id));
  if (pool !== undefined) throw badRequest(`unknown GPU pool ${pool}`);
  const type = gpu.excludedTypes?.find((id) => gpuById(id) === undefined);
  if (type !== undefined) throw badRequest(`gpu.excludedTypes: unknown GPU type ${type}`);
  return { gpu };
}

/** An endpoint's CPU flavors after a change. Throws the 400 Problem on a GPU endpoint, and as in specification 2.2. */
export function cpuFor(current: EndpointRecord, request: CpuBody | undefined): { readonly cpu?: EndpointCpu[] } {
  if (request === undefined) return {};
  if (current.gpu !== undefined) throw badRequest('cpu on a GPU endpoint: the kind of compute is fixed at creation');
  const cpu = request.map(({ id, vcpuCount }) => {
    const flavor = cpuById(id);
    if (flavor === undefined)
      throw badRequest(`unknown CPU flavor ${id}: one of ${CPUS.map(({ id: known }) => known).join(', ')}`);
    if (!Number.isInteger(Math.log2(vcpuCount))) throw badRequest('cpu: vcpuCount must be a power of two');
    if (vcpuCount < flavor.vcpu.min || vcpuCount > flavor.vcpu.max)
      throw badRequest(`${id} has ${String(flavor.vcpu.min)} to ${String(flavor.vcpu.max)} vCPUs`);
    return { id, vcpuCount, memory: vcpuCount * flavor.ramGbPerVcpu };
  });
  return { cpu };
}

/**
 * Throws the 404 Problem for an unknown volume, and 400 for several volumes in one data center (specification 2.4), for an
 * unknown data center, and when no data center has the hardware.
 */
export function checkPlacement(state: State, endpoint: EndpointRecord): void {
  const volumeDataCenters = endpoint.networkVolumes.map((id) => {
    const volume = volumes.get(state, id);
    if (volume === undefined) throw notFound(`network volume ${id} not found`);
    return volume.dataCenter;
  });
  if (new Set(volumeDataCenters).size < volumeDataCenters.length)
    throw badRequest('at most one network volume per data center');
  const unknown = endpoint.dataCenterIds.find((id) => dataCenterById(id) === undefined);
  if (unknown !== undefined) throw badRequest(`unknown data center ${unknown}`);
  if (placementsFor(state, endpoint).length === 0) throw badRequest('no data center has what these workers need');
}
