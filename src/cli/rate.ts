/** What an account costs an hour now, by kind, with what is not known of it: for top and the cost report. */
import { unlessFailed } from '../core/failure.ts';
import { isUsableId } from '../core/ids.ts';
import { type Json, memberAt, numberAt, stringAt } from '../core/json.ts';
import { type DollarRange, formatDollars } from '../core/units.ts';
import { idOf } from '../output/view.ts';
import type { Collection } from './model/collection.ts';
import type { CommandContext } from './model/context.ts';
import { dollarsPerHour, ofVolume, ofWorker } from './money.ts';
import { CPUS, ENDPOINTS, GPUS } from './resource/collections.ts';
import { listRows } from './resource/requests.ts';
import { countOf } from './words.ts';

/** `pods` is without those of clusters. */
export const RATE_PARTS = ['pods', 'clusters', 'workers', 'volumes'] as const;
export type RatePart = (typeof RATE_PARTS)[number];

/** An undefined list could not be read. */
export interface RateFacts {
  /** Includes pods of clusters. */
  readonly pods: readonly Json[] | undefined;
  readonly endpoints: readonly Json[] | undefined;
  readonly volumes: readonly Json[] | undefined;
  /** By endpoint id; absent if not read. */
  readonly workers: ReadonlyMap<string, readonly Json[]>;
  /** Empty if not read. */
  readonly gpus: readonly Json[];
  readonly cpus: readonly Json[];
}

/** US dollars an hour. */
export interface Rate {
  readonly parts: Readonly<Partial<Record<RatePart, number>>>;
  readonly total: number;
  /** By endpoint id; absent if unknown. */
  readonly endpoints: ReadonlyMap<string, number>;
  /** Without a final period. Empty if the sum is exact. */
  readonly unknown: readonly string[];
}

/** One request per endpoint; the others are reported as unread. */
const MAX_ENDPOINTS = 50;

/** Undefined if it cannot be read. Rethrows an interrupt. */
export const rowsUnlessFailed = (ctx: CommandContext, list: Collection): Promise<readonly Json[] | undefined> =>
  unlessFailed(ctx, async () => (await listRows(ctx, list, list.lookupQuery)).values);

/** With the price catalogs. Leaves out what cannot be read; no requests without endpoints. */
export async function readWorkers(
  ctx: CommandContext,
  endpoints: readonly Json[],
): Promise<Pick<RateFacts, 'workers' | 'gpus' | 'cpus'>> {
  const ids = endpoints.map(idOf).filter(isUsableId).slice(0, MAX_ENDPOINTS);
  const has = (member: string): boolean => endpoints.some((endpoint) => (memberAt(endpoint, member) ?? null) !== null);
  const workersOf = (id: string): Collection => ({
    noun: 'worker',
    path: [...ENDPOINTS.path, id, 'workers'],
    member: 'workers',
  });
  const [found, gpus, cpus] = await Promise.all([
    Promise.all(ids.map(async (id) => [id, await rowsUnlessFailed(ctx, workersOf(id))] as const)),
    has('gpu') ? rowsUnlessFailed(ctx, GPUS) : [],
    has('cpu') ? rowsUnlessFailed(ctx, CPUS) : [],
  ]);
  const workers = new Map(found.flatMap(([id, rows]) => (rows === undefined ? [] : [[id, rows] as const])));
  return { workers, gpus: gpus ?? [], cpus: cpus ?? [] };
}

export function rateOf(facts: RateFacts, wanted: readonly RatePart[] = RATE_PARTS): Rate {
  const { pods, endpoints, volumes } = facts;
  const unknown = new Set<string>();
  const note = (rows: readonly unknown[], noun: string, sentence: (counted: string) => string): void => {
    if (rows.length > 0) unknown.add(sentence(countOf(rows.length, noun)));
  };
  const total = (costs: readonly (number | undefined)[]): number =>
    costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0);
  const read = (rows: readonly Json[] | undefined, noun: string): readonly Json[] => {
    if (rows === undefined) unknown.add(`the ${noun} could not be read`);
    return rows ?? [];
  };
  const byEndpoint = new Map<string, number>();

  /** Stopped pods have cost 0, which leaves out their persistent mount. */
  const podsCost = (ofClusters: boolean): number => {
    const own = read(pods, 'pods').filter((pod) => (stringAt(pod, 'cluster.id') !== undefined) === ofClusters);
    const costs = own.map((pod) => numberAt(pod, 'cost'));
    const unpriced = costs.filter((cost) => cost === undefined);
    note(unpriced, ofClusters ? 'cluster pod' : 'pod', (counted) => `the cost of ${counted} is not known`);
    note(withStoppedDisk(own), 'stopped pod', (counted) => `no price of the disks of ${counted} (${diskSize(own)})`);
    return total(costs);
  };
  /** Every listed worker is charged, by its GPU type, else by what its endpoint allows (contract, Worker). */
  const workersCost = (): number => {
    const prices = read(endpoints, 'endpoints').flatMap((endpoint): readonly (DollarRange | 'unread' | undefined)[] => {
      const catalog = memberAt(endpoint, 'cpu') === undefined ? facts.gpus : facts.cpus;
      const workers = facts.workers.get(idOf(endpoint));
      const own = workers?.map((worker) => ofWorker(endpoint, catalog, worker).hourly);
      if (own !== undefined) byEndpoint.set(idOf(endpoint), total(own.map((price) => price?.low)));
      return own ?? ['unread'];
    });
    const [unread, unpriced] = [prices.filter((price) => price === 'unread'), prices.filter((price) => !price)];
    const ranges = prices.filter((price) => typeof price === 'object' && price.low < price.high);
    note(unread, 'endpoint', (counted) => `the workers of ${counted} could not be read`);
    note(unpriced, 'worker', (counted) => `the price of ${counted} is not known`);
    note(ranges, 'worker', (counted) => `${counted} counted at the lowest price`);
    return total([...byEndpoint.values()]);
  };
  const volumesCost = (): number => {
    const costs = read(volumes, 'volumes').map(ofVolume);
    const fast = costs.filter(({ besides }) => besides.length > 0);
    note(fast, 'high-performance volume', (counted) => `${counted} counted at the standard price`);
    return total(costs.map(({ hourly }) => hourly?.low));
  };
  const costs: Readonly<Record<RatePart, () => number>> = {
    pods: () => podsCost(false),
    clusters: () => podsCost(true),
    workers: workersCost,
    volumes: volumesCost,
  };
  const parts = Object.fromEntries(wanted.map((part) => [part, costs[part]()]));
  return { parts, total: total(Object.values(parts)), endpoints: byEndpoint, unknown: [...unknown] };
}

const sizeOf = (pod: Json): number | undefined => numberAt(pod, 'mounts.persistent.size');

/** A persistent mount is paid until its pod is terminated, at a price that is not published. */
export const withStoppedDisk = (pods: readonly Json[]): readonly Json[] =>
  pods.filter((pod) => memberAt(pod, 'status') === 'EXITED' && sizeOf(pod) !== undefined);

export const diskSize = (pods: readonly Json[]): string =>
  `${withStoppedDisk(pods).reduce<number>((sum, pod) => sum + (sizeOf(pod) ?? 0), 0)} GB`;

/** `at least $16.63/h` if something is unknown. */
export const rateText = ({ total, unknown }: Pick<Rate, 'total' | 'unknown'>): string =>
  `${unknown.length === 0 ? '' : 'at least '}${dollarsPerHour(total)}`;

/** `at least $16.63/h (pods $8.27, workers $8.36; the price of 1 worker is not known)`. */
export function rateInFull(rate: Rate): string {
  const names = RATE_PARTS.filter((part) => (rate.parts[part] ?? 0) !== 0);
  const paid = names.map((part) => `${part} ${formatDollars(rate.parts[part] ?? 0)}`).join(', ');
  const details = [paid, ...rate.unknown].filter((text) => text !== '').join('; ');
  return details === '' ? rateText(rate) : `${rateText(rate)} (${details})`;
}
