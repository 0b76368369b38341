import { cpuById, gpuById } from '../../model/catalog/hardware.ts';
import type { PodRecord } from '../../model/pods/record.ts';
import { usageOf } from '../../queue/index.ts';
import type { State } from '../../state/state.ts';
import type { StorageRecord } from '../../model/volumes.ts';

/** What a charge is for, as the summary names it. */
export type AmountName =
  | 'podGpuAmount'
  | 'podCpuAmount'
  | 'podDiskAmount'
  | 'serverlessGpuAmount'
  | 'serverlessCpuAmount'
  | 'serverlessDiskAmount'
  | 'serverlessFeeAmount'
  | 'storageStandardAmount'
  | 'storageHighPerformanceAmount'
  | 'endpointAmount'
  | 'clusterGpuAmount'
  | 'clusterDiskAmount'
  | 'clusterNetworkingAmount';

/** Something that costs evenly from one moment to another. */
export interface Charge {
  readonly amount: AmountName;
  /** The pod, endpoint, volume or cluster it is for. */
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
  /** US dollars. */
  readonly perHour: number;
}

/** Prices by the month are for one of so many hours. */
const HOURS_A_MONTH = 730;
/** US dollars a GB and month: containers' disks while they run, and persistent mounts as long as there is one. */
const DISK_A_MONTH = 0.1;
/** Specification 8.4; volumes end at 4096 GB, so a terabyte is 1024. It gives no figure for high performance. */
const VOLUME_A_MONTH = {
  STANDARD: { firstTerabyte: 0.07, beyond: 0.05 },
  HIGH_PERFORMANCE: { firstTerabyte: 0.14, beyond: 0.1 },
};
const TERABYTE_GB = 1024;
/** US dollars an hour for each member of a cluster. */
const NETWORKING_AN_HOUR = 0.02;

/** Everything that has cost or costs something up to a moment: it follows from what happened, and is kept nowhere. */
export const chargesOf = (state: State, now: number): readonly Charge[] => [
  ...Object.values(state.pods).flatMap((pod) => podCharges(pod, now)),
  ...Object.entries(state.storage).flatMap(([id, storage]) => volumeCharges(id, storage, now)),
  ...serverlessCharges(state, now),
];

/** A pod's hardware and disk cost while it holds a machine, its persistent mount until it is terminated. */
function podCharges(pod: PodRecord, now: number): readonly Charge[] {
  let holds = false;
  let disk = 0;
  let persistent = 0;
  return pod.history.flatMap<Charge>((event, index) => {
    if (event.kind === 'launch') holds = true;
    if (event.kind === 'stop' || event.kind === 'terminate') holds = false;
    if (event.kind === 'terminate') persistent = 0;
    if (event.kind === 'storage') ({ disk, persistent } = event);
    const span = { from: event.at, to: pod.history[index + 1]?.at ?? now };
    const stored = ((holds ? disk : 0) + persistent) * (DISK_A_MONTH / HOURS_A_MONTH);
    const hardware = holds ? pod.price : 0;
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
      { ...span, id, amount: 'clusterNetworkingAmount', perHour: holds ? NETWORKING_AN_HOUR : 0 },
    ];
  });
}

const volumeCharges = (id: string, { type, sizes }: StorageRecord, now: number): readonly Charge[] =>
  sizes.map(({ at, size }, index) => {
    const { firstTerabyte, beyond } = VOLUME_A_MONTH[type];
    const monthly = Math.min(size, TERABYTE_GB) * firstTerabyte + Math.max(0, size - TERABYTE_GB) * beyond;
    return {
      id,
      amount: type === 'STANDARD' ? 'storageStandardAmount' : 'storageHighPerformanceAmount',
      from: at,
      to: sizes[index + 1]?.at ?? now,
      perHour: monthly / HOURS_A_MONTH,
    };
  });

/** Workers cost while they are there. What a public model's workers used is a charge for public endpoints. */
const serverlessCharges = (state: State, now: number): readonly Charge[] =>
  usageOf(state, now).flatMap<Charge>(({ endpointId: id, gpu, cpu, disk, from, to, workerMs }) => {
    if (to <= from) return [];
    const workers = workerMs / (to - from);
    const gpuPrice = gpu === undefined ? 0 : (gpuById(gpu.id)?.price.serverless ?? 0) * gpu.count;
    const cpuPrice = cpu === undefined ? 0 : (cpuById(cpu.id)?.price.serverlessPerVcpu ?? 0) * cpu.vcpuCount;
    const diskPrice = disk * (DISK_A_MONTH / HOURS_A_MONTH);
    const span = { id, from, to };
    if (state.endpoints[id]?.hidden === true)
      return [{ ...span, amount: 'endpointAmount', perHour: workers * (gpuPrice + cpuPrice + diskPrice) }];
    return [
      { ...span, amount: 'serverlessGpuAmount', perHour: workers * gpuPrice },
      { ...span, amount: 'serverlessCpuAmount', perHour: workers * cpuPrice },
      { ...span, amount: 'serverlessDiskAmount', perHour: workers * diskPrice },
    ];
  });
