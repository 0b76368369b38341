import type { AmountName } from '../../contract/schemas/billing.ts';
import { cpuById, gpuById } from '../../model/catalog/hardware.ts';
import { endpoints } from '../../model/endpoints/seed.ts';
import { pods } from '../../model/pods/seed.ts';
import type { PodRecord } from '../../model/pods/record.ts';
import { usageOf } from '../../queue/index.ts';
import type { State } from '../../state/state.ts';
import { storage, type StorageRecord } from '../../model/volumes.ts';
import type { EpochMs } from '../../../core/unit-types.ts';

/** A constant cost from one time to another. */
export interface Charge {
  readonly amount: AmountName;
  /** The id of the pod, endpoint, volume or cluster. */
  readonly id: string;
  readonly from: EpochMs;
  readonly to: number;
  /** US dollars. */
  readonly perHour: number;
}

/** The length of a month in monthly prices. */
const HOURS_PER_MONTH = 730;
/** US dollars per GB and month: container disks while the pod has a machine, and persistent mounts until it is terminated. */
const DISK_PER_MONTH = 0.1;
/** US dollars per GB and month (specification 8.4; it has no price for high performance). */
const VOLUME_PER_MONTH = {
  STANDARD: { firstTerabyte: 0.07, beyond: 0.05 },
  HIGH_PERFORMANCE: { firstTerabyte: 0.14, beyond: 0.1 },
};
/** The maximum size of a volume is 4096 GB, so a terabyte is 1024 GB. */
const TERABYTE_GB = 1024;
/** US dollars per hour and member of a cluster. */
const NETWORKING_PER_HOUR = 0.02;

/** All charges until `now`. They are computed from the histories of the resources, and not stored. */
export const chargesOf = (state: State, now: EpochMs): readonly Charge[] => [
  ...pods.all(state).flatMap((pod) => podCharges(pod, now)),
  ...Object.entries(storage.of(state)).flatMap(([id, storage]) => volumeCharges(id, storage, now)),
  ...serverlessCharges(state, now),
];

/** A pod's hardware and disk are charged while it has a machine, its persistent mount until it is terminated. */
function podCharges(pod: PodRecord, now: EpochMs): readonly Charge[] {
  let hasMachine = false;
  let disk = 0;
  let persistent = 0;
  return pod.history.flatMap<Charge>((event, index) => {
    if (event.kind === 'launch') hasMachine = true;
    if (event.kind === 'stop' || event.kind === 'terminate') hasMachine = false;
    if (event.kind === 'terminate') persistent = 0;
    if (event.kind === 'storage') ({ disk, persistent } = event);
    const span = { from: event.at, to: pod.history[index + 1]?.at ?? now };
    const stored = ((hasMachine ? disk : 0) + persistent) * (DISK_PER_MONTH / HOURS_PER_MONTH);
    const hardware = hasMachine ? pod.price : 0;
    if (pod.cluster === undefined) {
      const amount = pod.gpu === undefined ? 'podCpuAmount' : 'podGpuAmount';
      return [
        { ...span, id: pod.id, amount, perHour: hardware },
        { ...span, id: pod.id, amount: 'podDiskAmount', perHour: stored },
      ];
    }
    const { id } = pod.cluster;
    return [
      { ...span, id, amount: 'clusterGpuAmount', perHour: hardware },
      { ...span, id, amount: 'clusterDiskAmount', perHour: stored },
      { ...span, id, amount: 'clusterNetworkingAmount', perHour: hasMachine ? NETWORKING_PER_HOUR : 0 },
    ];
  });
}

const volumeCharges = (id: string, { type, sizes }: StorageRecord, now: EpochMs): readonly Charge[] =>
  sizes.map(({ at, size }, index) => {
    const { firstTerabyte, beyond } = VOLUME_PER_MONTH[type];
    const monthly = Math.min(size, TERABYTE_GB) * firstTerabyte + Math.max(0, size - TERABYTE_GB) * beyond;
    return {
      id,
      amount: type === 'STANDARD' ? 'storageStandardAmount' : 'storageHighPerformanceAmount',
      from: at,
      to: sizes[index + 1]?.at ?? now,
      perHour: monthly / HOURS_PER_MONTH,
    };
  });

/** Workers are charged from start to end; those of a public model as a public endpoint. */
const serverlessCharges = (state: State, now: EpochMs): readonly Charge[] =>
  usageOf(state, now).flatMap<Charge>(({ endpointId: id, gpu, cpu, disk, from, to, workerMs }) => {
    if (to <= from) return [];
    const workers = workerMs / (to - from);
    const gpuPrice = gpu === undefined ? 0 : (gpuById(gpu.id)?.price.serverless ?? 0) * gpu.count;
    const cpuPrice = cpu === undefined ? 0 : (cpuById(cpu.id)?.price.serverlessPerVcpu ?? 0) * cpu.vcpuCount;
    const diskPrice = disk * (DISK_PER_MONTH / HOURS_PER_MONTH);
    const span = { id, from, to };
    if (endpoints.get(state, id)?.hidden === true)
      return [{ ...span, amount: 'endpointAmount', perHour: workers * (gpuPrice + cpuPrice + diskPrice) }];
    return [
      { ...span, amount: 'serverlessGpuAmount', perHour: workers * gpuPrice },
      { ...span, amount: 'serverlessCpuAmount', perHour: workers * cpuPrice },
      { ...span, amount: 'serverlessDiskAmount', perHour: workers * diskPrice },
    ];
  });
