/** The statuses of builds (additions 9). */

import type { CommandContext } from '../../cli/model/context.ts';
import { ENDPOINTS, VOLUMES } from '../../cli/resource/collections.ts';
import { listRequest, rowRequest } from '../../cli/resource/requests.ts';
import { wantedByEndpoint } from './stock.ts';
import { type Fact, isReason, readFact, readLastLine, readLastLineThat, valueOf } from './verdict.ts';
import { type ApiRequest, readRequest } from '../../core/api.ts';
import { EXIT } from '../../core/exit-codes.ts';
import type { Id } from '../../core/ids.ts';
import { itemsAt, type Json, memberAt, numberAt, stringAt } from '../../core/json.ts';
import { healthRequest } from '../../queue/requests.ts';

const LIVE = ['PENDING', 'BUILDING', 'UPLOADING', 'TESTING'];
const FAILED = ['FAILED', 'TEST_FAILED'];
const FINAL = ['COMPLETED', 'CANCELLED', ...FAILED];

export const BUILD_STATUSES: readonly string[] = [...LIVE, ...FINAL];

const statusOf = (build: Json): string => stringAt(build, 'status') ?? '';

/** An unknown status may still change. */
export const isFinal = (build: Json): boolean => FINAL.includes(statusOf(build));

export const hasFailed = (build: Json): boolean => FAILED.includes(statusOf(build));

export const wasCancelled = (build: Json): boolean => statusOf(build) === 'CANCELLED';

/** Facts that were not needed are absent. */
export interface EndpointFacts {
  readonly id: string;
  readonly endpoint: Fact;
  readonly workers: Fact;
  readonly health: Fact;
  /** Older services have no such list. */
  readonly builds: Fact;
  /** Read only if no worker can take a job. */
  readonly catalog?: Fact | undefined;
  readonly volumes?: Fact | undefined;
  readonly crash?:
    | {
        readonly worker: string;
        readonly end: Fact<string | undefined>;
        readonly line: Fact<string | undefined>;
        readonly program: string | undefined;
      }
    | undefined;
  readonly later?: { readonly health: Fact; readonly afterMs: number } | undefined;
}

/** Four requests, then only needed ones. `sampleMs`: 0 for no sampling. Fails if nothing could be read. */
export async function readEndpointFacts(
  ctx: CommandContext,
  id: Id<'endpoint'>,
  sampleMs: number,
): Promise<EndpointFacts> {
  const [endpoint, workers, health, builds] = await Promise.all([
    readFact(ctx, rowRequest(ENDPOINTS, id)),
    readFact(ctx, listRequest({ path: [...ENDPOINTS.path, id, 'workers'], member: 'workers' })),
    readFact(ctx, healthRequest(id)),
    readFact(ctx, listRequest({ path: [...ENDPOINTS.path, id, 'builds'], member: 'builds' })),
  ]);
  if (!endpoint.known && !health.known && !isReason(endpoint) && !isReason(health)) {
    // A public model has only a queue and is not in the account.
    throw health.failure.exit === EXIT.notFound ? endpoint.failure : health.failure;
  }
  const first = { id, endpoint, workers, health, builds };
  const [catalog, volumes, crash, later] = await Promise.all([
    needsStock(first) ? readCatalog(ctx, valueOf(endpoint) ?? null) : undefined,
    needsStock(first) && hasVolumes(endpoint) ? readFact(ctx, listRequest(VOLUMES)) : undefined,
    readCrash(ctx, id, workers),
    jobCount(first, 'inQueue') > 0 && workerCount(first, 'running') > 0 ? readLater(ctx, id, sampleMs) : undefined,
  ]);
  return { ...first, catalog, volumes, crash, later };
}

const readCatalog = (ctx: CommandContext, endpoint: Json): Promise<Fact> | undefined => {
  const request: ApiRequest | undefined = wantedByEndpoint(endpoint)?.request;
  return request === undefined ? undefined : readFact(ctx, request);
};

async function readCrash(ctx: CommandContext, id: string, workers: Fact): Promise<EndpointFacts['crash']> {
  const crashed = rowsOf(workers).find((row) => memberAt(row, 'status') === 'UNHEALTHY');
  const worker = stringAt(crashed, 'id');
  if (worker === undefined) return undefined;
  const path = [...ENDPOINTS.path, id, 'workers', worker, 'logs'];
  const [end, line] = await Promise.all([
    readLastLineThat(ctx, readRequest(path, { query: { source: 'system' } }), saysHowItEnded),
    readLastLine(ctx, readRequest(path, { query: { source: 'container' } })),
  ]);
  return { worker, end, line, program: programOf(stringAt(crashed, 'image')) };
}

const saysHowItEnded = (line: string): boolean =>
  /\bcrashed\b|\bexit(ed)?\b.*\bcode\b|\b(SIG[A-Z]{2,}|OOM)\b|\bsignal \d|\bout of memory\b/.test(line);

/** The local service puts its program there: image names have no spaces. */
const programOf = (image: string | undefined): string | undefined => /^local: (.+)$/s.exec(image ?? '')?.[1];

async function readLater(
  ctx: CommandContext,
  id: Id<'endpoint'>,
  sampleMs: number,
): Promise<EndpointFacts['later'] | undefined> {
  if (sampleMs === 0) return undefined;
  const start = ctx.clock.monotonic();
  await ctx.clock.sleep(sampleMs, ctx.signal);
  const health = await readFact(ctx, healthRequest(id));
  return { health, afterMs: ctx.clock.monotonic() - start };
}

export const rowsOf = (workers: Fact): readonly Json[] => itemsAt(valueOf(workers), 'workers');

/** Builds are listed newest first (additions 1); cancelled ones are skipped. */
export function failedBuild({ builds }: EndpointFacts): Json | undefined {
  const latest = itemsAt(valueOf(builds), 'builds').find((build) => !wasCancelled(build));
  return latest !== undefined && hasFailed(latest) ? latest : undefined;
}

const hasVolumes = (endpoint: Fact): boolean => itemsAt(valueOf(endpoint), 'networkVolumes').length > 0;

const needsStock = (facts: EndpointFacts): boolean =>
  facts.workers.known && maxWorkers(facts) !== 0 && !hasUsableWorker(facts);

export const maxWorkers = ({ endpoint }: EndpointFacts): number | undefined =>
  numberAt(valueOf(endpoint), 'workers.max');

export const isLoadBalancer = ({ endpoint }: EndpointFacts): boolean =>
  memberAt(valueOf(endpoint), 'type') === 'LOAD_BALANCER';

/** 0 if unknown (specification 4.5). */
export const jobCount = ({ health }: Pick<EndpointFacts, 'health'>, name: string): number =>
  numberAt(valueOf(health), `jobs.${name}`) ?? 0;

/** From the list of workers, else from the queue's health. */
export const workerCount = ({ workers, health }: EndpointFacts, status: string): number =>
  numberAt(valueOf(workers), `summary.${status}`) ?? numberAt(valueOf(health), `workers.${status}`) ?? 0;

export const hasUsableWorker = (facts: EndpointFacts): boolean =>
  ['running', 'idle', 'initializing'].some((status) => workerCount(facts, status) > 0);

export type WorkerNotes = readonly { readonly worker: string; readonly line: Fact<string | undefined> }[];

/** The service does not say which worker has a job. */
const MAX_LOGS = 5;

/** Only busy workers, at most five. */
export async function readWorkerNotes(
  ctx: CommandContext,
  { id, workers }: EndpointFacts,
  isWanted: (line: string) => boolean,
): Promise<WorkerNotes> {
  const busy = rowsOf(workers).filter((row) => memberAt(row, 'status') === 'RUNNING');
  return Promise.all(
    busy.slice(0, MAX_LOGS).map(async (row) => {
      const worker = stringAt(row, 'id') ?? '';
      const path = [...ENDPOINTS.path, id, 'workers', worker, 'logs'];
      const system = readRequest(path, { query: { source: 'system' } });
      return { worker, line: await readLastLineThat(ctx, system, isWanted) };
    }),
  );
}

export const saysNoResult = (line: string): boolean => /\bno result\b|\bresult\b.*\brefused\b/.test(line);

export const noResult = (notes: WorkerNotes): { readonly worker: string; readonly line: string } | undefined =>
  notes.map(({ worker, line }) => ({ worker, line: valueOf(line) ?? '' })).find(({ line }) => saysNoResult(line));
