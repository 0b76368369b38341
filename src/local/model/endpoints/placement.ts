import { DATA_CENTERS } from '../catalog/hardware.ts';
import { cudaConstraint, meetsCudaConstraint } from '../catalog/cuda-versions.ts';
import { cpusOf, gpusOf, isTaken } from '../catalog/stock.ts';
import type { State } from '../../state/state.ts';
import { volumes } from '../volumes.ts';
import type { EndpointRecord, WorkerHardware } from './record.ts';

/** What decides where an endpoint's workers can run. */
type PlacementNeeds = Pick<EndpointRecord, 'gpu' | 'cpu' | 'dataCenterIds' | 'networkVolumes'>;

/**
 * Where an endpoint's workers can run: for each data center, the first hardware of the endpoint that is in stock there.
 * With network volumes attached, only their data centers are considered (specification 2.4).
 */
export function placementsFor(state: State, needs: PlacementNeeds): readonly WorkerHardware[] {
  const volumeDataCenters = needs.networkVolumes.flatMap((id) => volumes.get(state, id)?.dataCenter ?? []);
  return DATA_CENTERS.filter(({ id }) => needs.dataCenterIds.length === 0 || needs.dataCenterIds.includes(id))
    .filter(({ id }) => volumeDataCenters.length === 0 || volumeDataCenters.includes(id))
    .flatMap(({ id }) => hardwareIn(state, id, needs) ?? []);
}

/**
 * Whether the hardware of a worker that does not work is taken by others: the worker has to wait until there is stock
 * again.
 */
export const isThrottled = (state: State, { gpu, cpu, dataCenterId }: WorkerHardware): boolean =>
  (gpu !== undefined && isTaken(state, gpu.id, dataCenterId, gpu.count)) ||
  (cpu !== undefined && isTaken(state, cpu.id, dataCenterId, cpu.vcpuCount));

function hardwareIn(state: State, dataCenterId: string, { gpu, cpu = [] }: PlacementNeeds): WorkerHardware | undefined {
  if (gpu === undefined) {
    const flavors = cpusOf(state);
    const fits = cpu.find(({ id, vcpuCount }) => stockOf(flavors, id, dataCenterId) >= vcpuCount);
    return fits && { cpu: { id: fits.id, vcpuCount: fits.vcpuCount }, dataCenterId };
  }
  const { count, pools, excludedTypes = [], allowedCudaVersions, minCudaVersion } = gpu;
  const constraint = cudaConstraint(allowedCudaVersions, minCudaVersion);
  const wanted = pools
    .flatMap((pool) => gpusOf(state).filter((known) => known.pool === pool && !excludedTypes.includes(known.id)))
    .filter(({ cudaVersions }) => cudaVersions.some((version) => meetsCudaConstraint(version, constraint)))
    .find(({ stock }) => (stock[dataCenterId] ?? 0) >= count);
  return wanted && { gpu: { id: wanted.id, count }, dataCenterId };
}

const stockOf = (
  catalog: readonly { readonly id: string; readonly stock: Readonly<Record<string, number>> }[],
  id: string,
  dataCenterId: string,
): number => catalog.find((known) => known.id === id)?.stock[dataCenterId] ?? 0;
