import { EXIT } from '../../../core/exit-codes.ts';
import { Failure } from '../../../core/failure.ts';
import { asId } from '../../../core/ids.ts';
import { type Json, numberAt } from '../../../core/json.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { healthRequest } from '../../../queue/requests.ts';
import { ENDPOINTS, PODS, VOLUMES } from '../../shared/collections.ts';
import { readWorkers, rowsUnlessFailed } from '../../shared/rate/read-rate.ts';
import { spentById, type Read } from '../model/fleet.ts';
import type { Due, Shown } from '../model/schedule.ts';
import { listRows } from '../../../cli/resource/identity/requests.ts';

/** What the requests of one tick gave. */
export interface Tick {
  readonly reads: readonly Read[];
  /** Why requests failed: `pods: connection refused`. */
  readonly failures: readonly { readonly what: string; readonly failure: Failure }[];
}

/**
 * Sends the requests of one tick together. `endpoints` are those whose workers are read. A failure does not keep the others from being read. An interrupt and what is
 * no Failure are thrown.
 */
export async function readTick(ctx: CommandContext, due: Due, shown: Shown, endpoints: readonly Json[]): Promise<Tick> {
  const jobs: readonly (readonly [what: string, work: () => Promise<Read>])[] = [
    ...(due.pods ? [['pods', () => readList(ctx, 'pods')] as const] : []),
    ...(due.endpoints ? [['endpoints', () => readList(ctx, 'endpoints')] as const] : []),
    ...(due.spent ? [['cost', () => readSpent(ctx, shown)] as const] : []),
    ...(due.otherCosts ? [['cost', () => readOtherCosts(ctx, endpoints)] as const] : []),
    ...due.health.map((id) => [healthOf(id), () => readHealth(ctx, id)] as const),
  ];
  const settled = await Promise.allSettled(jobs.map(([, work]) => work()));
  const failures = settled.flatMap((each, at) => {
    if (each.status === 'fulfilled') return [];
    if (ctx.signal.aborted || !(each.reason instanceof Failure)) throw each.reason;
    return [{ what: jobs[at]?.[0] ?? '', failure: each.reason }];
  });
  const unanswered = due.health.filter((id) => failures.some(({ what }) => what === healthOf(id)));
  const at = ctx.clock.monotonic();
  return {
    reads: [
      ...settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : [])),
      ...unanswered.map((id): Read => ({ kind: 'no-health', id, at })),
    ],
    failures,
  };
}

const healthOf = (id: string): string => `health of ${id}`;

/** All pods have their use in one list; those of clusters are asked for (contract rules, Pods). */
async function readList(ctx: CommandContext, kind: 'pods' | 'endpoints'): Promise<Read> {
  const { values: rows, sources } = await (kind === 'pods'
    ? listRows(ctx, PODS, { includeClusterPods: true })
    : listRows(ctx, ENDPOINTS));
  return { kind, rows, pages: sources.length, at: ctx.clock.monotonic() };
}

async function readHealth(ctx: CommandContext, id: string): Promise<Read> {
  const { value = null } = await ctx.api.send(healthRequest(asId(id)));
  return { kind: 'health', id, document: value, at: ctx.clock.monotonic() };
}

/** What the rate is computed from beside pods and endpoints. What cannot be read is left out, and the rate says so. */
async function readOtherCosts(ctx: CommandContext, endpoints: readonly Json[]): Promise<Read> {
  const [volumes, workers] = await Promise.all([rowsUnlessFailed(ctx, VOLUMES), readWorkers(ctx, endpoints)]);
  return { kind: 'other-costs', costs: { volumes, ...workers }, at: ctx.clock.monotonic() };
}

/**
 * What was billed since midnight UTC for what is shown; for the whole account where everything is. A key that may not read it
 * (403) gives none.
 */
async function readSpent(ctx: CommandContext, shown: Shown): Promise<Read> {
  const today = new Date(await ctx.fetchServiceNow({ overHttp: true })).toISOString().slice(0, 10);
  const query = { startTime: `${today}T00:00:00Z`, bucketSize: 'day' };
  const records = async (...name: readonly string[]): Promise<readonly Json[]> =>
    (await listRows(ctx, { path: ['v2', 'billing', ...name], member: 'records' }, query)).values;
  const isEverything = shown.pods && shown.endpoints;
  const nothing = Promise.resolve([]);
  try {
    // A cluster is billed as one, and its pods are in no report. The report of everything has volumes too.
    const [pods, endpoints, others] = await Promise.all([
      shown.pods ? records('pods') : nothing,
      shown.endpoints ? records('serverless') : nothing,
      isEverything ? records() : shown.pods ? records('clusters') : nothing,
    ]);
    const total = totalOf(isEverything ? others : [...pods, ...endpoints, ...others]);
    const byId = new Map([...spentById(pods, 'podId'), ...spentById(endpoints, 'serverlessId')]);
    return { kind: 'spent', spent: { byId, total }, at: ctx.clock.monotonic() };
  } catch (error) {
    if (!(error instanceof Failure) || error.exit !== EXIT.denied) throw error;
    return { kind: 'spent', spent: undefined, at: ctx.clock.monotonic() };
  }
}

const totalOf = (records: readonly Json[]): number =>
  records.reduce<number>((sum, record) => sum + (numberAt(record, 'totalAmount') ?? 0), 0);
