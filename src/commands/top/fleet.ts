/** What top has read of the account, and what it reads next. */
import type { CommandContext } from '../../cli/model/context.ts';
import { readWorkers, rowsUnlessFailed } from '../../cli/money/account-line.ts';
import type { RateFacts } from '../../cli/money/hourly-cost.ts';
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

/** `at` is monotonic. */
interface Reading<T> {
  readonly value: T;
  readonly at: Milliseconds;
}

/** US dollars since midnight UTC. */
interface Spent {
  /** Without pods of a cluster: the cluster is billed. */
  readonly byId: ReadonlyMap<string, number>;
  /** Of the account, or of only what `top` shows. */
  readonly total: number;
}

type Part = readonly [what: string, read: () => Promise<void>];

/** The list changes rarely, and billing is slow. */
const ENDPOINTS_EVERY_MS: Milliseconds = 30_000;
const COSTS_EVERY_MS = MINUTE_MS;
const HEALTH_AT_ONCE = 8;
/** Of many endpoints, those with jobs are read more often. */
const ACTIVE_WEIGHT = 4;
const MAX_SAMPLES = 60;
/** Bounds the memory of a long list. */
const MAX_REMEMBERED = 500;

export class Fleet {
  readonly shown: Shown;
  pods?: Reading<readonly Json[]>;
  endpoints?: Reading<readonly Json[]>;
  /** Inner undefined: the key may not read it. */
  spent?: Reading<Spent | undefined>;
  otherCosts?: Reading<Omit<RateFacts, 'pods' | 'endpoints'>>;
  /** By pod id; samples have only `runtime`. */
  use = new Map<string, readonly Sample[]>();
  readonly health = new Map<string, readonly Sample[]>();
  readonly #asked = new Map<string, Milliseconds>();
  #podPages = 1;
  failures: readonly { readonly what: string; readonly failure: Failure }[] = [];
  /** Until the next reading; longer than wanted where a rate window is nearly used up. */
  intervalMs: Milliseconds = 0;
  isPaced = false;

  constructor(shown: Shown) {
    this.shown = shown;
  }

  /** Reads what is due. A failure belongs to its part, but for the first reading of all. */
  async read(ctx: CommandContext, wantedMs: Milliseconds): Promise<void> {
    const { pods, endpoints } = this.shown;
    const now = ctx.clock.monotonic();
    const isOld = (last: Reading<unknown> | undefined, everyMs: Milliseconds): boolean =>
      last === undefined || now - last.at >= everyMs;
    this.failures = [];
    await this.#parts(ctx, [
      ...(pods ? [['pods', () => this.#readPods(ctx)] as const] : []),
      ...(endpoints && isOld(this.endpoints, ENDPOINTS_EVERY_MS)
        ? [['endpoints', () => this.#readEndpoints(ctx)] as const]
        : []),
      ...(isOld(this.spent, COSTS_EVERY_MS) ? [['cost', () => this.#readSpent(ctx)] as const] : []),
    ]);
    const [failed] = this.failures;
    if (failed !== undefined && this.pods === undefined && this.endpoints === undefined) throw failed.failure;
    if (endpoints && this.endpoints !== undefined) {
      const costs: readonly Part[] = isOld(this.otherCosts, COSTS_EVERY_MS)
        ? [['cost', () => this.#readOtherCosts(ctx)]]
        : [];
      await this.#parts(ctx, [...this.#healthParts(ctx, this.dueHealth(now)), ...costs]);
    }
    // Workers are requested once a minute.
    const count = this.endpoints?.value.length ?? 0;
    const workers = Math.ceil((count * wantedMs) / COSTS_EVERY_MS);
    const requests = (pods ? this.#podPages : 0) + Math.min(count, HEALTH_AT_ONCE) + workers;
    this.intervalMs = await pauseOf(ctx, wantedMs, Math.max(1, requests));
    this.isPaced = this.intervalMs > Math.max(wantedMs, MIN_PAUSE_MS);
  }

  /** Lists, then every queue. Fails as a list does. */
  async readAll(ctx: CommandContext): Promise<void> {
    await this.read(ctx, 0);
    const failed = this.failures.find(({ what }) => what === 'pods' || what === 'endpoints');
    if (failed !== undefined) throw failed.failure;
    const next = (): readonly string[] =>
      this.dueHealth(0)
        .filter((id) => !this.#asked.has(id))
        .slice(0, HEALTH_AT_ONCE);
    for (let ids = next(); ids.length > 0; ids = next()) await this.#parts(ctx, this.#healthParts(ctx, ids));
  }

  /** Queues, longest waiting first. A load balancer has none (contract rules, Serverless). */
  dueHealth(now: Milliseconds): readonly string[] {
    const ids = (this.endpoints?.value ?? [])
      .filter((row) => stringAt(row, 'type') !== 'LOAD_BALANCER' && isUsableId(idOf(row)))
      .map(idOf);
    const urgency = (id: string): number => {
      const last = this.health.get(id)?.at(-1)?.row;
      const isActive = ['jobs.inQueue', 'jobs.inProgress'].some((path) => (numberAt(last, path) ?? 0) > 0);
      return (now - (this.#asked.get(id) ?? -Infinity) + 1) * (isActive ? ACTIVE_WEIGHT : 1);
    };
    const bySize = (a: string, b: string): number => (urgency(b) === urgency(a) ? 0 : urgency(b) - urgency(a));
    return [...ids].sort(bySize);
  }

  takePods(rows: readonly Json[], at: Milliseconds): void {
    this.pods = { value: rows, at };
    const use = rows.slice(0, MAX_REMEMBERED).map((row) => {
      const sample = { row: { runtime: memberAt(row, 'runtime') ?? null }, at };
      return [idOf(row), added(this.use.get(idOf(row)), sample)] as const;
    });
    this.use = new Map(use);
  }

  takeHealth(id: string, row: Json, at: Milliseconds): void {
    this.health.set(id, added(this.health.get(id), { row, at }));
  }

  async #parts(ctx: CommandContext, parts: readonly Part[]): Promise<void> {
    await Promise.all(
      parts.map(async ([what, read]) => {
        try {
          await read();
        } catch (error) {
          rethrowUnlessFailure(error, ctx);
          this.failures = [...this.failures, { what, failure: error }];
        }
      }),
    );
  }

  /** One list has the use of all pods; those of clusters are requested (contract rules, Pods). */
  async #readPods(ctx: CommandContext): Promise<void> {
    const { values, sources } = await listRows(ctx, PODS, { includeClusterPods: true });
    this.#podPages = sources.length;
    this.takePods(values, ctx.clock.monotonic());
  }

  async #readEndpoints(ctx: CommandContext): Promise<void> {
    const { values } = await listRows(ctx, ENDPOINTS);
    this.endpoints = { value: values, at: ctx.clock.monotonic() };
  }

  #healthParts(ctx: CommandContext, ids: readonly string[]): readonly Part[] {
    return ids.slice(0, HEALTH_AT_ONCE).map((id) => [
      `health of ${id}`,
      async () => {
        this.#asked.set(id, ctx.clock.monotonic());
        const { value = null } = await ctx.api.send(healthRequest(asId(id)));
        this.takeHealth(id, value, ctx.clock.monotonic());
      },
    ]);
  }

  /** Leaves out what cannot be read, and the rate says so. */
  async #readOtherCosts(ctx: CommandContext): Promise<void> {
    const [volumes, workers] = await Promise.all([
      rowsUnlessFailed(ctx, VOLUMES),
      readWorkers(ctx, this.endpoints?.value ?? []),
    ]);
    this.otherCosts = { value: { volumes, ...workers }, at: ctx.clock.monotonic() };
  }

  /** Since midnight UTC, of the account if all is shown. Undefined for a key that may not read it (403). */
  async #readSpent(ctx: CommandContext): Promise<void> {
    const { shown } = this;
    const today = new Date(await ctx.fetchServiceNow({ overHttp: true })).toISOString().slice(0, 10);
    const query = { startTime: `${today}T00:00:00Z`, bucketSize: 'day' };
    const records = async (isRead: boolean, ...name: readonly string[]): Promise<readonly Json[]> =>
      isRead ? (await listRows(ctx, { path: ['v2', 'billing', ...name], member: 'records' }, query)).values : [];
    const isEverything = shown.pods && shown.endpoints;
    let value: Spent | undefined;
    try {
      // Pods of a cluster are in no report. The report of everything includes volumes.
      const [pods, endpoints, all, clusters] = await Promise.all([
        records(shown.pods, 'pods'),
        records(shown.endpoints, 'serverless'),
        records(isEverything),
        records(shown.pods && !isEverything, 'clusters'),
      ]);
      const byId = new Map<string, number>();
      for (const record of [...pods, ...endpoints]) {
        const id = stringAt(record, 'podId') ?? stringAt(record, 'serverlessId') ?? '';
        byId.set(id, (byId.get(id) ?? 0) + amountOf(record));
      }
      const counted = isEverything ? all : [...pods, ...endpoints, ...clusters];
      value = { byId, total: counted.reduce<number>((sum, record) => sum + amountOf(record), 0) };
    } catch (error) {
      if (!(error instanceof Failure) || error.exit !== EXIT.denied) throw error;
    }
    this.spent = { value, at: ctx.clock.monotonic() };
  }
}

const amountOf = (record: Json): number => numberAt(record, 'totalAmount') ?? 0;

const added = (before: readonly Sample[] = [], sample: Sample): readonly Sample[] =>
  [...before, sample].slice(-MAX_SAMPLES);
