/**
 * The disks of pods that are stopped. The container disk is wiped; a persistent mount is paid until the pod is terminated, at
 * a price that is not published.
 */

import { ofVolume, ofWorker } from '../money.ts';
import { countOf } from '../words.ts';
import { type Json, memberAt, numberAt, stringAt } from '../../core/json.ts';
import { type DollarRange, formatDollarParts, formatDollars } from '../../core/units.ts';
import { idOf } from '../../output/view.ts';

const sizeOf = (pod: Json): number | undefined => numberAt(pod, 'mounts.persistent.size');

export const withStoppedDisk = (pods: readonly Json[]): readonly Json[] =>
  pods.filter((pod) => memberAt(pod, 'status') === 'EXITED' && sizeOf(pod) !== undefined);

export const diskSize = (pods: readonly Json[]): string =>
  `${pods.reduce<number>((sum, pod) => sum + (sizeOf(pod) ?? 0), 0)} GB`;

function unknownDisks(pods: readonly Json[]): readonly string[] {
  const stopped = withStoppedDisk(pods);
  if (stopped.length === 0) return [];
  const [noun, is] = stopped.length === 1 ? ['disk', 'is'] : ['disks', 'are'];
  return [
    `the ${noun} of ${countOf(stopped.length, 'stopped pod')} (${diskSize(stopped)}) ${is} paid too, at a price that is not published`,
  ];
}

/** What an account costs an hour. Every sum of hourly costs that berth shows is made here. */

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

/** US dollars. Unknown or underestimated costs are in `unknown`. */
export interface Rate {
  readonly parts: Readonly<Partial<Record<RatePart, number>>>;
  readonly total: number;
  /** By endpoint id; absent if unknown. */
  readonly endpoints: ReadonlyMap<string, number>;
  /** Sentences without a final period. Empty if the sum is exact. */
  readonly unknown: readonly string[];
}

/** US dollars an hour. */
interface Sum {
  readonly perHour: number;
  readonly unknown: readonly string[];
}

export function rateOf(facts: RateFacts, wanted: readonly RatePart[] = RATE_PARTS): Rate {
  const workers = wanted.includes('workers') ? workersSum(facts) : { ...NO_SUM, byEndpoint: new Map<string, number>() };
  const sums: Readonly<Record<RatePart, () => Sum>> = {
    pods: () => podsSum(facts.pods, false),
    clusters: () => podsSum(facts.pods, true),
    workers: () => workers,
    volumes: () => volumesSum(facts.volumes),
  };
  const found = wanted.map((part) => [part, sums[part]()] as const);
  return {
    parts: Object.fromEntries(found.map(([part, { perHour }]) => [part, perHour])),
    total: found.reduce((total, [, { perHour }]) => total + perHour, 0),
    endpoints: workers.byEndpoint,
    // Pods and clusters share one list, named once.
    unknown: [...new Set(found.flatMap(([, { unknown }]) => unknown))],
  };
}

const NO_SUM: Sum = { perHour: 0, unknown: [] };

const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

const counted = (count: number, sentence: (count: number) => string): readonly string[] =>
  count === 0 ? [] : [sentence(count)];

/** Stopped pods have cost 0, which leaves out their persistent mount. */
function podsSum(pods: readonly Json[] | undefined, ofClusters: boolean): Sum {
  if (pods === undefined) return { perHour: 0, unknown: ['the pods could not be read'] };
  const own = pods.filter((pod) => (stringAt(pod, 'cluster.id') !== undefined) === ofClusters);
  const costs = own.flatMap((pod) => numberAt(pod, 'cost') ?? []);
  const noun = ofClusters ? 'pod of a cluster' : 'pod';
  const unknown = counted(own.length - costs.length, (count) => `the cost of ${nounCount(count, noun)} is not known`);
  return { perHour: total(costs), unknown: [...unknown, ...unknownDisks(own)] };
}

const nounCount = (count: number, noun: string): string =>
  noun === 'pod' ? countOf(count, noun) : `${countOf(count, 'pod')} of clusters`;

/** At the standard storage price; the other tier costs more (specification 8.4). */
function volumesSum(volumes: readonly Json[] | undefined): Sum {
  if (volumes === undefined) return { perHour: 0, unknown: ['the volumes could not be read'] };
  const higher = volumes.filter((volume) => memberAt(volume, 'type') === 'HIGH_PERFORMANCE').length;
  const unknown = counted(
    higher,
    (count) => `${countOf(count, 'high-performance volume')} ${isAre(count)} counted at the price of standard storage`,
  );
  return { perHour: total(volumes.map((volume) => ofVolume(volume).hourly?.low ?? 0)), unknown };
}

const isAre = (count: number): string => (count === 1 ? 'is' : 'are');

/** Every listed worker is charged, at the serverless price of its hardware. */
function workersSum(facts: RateFacts): Sum & { readonly byEndpoint: ReadonlyMap<string, number> } {
  const byEndpoint = new Map<string, number>();
  if (facts.endpoints === undefined) return { perHour: 0, unknown: ['the endpoints could not be read'], byEndpoint };
  let [unread, unpriced, atLeast] = [0, 0, 0];
  for (const endpoint of facts.endpoints) {
    const workers = facts.workers.get(idOf(endpoint));
    if (workers === undefined) {
      unread += 1;
      continue;
    }
    const prices = workers.map((worker) => priceOf(worker, endpoint, facts));
    byEndpoint.set(idOf(endpoint), total(prices.map((price) => price?.low ?? 0)));
    unpriced += prices.filter((price) => price === undefined).length;
    atLeast += prices.filter((price) => price !== undefined && price.low < price.high).length;
  }
  const unknown = [
    ...counted(unread, (count) => `the workers of ${countOf(count, 'endpoint')} could not be read`),
    ...counted(unpriced, (count) => `the price of ${countOf(count, 'worker')} is not known`),
    ...counted(atLeast, (count) => `${countOf(count, 'worker')} ${isAre(count)} counted at the lowest price`),
  ];
  return { perHour: total([...byEndpoint.values()]), unknown, byEndpoint };
}

/** By its GPU type, else by what its endpoint allows (contract, Worker). */
const priceOf = (worker: Json, endpoint: Json, { gpus, cpus }: RateFacts): DollarRange | undefined =>
  ofWorker(endpoint, memberAt(endpoint, 'cpu') === undefined ? gpus : cpus, worker).hourly;

/** `at least $16.63/h` if something is unknown. */
export const rateText = ({ total: sum, unknown }: Pick<Rate, 'total' | 'unknown'>): string =>
  `${unknown.length === 0 ? '' : 'at least '}${formatDollars(sum)}/h`;

export function rateDetails({ parts, total: sum, unknown }: Rate): string {
  const names = RATE_PARTS.filter((part) => (parts[part] ?? 0) !== 0);
  const amounts = formatDollarParts(
    names.map((part) => parts[part] ?? 0),
    sum,
  );
  const paid = names.map((part, at) => `${part} ${amounts[at] ?? ''}`).join(', ');
  const all = [paid, ...unknown].filter((text) => text !== '');
  return all.length === 0 ? '' : ` (${all.join('; ')})`;
}
