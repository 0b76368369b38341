import { Failure } from '../../../core/failure.ts';
import { asId } from '../../../core/ids.ts';
import { type Json, stringAt } from '../../../core/json.ts';
import { formatTimestamp } from '../../../core/timestamp.ts';
import type { CommandContext } from '../../../cli/context.ts';
import type { Collection } from '../../../cli/resource/identity/collection.ts';
import { listRows } from '../../../cli/resource/read.ts';
import { healthRequest } from '../../../queue/requests.ts';
import * as collections from '../../shared/collections.ts';
import { SUMMARY, type Report } from '../reports.ts';
import { costsOf, daysOf, KIND_REPORTS, recordsOf, type DayCost, type ResourceCost } from './costs.ts';
import type { Fleet } from './idle.ts';

/** What the service says of the costs of a time and of the resources that are there. */
export interface Facts {
  readonly days: readonly DayCost[];
  readonly costs: readonly ResourceCost[];
  readonly fleet: Fleet;
  /** Names by id. */
  readonly names: ReadonlyMap<string, string>;
  /** Lists that could not be read. */
  readonly missing: readonly string[];
}

/** Endpoints whose health is asked for, at most: each takes a request. */
const MAX_HEALTH = 50;

/**
 * Reads the costs from `start` on by resource, and those from `daysFrom` on by day. Fails as the reports do; a list of
 * resources or a health that cannot be read is left out.
 */
export async function fetchFacts(ctx: CommandContext, start: number, daysFrom: number): Promise<Facts> {
  const [days, costs, pods, endpoints, volumes, clusters] = await Promise.all([
    readRecords(ctx, SUMMARY, daysFrom).then(daysOf),
    Promise.all(
      KIND_REPORTS.map(async ({ kind, report }) => costsOf(kind, report, await readRecords(ctx, report, start))),
    ),
    rowsOrNone(ctx, collections.PODS),
    rowsOrNone(ctx, collections.ENDPOINTS),
    rowsOrNone(ctx, collections.VOLUMES),
    rowsOrNone(ctx, collections.CLUSTERS),
  ]);
  const lists = { pods, endpoints, volumes, clusters };
  return {
    days,
    costs: costs.flat(),
    fleet: { pods, endpoints, volumes, health: await readHealth(ctx, endpoints ?? []) },
    names: new Map(
      Object.values(lists).flatMap((rows) =>
        (rows ?? []).map((row) => [stringAt(row, 'id') ?? '', stringAt(row, 'name') ?? ''] as const),
      ),
    ),
    missing: Object.entries(lists).flatMap(([name, rows]) => (rows === undefined ? [name] : [])),
  };
}

async function readRecords(ctx: CommandContext, report: Report, start: number): Promise<readonly Json[]> {
  const answer = await ctx.api.send({
    service: 'base',
    method: 'GET',
    path: report.path,
    query: { startTime: formatTimestamp(start), bucketSize: 'day' },
    expects: { list: 'records' },
  });
  return recordsOf(answer.value ?? null);
}

const rowsOrNone = (ctx: CommandContext, lookup: Collection): Promise<readonly Json[] | undefined> =>
  orNone(ctx, async () => (await listRows(ctx, lookup, lookup.lookupQuery)).values);

async function readHealth(ctx: CommandContext, endpoints: readonly Json[]): Promise<ReadonlyMap<string, Json>> {
  const found = await Promise.all(
    endpoints.slice(0, MAX_HEALTH).map(async (endpoint) => {
      const id = stringAt(endpoint, 'id') ?? '';
      return [id, id === '' ? undefined : await orNone(ctx, () => ctx.api.send(healthRequest(asId(id))))] as const;
    }),
  );
  return new Map(found.map(([id, answer]) => [id, answer?.value ?? null]));
}

/** A report is worth having without names and without what is idle. */
async function orNone<T>(ctx: CommandContext, read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (ctx.signal.aborted || !(error instanceof Failure)) throw error;
    return undefined;
  }
}
