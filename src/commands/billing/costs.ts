import Big from 'big.js';
import { BY_KIND, type Kind, type Report, SUMMARY } from './service-reports.ts';
import { encodeJson, Exact, type Json, memberAt, numberOf, stringAt } from '../../core/json.ts';
import { formatDollars } from '../../core/units.ts';

/** Exact decimal US dollars. */
export type Money = Big;

export const NOTHING: Money = new Big(0);

/** All digits; zero when absent or not a number. */
export function amountAt(record: Json, member: string): Money {
  const value = memberAt(record, member);
  return value === undefined || numberOf(value) === undefined ? NOTHING : new Big(encodeJson(value));
}

export const sum = (amounts: readonly Money[]): Money => amounts.reduce((total, amount) => total.plus(amount), NOTHING);

export const moneyJson = (amount: Money): Exact => new Exact(amount.toFixed());

/** `{totalUsd: 1.20, ...}` of `{total: ...}`. */
export const usd = (amounts: Readonly<Record<string, Money>>): Readonly<Record<string, Exact>> =>
  Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [`${name}Usd`, moneyJson(amount)]));

export const formatMoney = (amount: Money): string => formatDollars(amount.toNumber());

/** Undefined for a negative amount too. */
export const parseMoney = (text: string): Money | undefined =>
  /^\$?\d+(?:\.\d+)?$/.test(text.trim()) ? new Big(text.trim().replace('$', '')) : undefined;

/** A row of the report: its parts add up to its total. */
export interface Cost {
  readonly total: Money;
  readonly parts: Readonly<Record<string, Money>>;
}

export interface ResourceCost extends Cost {
  readonly kind: Kind;
  /** Empty for public endpoints, which are billed together. */
  readonly id: string;
}

export interface DayCost extends Cost {
  readonly startTime: string;
}

/** The parts of a row, and the members of the service's reports that each sums. `other` is the rest. */
export const RESOURCE_PARTS = { gpu: /^gpu/, cpu: /^cpu/, storage: /^(disk|standard|highPerformance)/, other: /^$/ };
export const DAY_PARTS = { pods: /^pod/, endpoints: /^serverless/, volumes: /^storage/, other: /^$/ };

type Parts = Readonly<Record<string, RegExp>>;

function costOf(records: readonly Json[], { amounts }: Report, parts: Parts): Cost {
  const total = sum(records.map((record) => amountAt(record, 'totalAmount')));
  const known = Object.entries(parts).map(([part, pattern]): readonly [string, Money] => {
    const members = Object.keys(amounts).filter((member) => pattern.test(member));
    return [part, sum(members.flatMap((member) => records.map((record) => amountAt(record, member))))];
  });
  const other = total.minus(sum(known.map(([, amount]) => amount)));
  return { total, parts: { ...Object.fromEntries(known), other } };
}

export function costsOf(kind: Kind, records: readonly Json[]): readonly ResourceCost[] {
  const report: Report = BY_KIND[kind];
  const byId = new Map<string, Json[]>();
  for (const record of records) {
    const id = report.of === undefined ? '' : (stringAt(record, report.of.member) ?? '?');
    byId.set(id, [...(byId.get(id) ?? []), record]);
  }
  return [...byId].map(([id, own]) => ({ kind, id, ...costOf(own, report, RESOURCE_PARTS) }));
}

export const daysOf = (records: readonly Json[]): readonly DayCost[] =>
  records
    .map((record) => ({ startTime: stringAt(record, 'startTime') ?? '', ...costOf([record], SUMMARY, DAY_PARTS) }))
    .toSorted((a, b) => (a.startTime < b.startTime ? -1 : 1));
