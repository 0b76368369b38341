/** What an account costs an hour. Every sum of hourly costs that berth shows is made here. */
import { type Json, memberAt, numberAt, stringAt } from '../../../core/json.ts';
import { formatDollarParts, formatDollars } from '../../../core/units.ts';
import { countOf } from '../../../cli/words/words.ts';
import { idOf } from '../../../output/view.ts';
import { unknownDisks } from './stopped-disks.ts';
import { volumeHourly } from './volume-price.ts';
import { workerHourlyPrice, workerPriceByType } from './worker-price.ts';

/** The parts of the rate: pods of their own, pods of clusters, workers of endpoints, and network volumes. */
export const RATE_PARTS = ['pods', 'clusters', 'workers', 'volumes'] as const;
export type RatePart = (typeof RATE_PARTS)[number];

/** What the rate is computed from. A list that is undefined could not be read. */
export interface RateFacts {
  /** All pods, those of clusters too. */
  readonly pods: readonly Json[] | undefined;
  readonly endpoints: readonly Json[] | undefined;
  readonly volumes: readonly Json[] | undefined;
  /** The workers of endpoints by the id of the endpoint; absent where they were not read. */
  readonly workers: ReadonlyMap<string, readonly Json[]>;
  /** The catalogs with the prices of workers; empty where they were not read. */
  readonly gpus: readonly Json[];
  readonly cpus: readonly Json[];
}

/** An hourly cost in US dollars. What is not known, or counted too low, is named in `unknown`. */
export interface Rate {
  readonly parts: Readonly<Partial<Record<RatePart, number>>>;
  readonly total: number;
  /** The workers of each endpoint, by its id; absent where that is not known. */
  readonly endpoints: ReadonlyMap<string, number>;
  /** Sentences without a final stop: `the workers of 2 endpoints could not be read`. Empty when the sum is exact. */
  readonly unknown: readonly string[];
}

/** A sum in US dollars an hour, and what it leaves out. */
interface Sum {
  readonly perHour: number;
  readonly unknown: readonly string[];
}

/** Computes the rate, or of `wanted` parts alone. */
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
    // Pods and clusters are of one list, which is named once.
    unknown: [...new Set(found.flatMap(([, { unknown }]) => unknown))],
  };
}

const NO_SUM: Sum = { perHour: 0, unknown: [] };

const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/** `sentence(count)` where there is something to count. */
const counted = (count: number, sentence: (count: number) => string): readonly string[] =>
  count === 0 ? [] : [sentence(count)];

/** The cost of pods is their own member. That of stopped ones is 0, and leaves out the persistent mount that they keep. */
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

/** The sum of volumes by the published price of standard storage; the other tier costs more (specification 8.4). */
function volumesSum(volumes: readonly Json[] | undefined): Sum {
  if (volumes === undefined) return { perHour: 0, unknown: ['the volumes could not be read'] };
  const higher = volumes.filter((volume) => memberAt(volume, 'type') === 'HIGH_PERFORMANCE').length;
  const unknown = counted(
    higher,
    (count) => `${countOf(count, 'high-performance volume')} ${isAre(count)} counted at the price of standard storage`,
  );
  return { perHour: total(volumes.map((volume) => volumeHourly(numberAt(volume, 'size') ?? 0))), unknown };
}

const isAre = (count: number): string => (count === 1 ? 'is' : 'are');

/** Every worker that an endpoint lists is paid, at the serverless price of its hardware. */
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

/** The price of a worker by its GPU type, or by what its endpoint allows where it does not name one (contract, Worker). */
function priceOf(worker: Json, endpoint: Json, { gpus, cpus }: RateFacts): ReturnType<typeof workerHourlyPrice> {
  if (stringAt(worker, 'gpuTypeId') === undefined)
    return workerHourlyPrice(endpoint, memberAt(endpoint, 'cpu') === undefined ? gpus : cpus);
  const price = workerPriceByType(worker, gpus);
  if (price === undefined) return undefined;
  return { low: price, high: price };
}

/** The rate of these pods alone. */
export const podsRate = (pods: readonly Json[]): Rate =>
  rateOf({ pods, endpoints: [], volumes: [], workers: new Map(), gpus: [], cpus: [] }, ['pods', 'clusters']);

/** `$16.63 an hour`, or `at least $16.63 an hour` where something is not known. */
export const rateText = ({ total: sum, unknown }: Pick<Rate, 'total' | 'unknown'>): string =>
  `${unknown.length === 0 ? '' : 'at least '}${formatDollars(sum)} an hour`;

/** `at least $8.36 an hour (the price of 1 worker is not known)`. */
export const rateWithUnknown = (rate: Pick<Rate, 'total' | 'unknown'>): string =>
  `${rateText(rate)}${rate.unknown.length === 0 ? '' : ` (${rate.unknown.join('; ')})`}`;

/** ` (pods $8.27, workers $8.36; the volumes could not be read)`: what a sum is of; nothing where it is of nothing. */
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
