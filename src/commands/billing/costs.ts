/** What the service billed: its reports, and their amounts in exact US dollars. */
import Big from 'big.js';
import type { Collection } from '../../cli/model/collection.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { rowsUnlessFailed } from '../account/rate.ts';
import * as collections from '../../cli/resource/collections.ts';
import { listRows } from '../../cli/resource/pages.ts';
import { encodeJson, Exact, type Json, memberAt, numberAt, numberOf, stringAt } from '../../core/json.ts';
import type { EpochMs } from '../../core/unit-types.ts';
import { formatDollars, formatTimestamp } from '../../core/units.ts';
import type { Column } from '../../output/view.ts';

export interface BilledReport {
  /** The contract's schema of the whole document. */
  readonly schema: string;
  readonly path: readonly string[];
  /** Besides `totalAmount`, in US dollars: member name to label. */
  readonly amounts: Readonly<Record<string, string>>;
  /** `member` is also the query parameter. */
  readonly of?: { readonly member: string; readonly lookup: Collection };
}

const BILLING = ['v2', 'billing'];
const gpu = { gpuAmount: 'GPU' };
const cpu = { cpuAmount: 'CPU' };
const disk = { diskAmount: 'disk' };

export const SUMMARY: BilledReport = {
  schema: 'ListBillingResponse',
  path: BILLING,
  amounts: {
    podGpuAmount: 'pod GPU',
    podCpuAmount: 'pod CPU',
    podDiskAmount: 'pod disk',
    serverlessGpuAmount: 'serverless GPU',
    serverlessCpuAmount: 'serverless CPU',
    serverlessDiskAmount: 'serverless disk',
    storageStandardAmount: 'standard storage',
    storageHighPerformanceAmount: 'high-performance storage',
    endpointAmount: 'public endpoints',
    clusterGpuAmount: 'cluster GPU',
    clusterDiskAmount: 'cluster disk',
    clusterNetworkingAmount: 'cluster networking',
  },
};

export const BY_KIND = {
  pod: {
    schema: 'ListPodBillingResponse',
    path: [...BILLING, 'pods'],
    amounts: { ...gpu, ...cpu, ...disk },
    of: { member: 'podId', lookup: collections.PODS },
  },
  endpoint: {
    schema: 'ListServerlessBillingResponse',
    path: [...BILLING, 'serverless'],
    amounts: { ...gpu, ...cpu, ...disk },
    of: { member: 'serverlessId', lookup: collections.ENDPOINTS },
  },
  volume: {
    schema: 'ListNetworkVolumeBillingResponse',
    path: [...BILLING, 'network-volumes'],
    amounts: { standardAmount: 'standard', highPerformanceAmount: 'high-performance' },
    of: { member: 'networkVolumeId', lookup: collections.VOLUMES },
  },
  cluster: {
    schema: 'ListClusterBillingResponse',
    path: [...BILLING, 'clusters'],
    amounts: { ...gpu, ...disk, networkingAmount: 'networking' },
    of: { member: 'clusterId', lookup: collections.CLUSTERS },
  },
  'public-endpoint': { schema: 'ListEndpointBillingResponse', path: [...BILLING, 'endpoints'], amounts: {} },
} as const satisfies Readonly<Record<string, BilledReport>>;

export type Kind = keyof typeof BY_KIND;

export const KINDS = Object.keys(BY_KIND) as readonly Kind[];

export const monthStart = (at: EpochMs, months = 0): EpochMs =>
  Date.UTC(new Date(at).getUTCFullYear(), new Date(at).getUTCMonth() + months, 1);

/** By days. Fails as the list does; the service refuses an empty period. */
export async function readRecords(
  ctx: CommandContext,
  { path }: BilledReport,
  start: EpochMs,
  end: EpochMs,
): Promise<readonly Json[]> {
  const query = { startTime: formatTimestamp(start), endTime: formatTimestamp(end), bucketSize: 'day' };
  return (await listRows(ctx, { path, member: 'records' }, query)).values;
}

/** Exact decimal US dollars. */
export type Money = Big;

/** All digits; zero when absent or not a number. */
function amountAt(record: Json, member: string): Money {
  const value = memberAt(record, member);
  return new Big(value === undefined || numberOf(value) === undefined ? 0 : encodeJson(value));
}

export const sum = (amounts: readonly Money[]): Money =>
  amounts.reduce((total, amount) => total.plus(amount), new Big(0));

/** `{totalUsd: 1.20, ...}` of `{total: ...}`. */
export const usd = (amounts: Readonly<Record<string, Money>>): Readonly<Record<string, Exact>> =>
  Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [`${name}Usd`, new Exact(amount.toFixed())]));

export const formatMoney = (amount: Money): string => formatDollars(amount.toNumber());

/** The parts of a row, and the members of the service's reports that each sums. `other` is the rest. */
export const RESOURCE_PARTS = { gpu: /^gpu/, cpu: /^cpu/, storage: /^(disk|standard|highPerformance)/, other: /^$/ };
export const DAY_PARTS = { pods: /^pod/, endpoints: /^serverless/, volumes: /^storage/, other: /^$/ };

/** A row of the report: its parts add up to its total. */
function costOf(
  records: readonly Json[],
  { amounts }: BilledReport,
  parts: Readonly<Record<string, RegExp>>,
): { readonly total: Money; readonly parts: Readonly<Record<string, Money>> } {
  const total = sum(records.map((record) => amountAt(record, 'totalAmount')));
  const known = Object.entries(parts).map(([part, pattern]): readonly [string, Money] => {
    const members = Object.keys(amounts).filter((member) => pattern.test(member));
    return [part, sum(members.flatMap((member) => records.map((record) => amountAt(record, member))))];
  });
  const other = total.minus(sum(known.map(([, amount]) => amount)));
  return { total, parts: { ...Object.fromEntries(known), other } };
}

/** What each thing cost, the most first. The id is empty for public endpoints, which are billed together. */
export async function readResources(ctx: CommandContext, start: EpochMs, end: EpochMs) {
  const costs = KINDS.map(async (kind) => {
    const report: BilledReport = BY_KIND[kind];
    const records = await readRecords(ctx, report, start, end);
    const idIn = (record: Json): string => (report.of && stringAt(record, report.of.member)) ?? '';
    return [...new Set(records.map(idIn))].map((id) => {
      const own = records.filter((record) => idIn(record) === id);
      return { kind, id, ...costOf(own, report, RESOURCE_PARTS) };
    });
  });
  return (await Promise.all(costs)).flat().toSorted((a, b) => b.total.cmp(a.total) || (a.id < b.id ? -1 : 1));
}

/** What each day cost, in their order. */
export async function readDays(ctx: CommandContext, start: EpochMs, end: EpochMs) {
  const records = await readRecords(ctx, SUMMARY, start, end);
  return records
    .map((record) => ({
      day: (stringAt(record, 'startTime') ?? '').slice(0, 10),
      ...costOf([record], SUMMARY, DAY_PARTS),
    }))
    .toSorted((a, b) => (a.day < b.day ? -1 : 1));
}

/** Undefined where a list cannot be read. */
export type Lists = Readonly<Partial<Record<Kind, readonly Json[] | undefined>>>;

export async function readLists(ctx: CommandContext): Promise<Lists> {
  const read = KINDS.map(async (kind) => {
    const { of }: BilledReport = BY_KIND[kind];
    return [kind, of && (await rowsUnlessFailed(ctx, of.lookup))] as const;
  });
  return Object.fromEntries(await Promise.all(read));
}

/** Bars relative to the largest amount. */
export function chart(rows: readonly Json[], member: string): Column {
  const amountOf = (row: Json): number => numberAt(row, member) ?? 0;
  const most = Math.max(0, ...rows.map(amountOf));
  return {
    header: 'CHART',
    show: (row) => (most === 0 ? undefined : { percent: (amountOf(row) / most) * 100, text: '' }),
    dropFirst: true,
  };
}
