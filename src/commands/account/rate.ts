/** What the account costs an hour. */
import { unlessFailed } from '../../core/failure.ts';
import { isUsableId } from '../../core/ids.ts';
import {
  itemsAt,
  type Json,
  type JsonObject,
  memberAt,
  numberAt,
  objectOf,
  stringAt,
  stringOf,
} from '../../core/json.ts';
import type { Collection } from '../../cli/model/collection.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import * as money from '../../cli/money.ts';
import { ENDPOINTS, PODS, VOLUMES } from '../../cli/resource/collections.ts';
import { listRows, lookupRows } from '../../cli/resource/pages.ts';
import { merged } from '../../cli/resource/request-body.ts';
import { readRow } from '../../cli/resource/targets.ts';
import { countOf } from '../../cli/words.ts';
import { idOf } from '../../output/view.ts';

/** What the lists show: pods, workers that always run, volumes. Fails as the lists do. */
export async function ofAccount(ctx: CommandContext): Promise<money.Cost> {
  const [pods = [], endpoints = [], volumes = []] = await Promise.all(
    [PODS, ENDPOINTS, VOLUMES].map((of) => lookupRows(ctx, of)),
  );
  const always = endpoints.filter((endpoint) => (numberAt(endpoint, 'workers.min') ?? 0) > 0);
  const workers = await Promise.all(always.map(async (one) => money.ofEndpoint(one, await money.catalogOf(ctx, one))));
  return money.sum([...pods.map(money.ofPod), ...workers, ...volumes.map(money.ofVolume)]);
}

/** What a request that writes, of the management API or of a queue, would add: a job may start one worker. */
export async function ofRequest(ctx: CommandContext, { url, body }: JsonObject): Promise<money.Cost> {
  const [noun = '', id = '', action = ''] = new URL(stringOf(url) ?? '').pathname.split('/').slice(2);
  const sent = objectOf(body) ?? {};
  const rowOf = async (of: Collection, word: string) =>
    word === '' ? {} : (objectOf((await readRow(ctx, of, word)).value) ?? {});
  const priced = async (of: typeof money.ofEndpoint, thing: JsonObject) => of(thing, await money.catalogOf(ctx, thing));
  if (noun === 'clusters') return money.ofNewCluster(sent, await money.catalogOf(ctx, { gpu: {} }));
  if (/^network-?volumes$/i.test(noun)) return money.ofVolume(sent);
  if (noun === 'pods') return await priced(money.ofNewPod, merged(await rowOf(PODS, id), sent));
  if (noun === 'serverless') return await priced(money.ofEndpoint, merged(await rowOf(ENDPOINTS, id), sent));
  if (!['run', 'runsync', 'retry'].includes(id) && action !== 'retry') return { hourly: undefined, besides: [] };
  const endpoint = await rowOf(ENDPOINTS, noun);
  const hasHardware = itemsAt(endpoint, 'gpu.pools').length + itemsAt(endpoint, 'cpu').length > 0;
  return hasHardware ? await priced(money.ofWorker, endpoint) : money.sum([]);
}

/** `pods` is without those of clusters. */
export const RATE_PARTS = ['pods', 'clusters', 'workers', 'volumes'] as const;
type RatePart = (typeof RATE_PARTS)[number];

/** What was read of an account. An undefined list could not be read. */
export interface RateFacts {
  /** Includes pods of clusters. */
  readonly pods: readonly Json[] | undefined;
  readonly endpoints: readonly Json[] | undefined;
  readonly volumes: readonly Json[] | undefined;
  /** By endpoint id; absent if not read. */
  readonly workers: ReadonlyMap<string, readonly Json[]>;
  /** GPUs and CPUs; empty if not read. */
  readonly catalog: readonly Json[];
}

/** US dollars an hour, at the lowest prices. */
export interface Rate {
  readonly parts: Readonly<Partial<Record<RatePart, number>>>;
  readonly total: number;
  /** `pods: 1 without a price`. Empty if the sum is exact. */
  readonly unknown: readonly string[];
}

/** One request per endpoint; the others have no price. */
const MAX_ENDPOINTS = 50;

/** Undefined if it cannot be read. Rethrows an interrupt. */
export const rowsUnlessFailed = (ctx: CommandContext, list: Collection): Promise<readonly Json[] | undefined> =>
  unlessFailed(ctx, async () => (await listRows(ctx, list, list.lookupQuery)).values);

/** With the price catalogs. Leaves out what cannot be read; no requests without endpoints. */
export async function readWorkers(
  ctx: CommandContext,
  endpoints: readonly Json[],
): Promise<Pick<RateFacts, 'workers' | 'catalog'>> {
  const ids = endpoints.map(idOf).filter(isUsableId).slice(0, MAX_ENDPOINTS);
  const workersOf = (id: string): Collection => ({
    noun: 'worker',
    path: [...ENDPOINTS.path, id, 'workers'],
    member: 'workers',
  });
  const [found, ...catalogs] = await Promise.all([
    Promise.all(ids.map(async (id) => [id, await rowsUnlessFailed(ctx, workersOf(id))] as const)),
    ...[...new Set(endpoints.map(money.catalogFor))].map((of) => rowsUnlessFailed(ctx, of)),
  ]);
  const workers = new Map(found.flatMap(([id, rows]) => (rows === undefined ? [] : [[id, rows] as const])));
  return { workers, catalog: catalogs.flatMap((rows) => rows ?? []) };
}

/** The workers of an endpoint, each of which is charged (contract, Worker). Undefined if they were not read. */
export const ofWorkers = (
  endpoint: Json,
  { workers, catalog }: Pick<RateFacts, 'workers' | 'catalog'>,
): readonly money.Cost[] | undefined =>
  workers.get(idOf(endpoint))?.map((worker) => money.ofWorker(endpoint, catalog, worker));

/** What an account costs an hour now, for top and the cost report. */
export function rateOf(facts: RateFacts, wanted: readonly RatePart[] = RATE_PARTS): Rate {
  const ofPods = (areOfClusters: boolean): readonly money.Cost[] | undefined => {
    const own = facts.pods?.filter((pod) => (stringAt(pod, 'cluster.id') !== undefined) === areOfClusters);
    const stopped = withStoppedDisk(own ?? []);
    const disks = `the disks of ${countOf(stopped.length, 'stopped pod')} (${diskSize(stopped)})`;
    return own && [...own.map(money.ofPod), ...(stopped.length === 0 ? [] : [money.costOf(0, [disks])])];
  };
  const costs: Readonly<Record<RatePart, readonly money.Cost[] | undefined>> = {
    pods: ofPods(false),
    clusters: ofPods(true),
    workers: facts.endpoints?.flatMap((endpoint) => ofWorkers(endpoint, facts) ?? [money.costOf(undefined)]),
    volumes: facts.volumes?.map(money.ofVolume),
  };
  const lowest = (some: readonly money.Cost[] = []): number => money.sum(some).hourly?.low ?? 0;
  const unknown = wanted.flatMap((part) => {
    const [own, all] = [costs[part], money.sum(costs[part] ?? [])];
    const isRange = all.hourly !== undefined && all.hourly.low < all.hourly.high;
    const reasons = [...all.besides, ...(isRange ? [`up to ${money.dollarsPerHour(all.hourly.high)}`] : [])];
    return own === undefined ? [`${part} not read`] : reasons.map((reason) => `${part}: ${reason}`);
  });
  return {
    parts: Object.fromEntries(wanted.map((part) => [part, lowest(costs[part])])),
    total: lowest(wanted.flatMap((part) => costs[part] ?? [])),
    unknown,
  };
}

const sizeOf = (pod: Json): number | undefined => numberAt(pod, 'mounts.persistent.size');

/** A persistent mount is paid until its pod is terminated, at a price that is not published. */
export const withStoppedDisk = (pods: readonly Json[]): readonly Json[] =>
  pods.filter((pod) => memberAt(pod, 'status') === 'EXITED' && sizeOf(pod) !== undefined);

export const diskSize = (pods: readonly Json[]): string =>
  `${pods.reduce<number>((all, pod) => all + (sizeOf(pod) ?? 0), 0)} GB`;

/** `at least $16.63/h` if something is unknown. */
export const rateText = ({ total, unknown }: Pick<Rate, 'total' | 'unknown'>): string =>
  `${unknown.length === 0 ? '' : 'at least '}${money.dollarsPerHour(total)}`;
