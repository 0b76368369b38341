import type { CommandContext } from '../../cli/model/context.ts';
import { readWorkers, rowsUnlessFailed } from '../../cli/money/account-line.ts';
import { ENDPOINTS, PODS, VOLUMES } from '../../cli/resource/collections.ts';
import { listRows } from '../../cli/resource/requests.ts';
import { MIN_PAUSE_MS, pauseOf } from '../../cli/until.ts';
import { EMPTY_FLEET, type Fleet, fleetAfter, type Read, spentById } from './fleet.ts';
import { COSTS_EVERY_MS, type Due, dueReads, HEALTH_PER_TICK, type Shown } from './schedule.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import { asId } from '../../core/ids.ts';
import { type Json, numberAt } from '../../core/json.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import { healthRequest } from '../../queue/requests.ts';

interface Tick {
  readonly reads: readonly Read[];
  readonly failures: readonly { readonly what: string; readonly failure: Failure }[];
}

/** In parallel, failures are independent. Rethrows interrupts and non-Failures. */
async function readTick(ctx: CommandContext, due: Due, shown: Shown, endpoints: readonly Json[]): Promise<Tick> {
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

/** One list has the use of all pods; those of clusters are requested (contract rules, Pods). */
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

/** Leaves out what cannot be read, and the rate says so. */
async function readOtherCosts(ctx: CommandContext, endpoints: readonly Json[]): Promise<Read> {
  const [volumes, workers] = await Promise.all([rowsUnlessFailed(ctx, VOLUMES), readWorkers(ctx, endpoints)]);
  return { kind: 'other-costs', costs: { volumes, ...workers }, at: ctx.clock.monotonic() };
}

/** Since midnight UTC, of the account if all is shown. Undefined for a key that may not read it (403). */
async function readSpent(ctx: CommandContext, shown: Shown): Promise<Read> {
  const today = new Date(await ctx.fetchServiceNow({ overHttp: true })).toISOString().slice(0, 10);
  const query = { startTime: `${today}T00:00:00Z`, bucketSize: 'day' };
  const records = async (...name: readonly string[]): Promise<readonly Json[]> =>
    (await listRows(ctx, { path: ['v2', 'billing', ...name], member: 'records' }, query)).values;
  const isEverything = shown.pods && shown.endpoints;
  const nothing = Promise.resolve([]);
  try {
    // Pods of a cluster are in no report. The report of everything includes volumes.
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

export interface Session {
  readonly fleet: Fleet;
  /** Between two ticks. */
  readonly intervalMs: Milliseconds;
  /** Longer interval than requested, to spare a rate window. */
  readonly isPaced: boolean;
  readonly failures: Tick['failures'];
}

export const FIRST_SESSION: Session = { fleet: EMPTY_FLEET, intervalMs: 0, isPaced: false, failures: [] };

const NOTHING_DUE: Due = { pods: false, endpoints: false, spent: false, otherCosts: false, health: [] };

const rowsOf = ({ endpoints }: Fleet): readonly Json[] => endpoints?.value ?? [];

/** Leaves half of each rate window to other commands. Fails as a request until something was read. */
export async function nextTick(
  ctx: CommandContext,
  session: Session,
  shown: Shown,
  wantedMs: Milliseconds,
): Promise<Session> {
  const due = dueReads(session.fleet, shown, ctx.clock.monotonic());
  const tick = await readTick(ctx, due, shown, rowsOf(session.fleet));
  let fleet = tick.reads.reduce(fleetAfter, session.fleet);
  if (session.fleet.endpoints === undefined && fleet.endpoints !== undefined) {
    // The first tick learns only now which endpoints exist.
    const { health, otherCosts } = dueReads(fleet, shown, ctx.clock.monotonic());
    const more = await readTick(ctx, { ...NOTHING_DUE, health, otherCosts }, shown, rowsOf(fleet));
    fleet = more.reads.reduce(fleetAfter, fleet);
  }
  const [failed] = tick.failures;
  if (failed !== undefined && fleet.pods === undefined && fleet.endpoints === undefined) throw failed.failure;
  const queues = dueReads(fleet, shown, Infinity).health.length;
  // Workers are requested once a minute.
  const workers = shown.endpoints ? Math.ceil((rowsOf(fleet).length * wantedMs) / COSTS_EVERY_MS) : 0;
  const requests = (shown.pods ? fleet.podPages : 0) + Math.min(queues, HEALTH_PER_TICK) + workers;
  const intervalMs = await pauseOf(ctx, wantedMs, Math.max(1, requests));
  return { fleet, intervalMs, isPaced: intervalMs > Math.max(wantedMs, MIN_PAUSE_MS), failures: tick.failures };
}

/** Lists, then health, eight at a time. Fails as any request does. */
export async function readAll(ctx: CommandContext, shown: Shown): Promise<Fleet> {
  const read = async (fleet: Fleet, due: Due): Promise<Fleet> => {
    const { reads, failures } = await readTick(ctx, due, shown, rowsOf(fleet));
    const [failed] = failures.filter(({ what }) => what === 'pods' || what === 'endpoints');
    if (failed !== undefined) throw failed.failure;
    return reads.reduce(fleetAfter, fleet);
  };
  let fleet = await read(EMPTY_FLEET, dueReads(EMPTY_FLEET, shown, 0));
  const started = ctx.clock.monotonic();
  const asked = new Set<string>();
  for (;;) {
    const due = dueReads(fleet, shown, started);
    const health = due.health.filter((id) => !asked.has(id));
    const otherCosts = due.otherCosts && fleet.otherCosts === undefined;
    if (health.length === 0 && !otherCosts) return fleet;
    for (const id of health) asked.add(id);
    fleet = await read(fleet, { ...NOTHING_DUE, health, otherCosts });
  }
}
