import type { CommandContext } from '../../cli/model/context.ts';
import { readWorkers, rowsUnlessFailed } from '../../cli/money/account-line.ts';
import { usedVolumeIds } from '../../cli/money/disks.ts';
import { diskSize, HOURS_PER_MONTH, type Rate, rateOf, withStoppedDisk } from '../../cli/money/hourly-cost.ts';
import * as collections from '../../cli/resource/collections.ts';
import { listRows } from '../../cli/resource/requests.ts';
import { countOf } from '../../cli/words.ts';
import { costsOf, type DayCost, daysOf, type Kind, KIND_REPORTS, type ResourceCost } from './costs.ts';
import { PODS, type Report, SUMMARY } from './service-reports.ts';
import { readHealth } from '../endpoints/read-health.ts';
import { unlessFailed } from '../../core/failure.ts';
import { type Json, memberAt, numberAt, stringAt } from '../../core/json.ts';
import { type EpochMs, HOUR_MS } from '../../core/unit-types.ts';
import { formatDollars, formatTimestamp } from '../../core/units.ts';
import { idOf } from '../../output/view.ts';

export interface Facts {
  readonly days: readonly DayCost[];
  readonly costs: readonly ResourceCost[];
  readonly fleet: Fleet;
  /** US dollars an hour. */
  readonly rate: Rate;
  /** By id, also of deleted things that this machine has listed. */
  readonly names: ReadonlyMap<string, string>;
  /** Ids that cost something but are no longer listed. */
  readonly gone: ReadonlySet<string>;
  readonly missing: readonly string[];
}

/** `end` must be the end of a day: the service refuses an empty period. Skips unreadable lists. */
export async function fetchFacts(ctx: CommandContext, start: number, daysFrom: number, end: number): Promise<Facts> {
  const [days, costs, pods, endpoints, volumes, clusters] = await Promise.all([
    readRecords(ctx, SUMMARY, daysFrom, end).then(daysOf),
    Promise.all(
      KIND_REPORTS.map(async ({ kind, report }) => costsOf(kind, report, await readRecords(ctx, report, start, end))),
    ),
    rowsUnlessFailed(ctx, collections.PODS),
    rowsUnlessFailed(ctx, collections.ENDPOINTS),
    rowsUnlessFailed(ctx, collections.VOLUMES),
    rowsUnlessFailed(ctx, collections.CLUSTERS),
  ]);
  const lists = { pods, endpoints, volumes, clusters };
  const listOf: Readonly<Record<string, readonly Json[] | undefined>> = {
    pod: pods,
    endpoint: endpoints,
    volume: volumes,
    cluster: clusters,
  };
  const [health, workers, known] = await Promise.all([
    readHealth(ctx, endpoints ?? []),
    readWorkers(ctx, endpoints ?? []),
    // Includes deleted things; the lists above added theirs.
    ctx.names.read(),
  ]);
  return {
    days,
    costs: costs.flat(),
    fleet: { pods, endpoints, volumes, health },
    rate: rateOf({ pods, endpoints, volumes, ...workers }),
    names: new Map([
      ...known,
      ...Object.values(lists).flatMap((rows) =>
        (rows ?? []).map((row) => [idOf(row), stringAt(row, 'name') ?? ''] as const),
      ),
    ]),
    gone: new Set(
      costs.flat().flatMap(({ kind, id }) => (listOf[kind]?.every((row) => idOf(row) !== id) === true ? [id] : [])),
    ),
    missing: Object.entries(lists).flatMap(([name, rows]) => (rows === undefined ? [name] : [])),
  };
}

/** By days or hours. Fails as the list does. */
export async function readRecords(
  ctx: CommandContext,
  { path }: Report,
  start: number,
  end: number,
  bucketSize: 'day' | 'hour' = 'day',
): Promise<readonly Json[]> {
  const query = { startTime: formatTimestamp(start), endTime: formatTimestamp(end), bucketSize };
  return (await listRows(ctx, { path, member: 'records' }, query)).values;
}

export interface Idle {
  readonly kind: Kind;
  readonly id: string;
  readonly why: string;
  /** Only its disk is idle: its cost includes the time before it stopped. */
  readonly diskOnly?: true;
}

/** Undefined where a list could not be read. */
export interface Fleet {
  readonly pods: readonly Json[] | undefined;
  readonly endpoints: readonly Json[] | undefined;
  readonly volumes: readonly Json[] | undefined;
  readonly health: ReadonlyMap<string, Json>;
}

/** Pods in ERROR, stopped pods with a disk, endpoints whose workers only wait, unmounted volumes. */
export function idleResources({ pods, endpoints, volumes, health }: Fleet): readonly Idle[] {
  const failed = (pods ?? [])
    .filter((pod) => memberAt(pod, 'status') === 'ERROR')
    .map((pod): Idle => ({ kind: 'pod', id: idOf(pod), why: 'is in ERROR' }));
  const stopped = withStoppedDisk(pods ?? []).map((pod): Idle => ({
    kind: 'pod',
    id: idOf(pod),
    why: `is stopped now and keeps a disk of ${diskSize([pod])}, which is paid on`,
    diskOnly: true,
  }));
  const waiting = (endpoints ?? []).flatMap((endpoint): Idle[] => {
    const workers = waitingWorkers(health.get(idOf(endpoint)));
    if (workers === 0) return [];
    const which = workers === 1 ? 'a worker that only waits' : `${workers} workers that only wait`;
    return [{ kind: 'endpoint', id: idOf(endpoint), why: `has ${which}` }];
  });
  // Without one of the lists, an unread row may use the volume.
  const mounted = pods === undefined || endpoints === undefined ? undefined : usedVolumeIds(pods, endpoints);
  const unused = (volumes ?? [])
    .filter((volume) => mounted?.has(idOf(volume)) === false)
    .map((volume): Idle => ({ kind: 'volume', id: idOf(volume), why: 'is mounted nowhere' }));
  return [...failed, ...stopped, ...waiting, ...unused];
}

/** Specification 4.5, detail 8. */
function waitingWorkers(health: Json | undefined): number {
  const count = (path: string): number => numberAt(health, path) ?? 0;
  const busy = count('jobs.inQueue') + count('jobs.inProgress') + count('workers.running');
  return busy > 0 ? 0 : count('workers.idle');
}

/** What the persistent mounts of pods cost by the bill: their price is not published. */

/** In the last full hour before `now`, in US dollars, by pod id; undefined if the bill is unreadable. */
export const readDiskCosts = (ctx: CommandContext, now: EpochMs): Promise<ReadonlyMap<string, number> | undefined> => {
  const hour = Math.floor(now / HOUR_MS) * HOUR_MS;
  return unlessFailed(ctx, async () =>
    sumsById(await readRecords(ctx, PODS, hour - HOUR_MS, hour, 'hour'), 'diskAmount'),
  );
};

export const diskCost = (perHour: number | undefined): string =>
  perHour === undefined
    ? 'its cost is not known'
    : `${formatDollars(perHour)} an hour, ${formatDollars(perHour * HOURS_PER_MONTH)} a month`;

export function sumsById(records: readonly Json[], member: string): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const record of records) {
    const id = stringAt(record, 'podId') ?? '';
    sums.set(id, (sums.get(id) ?? 0) + (numberAt(record, member) ?? 0));
  }
  return sums;
}

export async function savedDisks(ctx: CommandContext, pods: readonly Json[]): Promise<string | undefined> {
  const stopped = withStoppedDisk(pods);
  if (stopped.length === 0) return undefined;
  const costs = await readDiskCosts(ctx, ctx.serviceNow());
  const known = stopped.flatMap((pod) => costs?.get(idOf(pod)) ?? []);
  const saved =
    known.length === 0 ? 'an amount that is not known' : diskCost(known.reduce((sum, perHour) => sum + perHour, 0));
  return `For the ${diskSize(stopped)} on disk of ${countOf(stopped.length, 'stopped pod')} it saves ${saved}${known.length === 0 ? '' : ' by the last bill'}.`;
}
