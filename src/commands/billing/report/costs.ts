import { stringAt, type Json } from '../../../core/json.ts';
import { CLUSTERS, ENDPOINTS, PODS, SERVERLESS, SUMMARY, VOLUMES, type Report } from './service-reports.ts';
import { amountAt, NOTHING, sum, type Money } from './money.ts';

/** What a cost is for, in the order of the bars. */
export const PARTS = ['gpu', 'cpu', 'storage', 'other'] as const;
export type Part = (typeof PARTS)[number];

/** The kinds of resources that cost something. */
export const KINDS = ['pod', 'endpoint', 'volume', 'cluster', 'public endpoint'] as const;
export type Kind = (typeof KINDS)[number];

/** What the rows of a report are. Without one of them they are all resources. */
export const GROUPINGS = ['pod', 'endpoint', 'volume', 'cluster', 'day'] as const;
export type Grouping = (typeof GROUPINGS)[number] | undefined;

/** What one resource cost. */
export interface ResourceCost {
  readonly kind: Kind;
  /** Empty for public endpoints, which are billed together. */
  readonly id: string;
  readonly total: Money;
  readonly parts: Readonly<Record<Part, Money>>;
}

/** The report of each kind. */
export const KIND_REPORTS: readonly { readonly kind: Kind; readonly report: Report }[] = [
  { kind: 'pod', report: PODS },
  { kind: 'endpoint', report: SERVERLESS },
  { kind: 'volume', report: VOLUMES },
  { kind: 'cluster', report: CLUSTERS },
  { kind: 'public endpoint', report: ENDPOINTS },
];

/** The part of each amount of the service (contract, the Billing schemas). Other amounts are a part of `other`. */
const PART_OF: Readonly<Record<string, Part>> = {
  gpuAmount: 'gpu',
  cpuAmount: 'cpu',
  diskAmount: 'storage',
  standardAmount: 'storage',
  highPerformanceAmount: 'storage',
};

/** Sums up the records of a report by resource. */
export function costsOf(kind: Kind, report: Report, records: readonly Json[]): readonly ResourceCost[] {
  const byId = new Map<string, Json[]>();
  for (const record of records) {
    const id = report.of === undefined ? '' : (stringAt(record, report.of.member) ?? '?');
    byId.set(id, [...(byId.get(id) ?? []), record]);
  }
  return [...byId].map(([id, own]) => {
    const total = sum(own.map((record) => amountAt(record, 'totalAmount')));
    const partOf = (part: Part): Money =>
      sum(
        Object.keys(report.amounts)
          .filter((member) => PART_OF[member] === part)
          .flatMap((member) => own.map((record) => amountAt(record, member))),
      );
    const [gpu, cpu, storage] = [partOf('gpu'), partOf('cpu'), partOf('storage')];
    // What is in no other part, so that the parts always make the total.
    return { kind, id, total, parts: { gpu, cpu, storage, other: total.minus(gpu).minus(cpu).minus(storage) } };
  });
}

/** What one day cost, by the kind of resource. */
export interface DayCost {
  /** RFC 3339, the start of the day in UTC. */
  readonly startTime: string;
  readonly total: Money;
  readonly kinds: Readonly<Record<DayPart, Money>>;
}

export const DAY_PARTS = ['pods', 'endpoints', 'volumes', 'other'] as const;
export type DayPart = (typeof DAY_PARTS)[number];

const DAY_PART_OF: readonly (readonly [RegExp, DayPart])[] = [
  [/^pod/, 'pods'],
  [/^serverless/, 'endpoints'],
  [/^storage/, 'volumes'],
];

/** Returns the days of the summary, the earliest first. */
export const daysOf = (records: readonly Json[]): readonly DayCost[] =>
  records
    .map((record) => {
      const total = amountAt(record, 'totalAmount');
      const kinds = { pods: NOTHING, endpoints: NOTHING, volumes: NOTHING };
      for (const member of Object.keys(SUMMARY.amounts)) {
        const part = DAY_PART_OF.find(([pattern]) => pattern.test(member))?.[1];
        if (part !== undefined && part !== 'other') kinds[part] = kinds[part].plus(amountAt(record, member));
      }
      const other = total.minus(kinds.pods).minus(kinds.endpoints).minus(kinds.volumes);
      return { startTime: stringAt(record, 'startTime') ?? '', total, kinds: { ...kinds, other } };
    })
    .toSorted((a, b) => (a.startTime < b.startTime ? -1 : 1));
