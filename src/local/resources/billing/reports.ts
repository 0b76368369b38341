import type { Json } from '../../../core/json.ts';
import { edgeAfter, floorTo, type Range } from './buckets.ts';
import type { AmountName, Charge } from './charges.ts';

/** What one of the six reports shows. */
export interface Report {
  /** Members of a record, and what of the charges goes into each; all of it into `totalAmount`. */
  readonly amounts: Readonly<Record<string, AmountName>>;
  /** What is added up apart: the member that names it, which is the filter too, and the one that counts how many. */
  readonly by?: { readonly id: string; readonly count: string };
  /** Whether `totalAmount` is all that a record shows. */
  readonly totalOnly?: true;
}

export const REPORTS = {
  summary: {
    amounts: Object.fromEntries(
      (
        [
          'podGpuAmount',
          'podCpuAmount',
          'podDiskAmount',
          'serverlessGpuAmount',
          'serverlessCpuAmount',
          'serverlessDiskAmount',
          'serverlessFeeAmount',
          'storageStandardAmount',
          'storageHighPerformanceAmount',
          'endpointAmount',
          'clusterGpuAmount',
          'clusterDiskAmount',
          'clusterNetworkingAmount',
        ] satisfies AmountName[]
      ).map((name) => [name, name]),
    ),
  },
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

/** Amounts are added up as whole millionths of a dollar, so that sums are sums. */
const MICRO = 1_000_000;
const HOUR = 3_600_000;

/** What one bucket, or one thing in it, cost: member of the record to millionths of a dollar. */
interface Sum {
  readonly start: number;
  readonly id: string;
  readonly micros: Map<string, number>;
}

/** A report: a record for each bucket, or each thing in each bucket, that cost something; the earliest first. */
export function reportOf(report: Report, charges: readonly Charge[], range: Range, only: string | null): Json {
  const sums = sumsOf(report, charges, range, only);
  const totals = new Map<string, number>();
  for (const { micros } of sums) for (const [member, micro] of micros) add(totals, member, micro);
  return {
    records: sums.map(({ start, id, micros }) => ({
      startTime: timeText(start),
      endTime: timeText(edgeAfter(range.bucketSize, start)),
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
    let start = floorTo(range.bucketSize, Math.max(charge.from, range.start));
    for (; start < end; start = edgeAfter(range.bucketSize, start)) {
      const micro = microsBetween(charge, start, edgeAfter(range.bucketSize, start));
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

/** Rounded as a running total is, so that however time is cut into buckets they add up to the same. */
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
