/** What top has read of the account, and what it reads next. */
import type { CommandContext } from '../../cli/model/context.ts';
import { type RateFacts, readWorkers, rowsUnlessFailed } from '../account/rate.ts';
import { ENDPOINTS, PODS, VOLUMES } from '../../cli/resource/collections.ts';
import { listRows } from '../../cli/resource/pages.ts';
import { pauseOf } from '../../cli/until.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, rethrowUnlessFailure } from '../../core/failure.ts';
import { asId, isUsableId } from '../../core/ids.ts';
import { type Json, memberAt, numberAt, stringAt } from '../../core/json.ts';
import { type Milliseconds, MINUTE_MS } from '../../core/unit-types.ts';
import { idOf } from '../../output/view.ts';
import { healthRequest } from '../../queue/requests.ts';

export interface Shown {
  readonly pods: boolean;
  readonly endpoints: boolean;
}

export interface Sample {
  readonly row: Json;
  /** On the monotonic clock. */
  readonly at: Milliseconds;
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
  /** US dollars since midnight UTC, of the account or of only what is shown; undefined for a key that may not read it. */
  spent: { readonly byId: ReadonlyMap<string, number>; readonly total: number } | undefined;
  otherCosts: Omit<RateFacts, 'pods' | 'endpoints'> = { volumes: undefined, workers: new Map(), catalog: [] };
  /** By kind and id: the `runtime` of a pod, the health of an endpoint. */
  readonly samples = new Map<string, readonly Sample[]>();
  failures: readonly { readonly what: string; readonly failure: Failure }[] = [];
  /** Of the last reading without a failure. */
  readAt?: Milliseconds;
  /** Until the next reading; longer than wanted where a rate window is nearly used up. */
  intervalMs: Milliseconds = 0;
  readonly #readAt = new Map<string, Milliseconds>();

  constructor(shown: Shown) {
    this.shown = shown;
  }

  /** Reads what is due, and the health of eight endpoints, or of all. The first reading fails as its lists do. */
  async read(ctx: CommandContext, wantedMs: Milliseconds, healthAtMost = HEALTH_AT_ONCE): Promise<void> {
    const { shown } = this;
    this.failures = [];
    await Promise.all([
      shown.pods
        ? this.part(ctx, 'pods', 0, async () => {
            // One list has the use of all pods; those of clusters are requested (contract rules, Pods).
            const { values } = await listRows(ctx, PODS, { includeClusterPods: true });
            this.takePods(values, ctx.clock.monotonic());
          })
        : undefined,
      shown.endpoints
        ? this.part(ctx, 'endpoints', ENDPOINTS_EVERY_MS, async () => {
            this.endpoints = (await listRows(ctx, ENDPOINTS)).values;
          })
        : undefined,
      this.part(ctx, 'cost', COSTS_EVERY_MS, () => this.#readSpent(ctx)),
    ]);
    const failed = this.failures.find(({ what }) => what !== 'cost');
    if (failed !== undefined && this.intervalMs === 0) throw failed.failure;
    for (const ids = this.#queues().slice(0, healthAtMost); ids.length > 0;)
      await Promise.all(
        ids.splice(0, HEALTH_AT_ONCE).map((id) =>
          this.part(ctx, `health of ${id}`, 0, async () => {
            const { value = null } = await ctx.api.send(healthRequest(asId(id)));
            this.takeHealth(id, value, ctx.clock.monotonic());
          }),
        ),
      );
    const { endpoints } = this;
    if (endpoints !== undefined)
      await this.part(ctx, 'other costs', COSTS_EVERY_MS, async () => {
        const [volumes, workers] = await Promise.all([rowsUnlessFailed(ctx, VOLUMES), readWorkers(ctx, endpoints)]);
        this.otherCosts = { volumes, ...workers };
      });
    if (this.failures.length === 0) this.readAt = ctx.clock.monotonic();
    const count = endpoints?.length ?? 0;
    // Workers are requested once a minute.
    const workers = Math.ceil((count * wantedMs) / COSTS_EVERY_MS);
    this.intervalMs = await pauseOf(ctx, wantedMs, 1 + Math.min(count, HEALTH_AT_ONCE) + workers);
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

  /** Reads a part that is due. Its failure is its own. */
  async part(ctx: CommandContext, what: string, everyMs: Milliseconds, read: () => Promise<void>): Promise<void> {
    if (ctx.clock.monotonic() - (this.#readAt.get(what) ?? -Infinity) < everyMs) return;
    try {
      await read();
      this.#readAt.set(what, ctx.clock.monotonic());
    } catch (error) {
      rethrowUnlessFailure(error, ctx);
      this.failures = [...this.failures, { what, failure: error }];
    }
  }

  /** Longest waiting first. A load balancer has no queue (contract rules, Serverless). */
  #queues(): string[] {
    const readAt = (id: string): Milliseconds => this.#readAt.get(`health of ${id}`) ?? -1;
    return (this.endpoints ?? [])
      .filter((row) => stringAt(row, 'type') !== 'LOAD_BALANCER' && isUsableId(idOf(row)))
      .map(idOf)
      .sort((a, b) => readAt(a) - readAt(b));
  }

  /** Pods of a cluster are in no report of pods; volumes in that of all alone. */
  async #readSpent(ctx: CommandContext): Promise<void> {
    const { pods, endpoints } = this.shown;
    const today = new Date(await ctx.fetchServiceNow({ overHttp: true })).toISOString().slice(0, 10);
    const query = { startTime: `${today}T00:00:00Z`, bucketSize: 'day' };
    const records = async (...name: readonly string[]): Promise<readonly Json[]> =>
      (await listRows(ctx, { path: ['v2', 'billing', ...name], member: 'records' }, query)).values;
    try {
      const [ofPods, ofEndpoints, rest] = await Promise.all([
        pods ? records('pods') : [],
        endpoints ? records('serverless') : [],
        pods ? records(...(endpoints ? [] : ['clusters'])) : [],
      ]);
      const own = [...ofPods, ...ofEndpoints];
      const byId = new Map<string, number>();
      for (const record of own) {
        const id = stringAt(record, 'podId') ?? stringAt(record, 'serverlessId') ?? '';
        byId.set(id, (byId.get(id) ?? 0) + amountOf(record));
      }
      const counted = pods && endpoints ? rest : [...own, ...rest];
      this.spent = { byId, total: counted.reduce<number>((sum, record) => sum + amountOf(record), 0) };
    } catch (error) {
      if (!(error instanceof Failure) || error.exit !== EXIT.denied) throw error;
      this.spent = undefined;
    }
  }
}

const amountOf = (record: Json): number => numberAt(record, 'totalAmount') ?? 0;
