import type { CommandContext } from '../../cli/model/context.ts';
import { diskSize, type Rate, rateOf, readWorkers, rowsUnlessFailed, withStoppedDisk } from '../../cli/rate.ts';
import * as collections from '../../cli/resource/collections.ts';
import { listRows } from '../../cli/resource/requests.ts';
import { countOf } from '../../cli/words.ts';
import { costsOf, type DayCost, daysOf, type ResourceCost } from './costs.ts';
import { BY_KIND, KINDS, type Kind, type Report, SUMMARY } from './service-reports.ts';
import { itemsAt, type Json, memberAt, numberAt, stringAt, stringOf } from '../../core/json.ts';
import { formatTimestamp } from '../../core/units.ts';
import { unlessFailed } from '../../core/failure.ts';
import { asId, isUsableId } from '../../core/ids.ts';
import { healthRequest } from '../../queue/requests.ts';
import { idOf } from '../../output/view.ts';

export interface Facts {
  readonly days: readonly DayCost[];
  readonly costs: readonly ResourceCost[];
  /** Undefined for a list that could not be read. */
  readonly lists: Readonly<Partial<Record<Kind, readonly Json[]>>>;
  readonly idle: readonly Idle[];
  readonly rate: Rate;
  readonly missing: readonly string[];
}

/** `end` must be the end of a day: the service refuses an empty period. Skips unreadable lists. */
export async function fetchFacts(ctx: CommandContext, start: number, daysFrom: number, end: number): Promise<Facts> {
  const [days, costs, pods, endpoints, volumes, clusters] = await Promise.all([
    readRecords(ctx, SUMMARY, daysFrom, end).then(daysOf),
    Promise.all(KINDS.map(async (kind) => costsOf(kind, await readRecords(ctx, BY_KIND[kind], start, end)))),
    rowsUnlessFailed(ctx, collections.PODS),
    rowsUnlessFailed(ctx, collections.ENDPOINTS),
    rowsUnlessFailed(ctx, collections.VOLUMES),
    rowsUnlessFailed(ctx, collections.CLUSTERS),
  ]);
  const [health, workers] = await Promise.all([readHealth(ctx, endpoints ?? []), readWorkers(ctx, endpoints ?? [])]);
  const named = { pods, endpoints, volumes, clusters };
  return {
    days,
    costs: costs.flat(),
    lists: Object.fromEntries(
      Object.entries({ pod: pods, endpoint: endpoints, volume: volumes, cluster: clusters }).filter(([, rows]) => rows),
    ),
    idle: idleResources(pods, endpoints, volumes, health),
    rate: rateOf({ pods, endpoints, volumes, ...workers }),
    missing: Object.entries(named).flatMap(([name, rows]) => (rows === undefined ? [name] : [])),
  };
}

/** By days or hours. Fails as the list does. */
export async function readRecords(
  ctx: CommandContext,
  { path }: Pick<Report, 'path'>,
  start: number,
  end: number,
  bucketSize: 'day' | 'hour' = 'day',
): Promise<readonly Json[]> {
  const query = { startTime: formatTimestamp(start), endTime: formatTimestamp(end), bucketSize };
  return (await listRows(ctx, { path, member: 'records' }, query)).values;
}

/** One request each. */
const MAX_HEALTH = 50;

/** By id; null if it could not be read. */
async function readHealth(ctx: CommandContext, endpoints: readonly Json[]): Promise<ReadonlyMap<string, Json>> {
  const ids = endpoints.slice(0, MAX_HEALTH).map(idOf).filter(isUsableId);
  const read = (id: string) => unlessFailed(ctx, () => ctx.api.send(healthRequest(asId(id))));
  return new Map(await Promise.all(ids.map(async (id) => [id, (await read(id))?.value ?? null] as const)));
}

/** Includes pods of clusters. */
const usedVolumes = (pods: readonly Json[], endpoints: readonly Json[]): ReadonlySet<string> =>
  new Set([
    ...pods.flatMap((pod) => itemsAt(pod, 'mounts.network').map((mount) => stringAt(mount, 'volumeId') ?? '')),
    ...endpoints.flatMap((endpoint) => itemsAt(endpoint, 'networkVolumes').map((id) => stringOf(id) ?? '')),
  ]);

export interface Idle {
  readonly kind: Kind;
  readonly id: string;
  readonly why: string;
  /** Only its disk is idle: its cost includes the time before it stopped. */
  readonly diskOnly?: true;
}

/** Pods in ERROR, stopped pods with a disk, endpoints whose workers only wait, unmounted volumes. */
function idleResources(
  pods: readonly Json[] | undefined,
  endpoints: readonly Json[] | undefined,
  volumes: readonly Json[] | undefined,
  health: ReadonlyMap<string, Json>,
): readonly Idle[] {
  const rowsOf = (
    kind: Kind,
    rows: readonly Json[],
    why: (row: Json) => string,
    more: { diskOnly?: true } = {},
  ): Idle[] => rows.map((row) => ({ kind, id: idOf(row), why: why(row), ...more }));
  const failed = (pods ?? []).filter((pod) => memberAt(pod, 'status') === 'ERROR');
  const waiting = (endpoints ?? []).filter((endpoint) => waitingWorkers(health.get(idOf(endpoint))) > 0);
  // Without one of the lists, an unread row may use the volume.
  const mounted = pods === undefined || endpoints === undefined ? undefined : usedVolumes(pods, endpoints);
  const unused = (volumes ?? []).filter((volume) => mounted?.has(idOf(volume)) === false);
  return [
    ...rowsOf('pod', failed, () => 'is in ERROR'),
    ...rowsOf('pod', withStoppedDisk(pods ?? []), (pod) => `is stopped, with a disk of ${diskSize([pod])}`, {
      diskOnly: true,
    }),
    ...rowsOf('endpoint', waiting, (row) => `has ${countOf(waitingWorkers(health.get(idOf(row))), 'idle worker')}`),
    ...rowsOf('volume', unused, () => 'is not mounted'),
  ];
}

/** Specification 4.5, detail 8. */
function waitingWorkers(health: Json | undefined): number {
  const count = (path: string): number => numberAt(health, path) ?? 0;
  const busy = count('jobs.inQueue') + count('jobs.inProgress') + count('workers.running');
  return busy > 0 ? 0 : count('workers.idle');
}
