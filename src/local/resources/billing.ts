import type { Json, JsonObject } from '../../core/json.ts';
import { DAY_MS, type EpochMs, HOUR_MS } from '../../core/unit-types.ts';
import { badRequest } from '../contract/problem.ts';
import { operation, type Operation, reply } from '../http/operation.ts';
import { endpoints } from '../model/endpoints.ts';
import { cpuById, gpuById } from '../model/hardware.ts';
import { type PodRecord, pods } from '../model/pods.ts';
import { storage, type StorageRecord } from '../model/records.ts';
import { usageOf } from '../queue/workers.ts';
import type { State } from '../state/state.ts';

/** One report of the contract. `totalAmount` is the sum of its amounts. */
interface Report {
  /** The amounts, by the member of its records that shows each; undefined where only the sum is shown. */
  readonly members: ReadonlyMap<string, string | undefined>;
  /** When there is one record per resource: the member with its id, also the filter, and the member with their number. */
  readonly by?: { readonly id: string; readonly count: string };
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const reportBy = (resource: string, prefix: string, parts: string): Report => ({
  members: new Map(parts.split(' ').map((part) => [`${prefix}${capital(part)}Amount`, `${part}Amount`])),
  by: { id: `${resource}Id`, count: `unique${capital(resource)}Count` },
});

const ofOne = {
  listPodBilling: reportBy('pod', 'pod', 'gpu cpu disk'),
  listServerlessBilling: reportBy('serverless', 'serverless', 'gpu cpu disk fee'),
  listNetworkVolumeBilling: reportBy('networkVolume', 'storage', 'standard highPerformance'),
  listClusterBilling: reportBy('cluster', 'cluster', 'gpu disk networking'),
};
const listEndpointBilling: Report = { members: new Map([['endpointAmount', undefined]]) };
const all = [...Object.values(ofOne), listEndpointBilling].flatMap(({ members }) => [...members.keys()]);

/** By the operations of the contract. */
const REPORTS: Readonly<Record<string, Report>> = {
  ...ofOne,
  listEndpointBilling,
  listBilling: { members: new Map(all.map((name) => [name, name])) },
};

type BucketSize = 'hour' | 'day' | 'week' | 'month' | 'year';

type Range = ReturnType<typeof rangeOf>;

const DEFAULT_RANGE_MS = 30 * DAY_MS;
/** The last day that RFC 3339 can express. */
const MAX_TIME = Date.UTC(9999, 11, 31);
const LENGTHS = { hour: HOUR_MS, day: DAY_MS, week: 7 * DAY_MS };

/** UTC; weeks start on Monday. */
function bucketStart(size: BucketSize, at: number): number {
  if (size === 'hour') return Math.floor(at / HOUR_MS) * HOUR_MS;
  const date = new Date(Math.floor(at / DAY_MS) * DAY_MS);
  if (size === 'week') date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
  if (size === 'month') date.setUTCDate(1);
  if (size === 'year') date.setUTCMonth(0, 1);
  return date.getTime();
}

function addBuckets(size: BucketSize, start: EpochMs, count = 1): number {
  if (size !== 'month' && size !== 'year') return start + count * LENGTHS[size];
  const date = new Date(start);
  return date.setUTCMonth(date.getUTCMonth() + count * (size === 'year' ? 12 : 1));
}

const ceilTo = (size: BucketSize, at: number): number => {
  const start = bucketStart(size, at);
  return start === at ? start : addBuckets(size, start);
};

/** Full buckets, default 30 days (contract rules, Billing). 400 Problem: empty, or `lastN` with a time. */
function rangeOf(query: URLSearchParams, now: EpochMs) {
  const bucketSize = (query.get('bucketSize') ?? 'day') as BucketSize;
  const [startTime, endTime, lastN] = [query.get('startTime'), query.get('endTime'), query.get('lastN')];
  if (lastN !== null) {
    if (startTime !== null || endTime !== null) throw badRequest('lastN and startTime or endTime exclude each other');
    const end = ceilTo(bucketSize, now);
    // A date too far in the past is not a number: the range then starts at the epoch, before any account.
    const start = Math.max(addBuckets(bucketSize, end, -Number(lastN)) || 0, bucketStart(bucketSize, 0));
    return { start, end, bucketSize };
  }
  const until = endTime === null ? now : Date.parse(endTime);
  const from = startTime === null ? until - DEFAULT_RANGE_MS : Date.parse(startTime);
  if (from >= until) throw badRequest('startTime must be before endTime');
  if (until > MAX_TIME) throw badRequest('endTime is too far away');
  return { start: bucketStart(bucketSize, from), end: ceilTo(bucketSize, until), bucketSize };
}

interface Charge {
  readonly amount: string;
  readonly id: string;
  readonly from: EpochMs;
  readonly to: number;
  /** US dollars. */
  readonly perHour: number;
}

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

/** Computed from the histories of the resources, not stored. */
const chargesOf = (state: State, now: EpochMs): readonly Charge[] => [
  ...pods.all(state).flatMap((pod) => podCharges(pod, now)),
  ...Object.entries(storage.of(state)).flatMap(([id, storage]) => volumeCharges(id, storage, now)),
  ...serverlessCharges(state, now),
];

/** A pod's hardware and disk are charged while it has a machine, its persistent mount until it is terminated. */
function podCharges(pod: PodRecord, now: EpochMs): readonly Charge[] {
  const { id, cluster, history, gpu, price } = pod;
  let hasMachine = false;
  let disk = 0;
  let persistent = 0;
  return history.flatMap<Charge>((event, index) => {
    if (event.kind === 'launch') hasMachine = true;
    if (event.kind === 'stop' || event.kind === 'terminate') hasMachine = false;
    if (event.kind === 'terminate') persistent = 0;
    if (event.kind === 'storage') ({ disk, persistent } = event);
    const span = { id: cluster?.id ?? id, from: event.at, to: history[index + 1]?.at ?? now };
    const stored = ((hasMachine ? disk : 0) + persistent) * (DISK_PER_MONTH / HOURS_PER_MONTH);
    const hardware = hasMachine ? price : 0;
    return cluster === undefined
      ? [
          { ...span, amount: gpu === undefined ? 'podCpuAmount' : 'podGpuAmount', perHour: hardware },
          { ...span, amount: 'podDiskAmount', perHour: stored },
        ]
      : [
          { ...span, amount: 'clusterGpuAmount', perHour: hardware },
          { ...span, amount: 'clusterDiskAmount', perHour: stored },
          { ...span, amount: 'clusterNetworkingAmount', perHour: hasMachine ? NETWORKING_PER_HOUR : 0 },
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

/** Workers of a public model are charged as a public endpoint. */
const serverlessCharges = (state: State, now: EpochMs): readonly Charge[] =>
  usageOf(state, now).flatMap<Charge>(({ endpointId: id, gpu, cpu, disk, from, to }) => {
    if (to <= from) return [];
    const gpuPrice = gpu === undefined ? 0 : (gpuById(gpu.id)?.price.serverless ?? 0) * gpu.count;
    const cpuPrice = cpu === undefined ? 0 : (cpuById(cpu.id)?.price.serverlessPerVcpu ?? 0) * cpu.vcpuCount;
    const diskPrice = disk * (DISK_PER_MONTH / HOURS_PER_MONTH);
    const span = { id, from, to };
    if (endpoints.get(state, id)?.hidden === true)
      return [{ ...span, amount: 'endpointAmount', perHour: gpuPrice + cpuPrice + diskPrice }];
    return [
      { ...span, amount: 'serverlessGpuAmount', perHour: gpuPrice },
      { ...span, amount: 'serverlessCpuAmount', perHour: cpuPrice },
      { ...span, amount: 'serverlessDiskAmount', perHour: diskPrice },
    ];
  });

/** Amounts are added as integer millionths of a dollar, so that sums are exact. */
const MICRO = 1_000_000;

/** By amount, in millionths of a dollar. */
type Micros = Map<string, number>;

/** The earliest first; only buckets with costs. */
function reportOf(report: Report, charges: readonly Charge[], range: Range, only: string | null): Json {
  const sums = sumsOf(report, charges, range, only);
  const named = (id: string | null): JsonObject => (report.by === undefined ? {} : { [report.by.id]: id });
  const totals: Micros = new Map();
  for (const { micros } of sums) for (const [amount, micro] of micros) add(totals, amount, micro);
  return {
    records: sums.map(({ start, id, micros }) => ({
      startTime: timeText(start),
      endTime: timeText(addBuckets(range.bucketSize, start)),
      ...named(id),
      ...amountsOf(report, micros),
    })),
    metadata: {
      query: {
        startTime: timeText(range.start),
        endTime: timeText(range.end),
        bucketSize: range.bucketSize,
        ...named(only),
      },
      recordCount: sums.length,
      ...(report.by === undefined ? {} : { [report.by.count]: new Set(sums.map(({ id }) => id)).size }),
      totals: amountsOf(report, totals),
    },
  };
}

function sumsOf(report: Report, charges: readonly Charge[], range: Range, only: string | null) {
  const sums = new Map<string, { readonly start: EpochMs; readonly id: string; readonly micros: Micros }>();
  for (const charge of charges) {
    const { amount, perHour } = charge;
    if (!report.members.has(amount) || perHour === 0 || (only !== null && charge.id !== only)) continue;
    const end = Math.min(charge.to, range.end);
    let start = bucketStart(range.bucketSize, Math.max(charge.from, range.start));
    for (; start < end; start = addBuckets(range.bucketSize, start)) {
      const micro = microsBetween(charge, start, addBuckets(range.bucketSize, start));
      if (micro === 0) continue;
      const id = report.by === undefined ? '' : charge.id;
      const key = `${String(start)} ${id}`;
      const sum = sums.get(key) ?? { start, id, micros: new Map<string, number>() };
      add(sum.micros, amount, micro);
      sums.set(key, sum);
    }
  }
  return [...sums.values()].sort((a, b) => a.start - b.start || (a.id < b.id ? -1 : 1));
}

/** Rounds the running total, so that the sum does not depend on the size of the buckets. */
function microsBetween({ from, to, perHour }: Charge, start: number, end: number): number {
  const upTo = (at: number): number =>
    Math.round((Math.min(Math.max(at, from), to) - from) * ((perHour * MICRO) / HOUR_MS));
  return upTo(end) - upTo(start);
}

function amountsOf({ members }: Report, micros: ReadonlyMap<string, number>): Record<string, number> {
  const total = [...micros.values()].reduce((sum, micro) => sum + micro, 0);
  const shown = [...members].flatMap(([amount, member]) =>
    member === undefined ? [] : [[member, (micros.get(amount) ?? 0) / MICRO] as const],
  );
  return { totalAmount: total / MICRO, ...Object.fromEntries(shown) };
}

function add(micros: Micros, amount: string, micro: number): void {
  micros.set(amount, (micros.get(amount) ?? 0) + micro);
}

const timeText = (at: number): string => new Date(at).toISOString();

/** Billing: what ran, by the clock (contract rules, Billing). */
export const billingOperations: readonly Operation[] = Object.entries(REPORTS).map(([id, report]) =>
  operation(
    id,
    reply(200, (state, { query }, now) => {
      const only = report.by === undefined ? null : query.get(report.by.id);
      return reportOf(report, chargesOf(state, now), rangeOf(query, now), only);
    }),
  ),
);
