import { EXIT } from '../../../core/exit-codes.ts';
import { readRequest, type ApiRequest } from '../../../core/api.ts';
import type { Id } from '../../../core/ids.ts';
import { itemsAt, type Json, memberAt, numberAt, stringAt } from '../../../core/json.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { healthRequest } from '../../../queue/requests.ts';
import { hasFailed, wasCancelled } from '../builds.ts';
import { ENDPOINTS, VOLUMES } from '../collections.ts';
import { readFact, readLastLine, readLastLineThat, valueOf, type Fact } from './facts.ts';
import { isReason } from './service-causes.ts';
import { wantedByEndpoint } from './stock.ts';
import { rowRequest, listRequest } from '../../../cli/resource/identity/requests.ts';

/** What is known about an endpoint. A fact that was not needed is absent. */
export interface EndpointFacts {
  readonly id: string;
  readonly endpoint: Fact;
  readonly workers: Fact;
  readonly health: Fact;
  /** What the service builds for it; an older service has no such list. */
  readonly builds: Fact;
  /** The catalog, and the volumes that decide where workers run: read when no worker can take a job. */
  readonly catalog?: Fact | undefined;
  readonly volumes?: Fact | undefined;
  /** What the logs of a worker that has crashed say. */
  readonly crash?:
    | {
        readonly worker: string;
        /** The line of the system log that says how it ended. */
        readonly end: Fact<string | undefined>;
        /** The last line of its container. */
        readonly line: Fact<string | undefined>;
        /** The file or command line that is the worker, on the local service. */
        readonly program: string | undefined;
      }
    | undefined;
  /** The health after a while, to estimate how fast jobs end. */
  readonly later?: { readonly health: Fact; readonly afterMs: number } | undefined;
}

/**
 * Reads the facts that decide whether an endpoint's jobs run: four requests, and after them only those that the
 * answers make necessary. `sampleMs` is how long the queue is watched when jobs wait; 0 for not at all. Fails as its
 * first request does when nothing about the endpoint could be read, unless the failure is a reason itself.
 */
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
    // The endpoint may be none of the account's: a public model has a queue only.
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

/** Whether a line of a system log says how a container or a process ended. */
const saysHowItEnded = (line: string): boolean =>
  /\bcrashed\b|\bexit(ed)?\b.*\bcode\b|\b(SIG[A-Z]{2,}|OOM)\b|\bsignal \d|\bout of memory\b/.test(line);

/** The program that the local service names in the place of an image. No image has a space in its name. */
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

/** The rows of the list of workers; none when it was not read. */
export const rowsOf = (workers: Fact): readonly Json[] => itemsAt(valueOf(workers), 'workers');

/** The newest build that was not cancelled, where it has failed: builds are listed newest first (additions 1). */
export function failedBuild({ builds }: EndpointFacts): Json | undefined {
  const latest = itemsAt(valueOf(builds), 'builds').find((build) => !wasCancelled(build));
  return latest !== undefined && hasFailed(latest) ? latest : undefined;
}

const hasVolumes = (endpoint: Fact): boolean => itemsAt(valueOf(endpoint), 'networkVolumes').length > 0;

/** True when missing stock may be the reason: workers are allowed, and there is none that can run jobs now or soon. */
const needsStock = (facts: EndpointFacts): boolean =>
  facts.workers.known && maxWorkers(facts) !== 0 && !hasUsableWorker(facts);

/** The maximum number of workers; undefined when it is not known. */
export const maxWorkers = ({ endpoint }: EndpointFacts): number | undefined =>
  numberAt(valueOf(endpoint), 'workers.max');

export const isLoadBalancer = ({ endpoint }: EndpointFacts): boolean =>
  memberAt(valueOf(endpoint), 'type') === 'LOAD_BALANCER';

/** A count of the queue's health (specification 4.5); 0 when it is not known. */
export const jobCount = ({ health }: Pick<EndpointFacts, 'health'>, name: string): number =>
  numberAt(valueOf(health), `jobs.${name}`) ?? 0;

/** How many workers have a status, from the list of workers or, when that was not read, from the queue's health. */
export const workerCount = ({ workers, health }: EndpointFacts, status: string): number =>
  numberAt(valueOf(workers), `summary.${status}`) ?? numberAt(valueOf(health), `workers.${status}`) ?? 0;

/** True when a worker runs jobs, waits for one, or starts. */
export const hasUsableWorker = (facts: EndpointFacts): boolean =>
  ['running', 'idle', 'initializing'].some((status) => workerCount(facts, status) > 0);
