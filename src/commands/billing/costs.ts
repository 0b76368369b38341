import Big from 'big.js';
import { CLUSTERS, ENDPOINTS, PODS, type Report, SERVERLESS, SUMMARY, VOLUMES } from './service-reports.ts';
import { encodeJson, Exact, type Json, memberAt, numberOf, stringAt } from '../../core/json.ts';
import { formatDollars } from '../../core/units.ts';

/** Exact decimal US dollars. */
export type Money = Big;

export const NOTHING: Money = new Big(0);

/** For estimates only: computed as a float. */
export const moneyOf = (amount: number): Money => new Big(amount);

/** All digits; zero when absent or not a number. */
export function amountAt(record: Json, member: string): Money {
  const value = memberAt(record, member);
  return value === undefined || numberOf(value) === undefined ? NOTHING : new Big(encodeJson(value));
}

export const sum = (amounts: readonly Money[]): Money => amounts.reduce((total, amount) => total.plus(amount), NOTHING);

/** Rounded to a hundredth of a cent: for estimates only. */
export const scaled = (part: Money, numerator: number, denominator: number): Money =>
  part.times(numerator).div(denominator).round(4);

export const moneyJson = (amount: Money): Exact => new Exact(amount.toFixed());

export const formatMoney = (amount: Money): string => formatDollars(amount.toNumber());

/** Undefined for a negative amount too. */
export const parseMoney = (text: string): Money | undefined =>
  /^\$?\d+(?:\.\d+)?$/.test(text.trim()) ? new Big(text.trim().replace('$', '')) : undefined;

export const PARTS = ['gpu', 'cpu', 'storage', 'other'] as const;
type Part = (typeof PARTS)[number];

export type Kind = 'pod' | 'endpoint' | 'volume' | 'cluster' | 'public endpoint';

export const GROUPINGS = ['pod', 'endpoint', 'volume', 'cluster', 'day'] as const;
export type Grouping = (typeof GROUPINGS)[number] | undefined;

export interface ResourceCost {
  readonly kind: Kind;
  /** Empty for public endpoints, which are billed together. */
  readonly id: string;
  readonly total: Money;
  readonly parts: Readonly<Record<Part, Money>>;
}

export const KIND_REPORTS: readonly { readonly kind: Kind; readonly report: Report }[] = [
  { kind: 'pod', report: PODS },
  { kind: 'endpoint', report: SERVERLESS },
  { kind: 'volume', report: VOLUMES },
  { kind: 'cluster', report: CLUSTERS },
  { kind: 'public endpoint', report: ENDPOINTS },
];

/** Contract, the Billing schemas. Other amounts are a part of `other`. */
const PART_OF: Readonly<Record<string, Part>> = {
  gpuAmount: 'gpu',
  cpuAmount: 'cpu',
  diskAmount: 'storage',
  standardAmount: 'storage',
  highPerformanceAmount: 'storage',
};

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
    // The rest, so that the parts always add up to the total.
    return { kind, id, total, parts: { gpu, cpu, storage, other: total.minus(gpu).minus(cpu).minus(storage) } };
  });
}

export interface DayCost {
  readonly startTime: string;
  readonly total: Money;
  readonly kinds: Readonly<Record<DayPart, Money>>;
}

export const DAY_PARTS = ['pods', 'endpoints', 'volumes', 'other'] as const;
type DayPart = (typeof DAY_PARTS)[number];

const DAY_PART_OF: readonly (readonly [RegExp, DayPart])[] = [
  [/^pod/, 'pods'],
  [/^serverless/, 'endpoints'],
  [/^storage/, 'volumes'],
];

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
