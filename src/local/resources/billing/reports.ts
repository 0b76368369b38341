import type { Json } from '../../../core/json.ts';
import { AMOUNTS } from '../../contract/billing.ts';
import { addBuckets, bucketStart, type Range } from './buckets.ts';
import type { AmountName, Charge } from './charges.ts';

/** The content of one of the six reports. */
export interface Report {
  /** Members of a record, and the amount in each; `totalAmount` is the sum of all. */
  readonly amounts: Readonly<Record<string, AmountName>>;
  /** When there is one record per resource: the member with its id, also the filter, and the member with their number. */
  readonly by?: { readonly id: string; readonly count: string };
  /** Whether a record shows `totalAmount` only. */
  readonly totalOnly?: true;
}

export const REPORTS = {
  summary: { amounts: Object.fromEntries(AMOUNTS.map((name) => [name, name])) },
  pods: {
    amounts: { gpuAmount: 'podGpuAmount', cpuAmount: 'podCpuAmount', diskAmount: 'podDiskAmount' },
    by: { id: 'podId', count: 'uniquePodCount' },
  },
  serverless: {
    amounts: {
      gpuAmount: 'serverlessGpuAmount',
      cpuAmount: 'serverlessCpuAmount',
      diskAmount: 'serverlessDiskAmount',
      feeAmount: 'serverlessFeeAmount',
    },
    by: { id: 'serverlessId', count: 'uniqueServerlessCount' },
  },
  endpoints: { amounts: { endpointAmount: 'endpointAmount' }, totalOnly: true },
  volumes: {
    amounts: { standardAmount: 'storageStandardAmount', highPerformanceAmount: 'storageHighPerformanceAmount' },
    by: { id: 'networkVolumeId', count: 'uniqueNetworkVolumeCount' },
  },
  clusters: {
    amounts: {
      gpuAmount: 'clusterGpuAmount',
      diskAmount: 'clusterDiskAmount',
      networkingAmount: 'clusterNetworkingAmount',
    },
    by: { id: 'clusterId', count: 'uniqueClusterCount' },
  },
} as const satisfies Readonly<Record<string, Report>>;

/** Amounts are added as whole millionths of a dollar, so that sums are exact. */
const MICRO = 1_000_000;
const HOUR = 3_600_000;

/** The costs of one bucket, or of one resource in it: member of the record to millionths of a dollar. */
interface Sum {
  readonly start: number;
  readonly id: string;
  readonly micros: Map<string, number>;
}

/** A report: a record for each bucket, or each resource in each bucket, with costs; the earliest first. */
export function reportOf(report: Report, charges: readonly Charge[], range: Range, only: string | null): Json {
  const sums = sumsOf(report, charges, range, only);
  const totals = new Map<string, number>();
  for (const { micros } of sums) for (const [member, micro] of micros) add(totals, member, micro);
  return {
    records: sums.map(({ start, id, micros }) => ({
      startTime: timeText(start),
      endTime: timeText(addBuckets(range.bucketSize, start)),
      ...(report.by === undefined ? {} : { [report.by.id]: id }),
      ...amountsOf(report, micros),
    })),
    metadata: {
      query: {
        startTime: timeText(range.start),
        endTime: timeText(range.end),
        bucketSize: range.bucketSize,
        ...(report.by === undefined ? {} : { [report.by.id]: only }),
      },
      recordCount: sums.length,
      ...(report.by === undefined ? {} : { [report.by.count]: new Set(sums.map(({ id }) => id)).size }),
      totals: amountsOf(report, totals),
    },
  };
}

function sumsOf(report: Report, charges: readonly Charge[], range: Range, only: string | null): readonly Sum[] {
  const sums = new Map<string, Sum>();
  const members = new Map(Object.entries(report.amounts).map(([member, amount]) => [amount, member]));
  for (const charge of charges) {
    const member = members.get(charge.amount);
    if (member === undefined || charge.perHour === 0 || (only !== null && charge.id !== only)) continue;
    const end = Math.min(charge.to, range.end);
    let start = bucketStart(range.bucketSize, Math.max(charge.from, range.start));
    for (; start < end; start = addBuckets(range.bucketSize, start)) {
      const micro = microsBetween(charge, start, addBuckets(range.bucketSize, start));
      if (micro === 0) continue;
      const id = report.by === undefined ? '' : charge.id;
      const key = `${String(start)} ${id}`;
      const sum = sums.get(key) ?? { start, id, micros: new Map<string, number>() };
      add(sum.micros, member, micro);
      sums.set(key, sum);
    }
  }
  return [...sums.values()].sort((a, b) => a.start - b.start || (a.id < b.id ? -1 : 1));
}

/** Rounds the running total, so that the sum does not depend on the size of the buckets. */
function microsBetween({ from, to, perHour }: Charge, start: number, end: number): number {
  const upTo = (at: number): number =>
    Math.round((Math.min(Math.max(at, from), to) - from) * ((perHour * MICRO) / HOUR));
  return upTo(end) - upTo(start);
}

function amountsOf(report: Report, micros: ReadonlyMap<string, number>): Record<string, number> {
  const total = [...micros.values()].reduce((sum, micro) => sum + micro, 0);
  const parts = Object.keys(report.amounts).map((member) => [member, (micros.get(member) ?? 0) / MICRO] as const);
  return { totalAmount: total / MICRO, ...(report.totalOnly === true ? {} : Object.fromEntries(parts)) };
}

function add(micros: Map<string, number>, member: string, micro: number): void {
  micros.set(member, (micros.get(member) ?? 0) + micro);
}

const timeText = (at: number): string => new Date(at).toISOString();
