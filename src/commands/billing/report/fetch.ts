import { type Json, stringAt } from '../../../core/json.ts';
import { formatTimestamp } from '../../../core/text/timestamp.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { listRows } from '../../../cli/resource/identity/requests.ts';
import * as collections from '../../shared/collections.ts';
import { rateOf, type Rate } from '../../shared/rate/hourly-cost.ts';
import { readHealth } from '../../shared/rate/read-health.ts';
import { readWorkers, rowsUnlessFailed } from '../../shared/rate/read-rate.ts';
import { SUMMARY, type Report } from './service-reports.ts';
import { costsOf, daysOf, KIND_REPORTS, type DayCost, type ResourceCost } from './costs.ts';
import type { Fleet } from './idle.ts';
import { idOf } from '../../../output/view.ts';

/** What the service says of the costs of a time and of the resources that are there. */
export interface Facts {
  readonly days: readonly DayCost[];
  readonly costs: readonly ResourceCost[];
  readonly fleet: Fleet;
  /** What the resources that are there cost an hour. */
  readonly rate: Rate;
  /** Names by id, also of what is gone and was listed on this machine. */
  readonly names: ReadonlyMap<string, string>;
  /** The ids of what cost something and is in its list no more. */
  readonly gone: ReadonlySet<string>;
  /** Lists that could not be read. */
  readonly missing: readonly string[];
}

/**
 * Reads the costs from `start` to `end` by resource, and those from `daysFrom` to `end` by day; `end` is the end of a day,
 * because the service refuses a time without length, which a day is at its first instant. Fails as the reports do; a list
 * of resources or a health that cannot be read is left out.
 */
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
    // With those of what is gone; the lists above added theirs.
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

/** The records of a billing report from one time to another, by days or hours. Fails as the list does. */
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
