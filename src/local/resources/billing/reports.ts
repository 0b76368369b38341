import { HOUR_MS } from '../../../core/durations.ts';
import type { Json, JsonObject } from '../../../core/json.ts';
import type { Report } from '../../contract/schemas/billing.ts';
import { addBuckets, bucketStart, type Range } from './buckets.ts';
import type { Charge } from './charges.ts';

/** Amounts are added as whole millionths of a dollar, so that sums are exact. */
const MICRO = 1_000_000;

/** The costs of one bucket, or of one resource in it: member of the record to millionths of a dollar. */
interface Sum {
  readonly start: number;
  readonly id: string;
  readonly micros: Map<string, number>;
}

/** A report: a record for each bucket, or each resource in each bucket, with costs; the earliest first. */
export function reportOf(report: Report, charges: readonly Charge[], range: Range, only: string | null): Json {
  const sums = sumsOf(report, charges, range, only);
  const named = (id: string | null): JsonObject => (report.by === undefined ? {} : { [report.by.id]: id });
  const totals = new Map<string, number>();
  for (const { micros } of sums) for (const [member, micro] of micros) add(totals, member, micro);
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
    Math.round((Math.min(Math.max(at, from), to) - from) * ((perHour * MICRO) / HOUR_MS));
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
