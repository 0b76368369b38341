import { CPUS, DATA_CENTERS, GPUS } from '../catalog/hardware.ts';
import { suits } from '../../resources/catalog/availability.ts';
import type { State } from '../../state/state.ts';
import type { EndpointRecord, WorkerHardware } from './record.ts';

type Wish = Pick<EndpointRecord, 'gpu' | 'cpu' | 'dataCenterIds' | 'networkVolumes'>;

/**
 * Where an endpoint's workers can run: one choice for each data center, the first hardware on its list that is there.
 * Where volumes are attached, only in their data centers (specification 2.4). Empty where there is none.
 */
export function placesFor(state: Pick<State, 'volumes'>, wish: Wish): readonly WorkerHardware[] {
  const volumes = wish.networkVolumes.flatMap((id) => state.volumes[id]?.dataCenter ?? []);
  return DATA_CENTERS.filter(({ id }) => wish.dataCenterIds.length === 0 || wish.dataCenterIds.includes(id))
    .filter(({ id }) => volumes.length === 0 || volumes.includes(id))
    .flatMap(({ id }) => hardwareIn(id, wish) ?? []);
}

function hardwareIn(dataCenterId: string, { gpu, cpu = [] }: Wish): WorkerHardware | undefined {
  if (gpu === undefined) {
    const fits = cpu.find(({ id, vcpuCount }) => stockOf(CPUS, id, dataCenterId) >= vcpuCount);
    return fits && { cpu: { id: fits.id, vcpuCount: fits.vcpuCount }, dataCenterId };
  }
  const { count, pools, excludedTypes = [], allowedCudaVersions, minCudaVersion } = gpu;
  const wish = {
    cudaVersions: allowedCudaVersions.length > 0 ? allowedCudaVersions : undefined,
    minCudaVersion: minCudaVersion ?? undefined,
  };
  const wanted = pools
    .flatMap((pool) => GPUS.filter((known) => known.pool === pool && !excludedTypes.includes(known.id)))
    .filter(({ cudaVersions }) => cudaVersions.some((version) => suits(version, wish)))
    .find(({ stock }) => (stock[dataCenterId] ?? 0) >= count);
  return wanted && { gpu: { id: wanted.id, count }, dataCenterId };
}

const stockOf = (
  catalog: readonly { readonly id: string; readonly stock: Readonly<Record<string, number>> }[],
  id: string,
  dataCenterId: string,
): number => catalog.find((known) => known.id === id)?.stock[dataCenterId] ?? 0;
