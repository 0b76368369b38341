/** What top has read of the account, and what it reads next. */
import type { CommandContext } from '../../cli/model/context.ts';
import { type RateFacts, readWorkers, rowsUnlessFailed } from '../../cli/rate.ts';
import { ENDPOINTS, PODS, VOLUMES } from '../../cli/resource/collections.ts';
import { listRows } from '../../cli/resource/requests.ts';
import { MIN_PAUSE_MS, pauseOf } from '../../cli/until.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, rethrowUnlessFailure } from '../../core/failure.ts';
import { asId, isUsableId } from '../../core/ids.ts';
import { type Json, memberAt, numberAt, stringAt } from '../../core/json.ts';
import { type Milliseconds, MINUTE_MS } from '../../core/unit-types.ts';
import { idOf, type Sample } from '../../output/view.ts';
import { healthRequest } from '../../queue/requests.ts';

export interface Shown {
  readonly pods: boolean;
  readonly endpoints: boolean;
}

/** US dollars since midnight UTC. */
interface Spent {
  /** Without pods of a cluster: the cluster is billed. */
  readonly byId: ReadonlyMap<string, number>;
  /** Of the account, or of only what `top` shows. */
  readonly total: number;
}

interface Part {
  readonly what: string;
  readonly everyMs?: Milliseconds;
  readonly read: () => Promise<void>;
}

/** The list changes rarely, and billing is slow. */
const ENDPOINTS_EVERY_MS: Milliseconds = 30_000;
const COSTS_EVERY_MS = MINUTE_MS;
const HEALTH_AT_ONCE = 8;
const MAX_SAMPLES = 60;

/** All times are monotonic. */
export class Fleet {
  readonly shown: Shown;
  pods?: readonly Json[];
  endpoints?: readonly Json[];
  /** Undefined also for a key that may not read it. */
  spent: Spent | undefined;
  otherCosts: Omit<RateFacts, 'pods' | 'endpoints'> = { volumes: undefined, workers: new Map(), gpus: [], cpus: [] };
  /** By kind and id: the `runtime` of a pod, the health of an endpoint. */
  readonly samples = new Map<string, readonly Sample[]>();
  failures: readonly { readonly what: string; readonly failure: Failure }[] = [];
  /** Of the last reading without a failure. */
  readAt?: Milliseconds;
  /** Until the next reading; longer than wanted where a rate window is nearly used up. */
  intervalMs: Milliseconds = 0;
  isPaced = false;
  readonly #readAt = new Map<string, Milliseconds>();
  #podPages = 1;

  constructor(shown: Shown) {
    this.shown = shown;
  }

  /** Reads what is due, and the health of eight endpoints, or of all. The first reading fails as its lists do. */
  async read(ctx: CommandContext, wantedMs: Milliseconds, healthAtMost = HEALTH_AT_ONCE): Promise<void> {
    const { pods, endpoints } = this.shown;
    this.failures = [];
    await this.#parts(ctx, [
      ...(pods ? [{ what: 'pods', read: () => this.#readPods(ctx) }] : []),
      ...(endpoints ? [{ what: 'endpoints', everyMs: ENDPOINTS_EVERY_MS, read: () => this.#readEndpoints(ctx) }] : []),
      { what: 'cost', everyMs: COSTS_EVERY_MS, read: () => this.#readSpent(ctx) },
    ]);
    const failed = this.failures.find(({ what }) => what !== 'cost');
    if (failed !== undefined && this.intervalMs === 0) throw failed.failure;
    for (const ids = this.#queues().slice(0, healthAtMost); ids.length > 0;)
      await this.#parts(
        ctx,
        ids.splice(0, HEALTH_AT_ONCE).map((id) => ({ what: `health of ${id}`, read: () => this.#readHealth(ctx, id) })),
      );
    if (this.endpoints !== undefined)
      await this.#parts(ctx, [
        { what: 'other costs', everyMs: COSTS_EVERY_MS, read: () => this.#readOtherCosts(ctx, this.endpoints ?? []) },
      ]);
    if (this.failures.length === 0) this.readAt = ctx.clock.monotonic();
    // Workers are requested once a minute.
    const count = this.endpoints?.length ?? 0;
    const workers = Math.ceil((count * wantedMs) / COSTS_EVERY_MS);
    const requests = (pods ? this.#podPages : 0) + Math.min(count, HEALTH_AT_ONCE) + workers;
    this.intervalMs = await pauseOf(ctx, wantedMs, Math.max(1, requests));
    this.isPaced = this.intervalMs > Math.max(wantedMs, MIN_PAUSE_MS);
  }

  takePods(rows: readonly Json[], at: Milliseconds): void {
    this.pods = rows;
    const listed = new Set(rows.map((row) => `pod ${idOf(row)}`));
    for (const key of this.samples.keys()) if (key.startsWith('pod ') && !listed.has(key)) this.samples.delete(key);
    for (const row of rows)
      this.#sample(`pod ${idOf(row)}`, { row: { runtime: memberAt(row, 'runtime') ?? null }, at });
  }

  takeHealth(id: string, row: Json, at: Milliseconds): void {
    this.#sample(`endpoint ${id}`, { row, at });
  }

  #sample(key: string, sample: Sample): void {
    this.samples.set(key, [...(this.samples.get(key) ?? []), sample].slice(-MAX_SAMPLES));
  }

  /** Those that are due. A failure belongs to its part. */
  async #parts(ctx: CommandContext, parts: readonly Part[]): Promise<void> {
    const now = ctx.clock.monotonic();
    const due = parts.filter(({ what, everyMs = 0 }) => now - (this.#readAt.get(what) ?? -Infinity) >= everyMs);
    await Promise.all(
      due.map(async ({ what, read }) => {
        try {
          await read();
          this.#readAt.set(what, ctx.clock.monotonic());
        } catch (error) {
          rethrowUnlessFailure(error, ctx);
          this.failures = [...this.failures, { what, failure: error }];
        }
      }),
    );
  }

  /** Longest waiting first. A load balancer has no queue (contract rules, Serverless). */
  #queues(): string[] {
    const readAt = (id: string): Milliseconds => this.#readAt.get(`health of ${id}`) ?? -1;
    return (this.endpoints ?? [])
      .filter((row) => stringAt(row, 'type') !== 'LOAD_BALANCER' && isUsableId(idOf(row)))
      .map(idOf)
      .sort((a, b) => readAt(a) - readAt(b));
  }

  /** One list has the use of all pods; those of clusters are requested (contract rules, Pods). */
  async #readPods(ctx: CommandContext): Promise<void> {
    const { values, pages } = await listRows(ctx, PODS, { includeClusterPods: true });
    this.#podPages = pages;
    this.takePods(values, ctx.clock.monotonic());
  }

  async #readEndpoints(ctx: CommandContext): Promise<void> {
    this.endpoints = (await listRows(ctx, ENDPOINTS)).values;
  }

  async #readHealth(ctx: CommandContext, id: string): Promise<void> {
    const { value = null } = await ctx.api.send(healthRequest(asId(id)));
    this.takeHealth(id, value, ctx.clock.monotonic());
  }

  /** Leaves out what cannot be read, and the rate says so. */
  async #readOtherCosts(ctx: CommandContext, endpoints: readonly Json[]): Promise<void> {
    const [volumes, workers] = await Promise.all([rowsUnlessFailed(ctx, VOLUMES), readWorkers(ctx, endpoints)]);
    this.otherCosts = { volumes, ...workers };
  }

  /** Since midnight UTC, of the account if all is shown. Pods of a cluster are in no report; volumes in that of all. */
  async #readSpent(ctx: CommandContext): Promise<void> {
    const { pods, endpoints } = this.shown;
    const today = new Date(await ctx.fetchServiceNow({ overHttp: true })).toISOString().slice(0, 10);
    const query = { startTime: `${today}T00:00:00Z`, bucketSize: 'day' };
    const records = async (isRead: boolean, ...name: readonly string[]): Promise<readonly Json[]> =>
      isRead ? (await listRows(ctx, { path: ['v2', 'billing', ...name], member: 'records' }, query)).values : [];
    try {
      const [ofPods, ofEndpoints, all, clusters] = await Promise.all([
        records(pods, 'pods'),
        records(endpoints, 'serverless'),
        records(pods && endpoints),
        records(pods && !endpoints, 'clusters'),
      ]);
      const own = [...ofPods, ...ofEndpoints];
      const byId = new Map<string, number>();
      for (const record of own) {
        const id = stringAt(record, 'podId') ?? stringAt(record, 'serverlessId') ?? '';
        byId.set(id, (byId.get(id) ?? 0) + amountOf(record));
      }
      const counted = pods && endpoints ? all : [...own, ...clusters];
      this.spent = { byId, total: counted.reduce<number>((sum, record) => sum + amountOf(record), 0) };
    } catch (error) {
      if (!(error instanceof Failure) || error.exit !== EXIT.denied) throw error;
      this.spent = undefined;
    }
  }
}

const amountOf = (record: Json): number => numberAt(record, 'totalAmount') ?? 0;
