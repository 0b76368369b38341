import { countOf } from '../../cli/words.ts';
import {
  type EndpointFacts,
  failedBuild,
  hasUsableWorker,
  isLoadBalancer,
  jobCount,
  maxWorkers,
  workerCount,
} from './endpoint-facts.ts';
import { findStock, noStockSentence, type StockFinding, stockText, wantedByEndpoint } from './stock.ts';
import {
  type Cause,
  couldNotTell,
  evidence,
  type Evidence,
  type Fact,
  hasStatus,
  unreadEvidence,
  valueOf,
} from './verdict.ts';
import { itemsAt, type Json, memberAt, numberAt, objectAt, stringAt, stringsOf } from '../../core/json.ts';
import { berth, type CommandLine, flags, type Message, sentence } from '../../core/message.ts';
import { safeText } from '../../core/safe-text.ts';
import { formatDuration } from '../../core/units.ts';
import { text } from '../../output/cells.ts';
import { idOf } from '../../output/view.ts';

export const factsOf = (facts: EndpointFacts): readonly (Fact<unknown> | undefined)[] => [
  facts.endpoint,
  facts.workers,
  // A load-balancing endpoint has no queue and refuses the request.
  isLoadBalancer(facts) ? undefined : facts.health,
  hasStatus(facts.builds, 404) ? undefined : facts.builds,
  facts.catalog,
  facts.volumes,
  facts.crash?.end,
  facts.crash?.line,
  facts.later?.health,
];

const update = ({ id }: EndpointFacts, ...given: readonly string[]): CommandLine =>
  berth`endpoints update ${id} ${flags(given)}`;

/** The endpoint continues with the release before it, if any. */
export const BUILD_FAILED: Cause<EndpointFacts> = {
  code: 'build-failed',
  state: 'blocked',
  find: (facts) => {
    const build = failedBuild(facts);
    if (build === undefined) return undefined;
    const error = text('error')(build);
    return {
      verdict: `its newest build has failed${error === '' ? '' : `: ${error}`}${hasUsableWorker(facts) ? '; workers run an older release' : ''}`,
      cure: [berth`endpoints builds get ${facts.id} ${idOf(build)}`],
    };
  },
};

/** In order of precedence. */
export const ENDPOINT_CAUSES: readonly Cause<EndpointFacts>[] = [
  {
    code: 'workers-max-zero',
    state: 'blocked',
    find: (facts) =>
      maxWorkers(facts) === 0
        ? { verdict: 'nothing will run: workers-max is 0', cure: [update(facts, '--workers-max', '3')] }
        : undefined,
  },
  {
    code: 'workers-crash',
    state: 'blocked',
    find: (facts) => {
      if (workerCount(facts, 'unhealthy') === 0 || hasUsableWorker(facts)) return undefined;
      const line = valueOf(facts.crash?.end)?.replace(/^worker crashed: /, '') ?? valueOf(facts.crash?.line);
      // A retried job may have been on such a worker.
      const when = jobCount(facts, 'retried') > 0 ? '' : ' at start';
      const logs = facts.crash === undefined ? [] : [berth`endpoints logs ${facts.id} ${facts.crash.worker}`];
      return {
        verdict: `workers crash${when}${line === undefined ? '' : `: ${line}`}`,
        cure: [
          ...logs,
          facts.crash?.program === undefined
            ? sentence`give it another image: ${update(facts, '--wait', '--image')}, with the image to use`
            : `correct ${safeText(facts.crash.program)}`,
        ],
      };
    },
  },
  {
    code: 'workers-throttled',
    state: 'blocked',
    find: (facts) =>
      workerCount(facts, 'throttled') === 0 || hasUsableWorker(facts)
        ? undefined
        : {
            verdict: `workers wait for hardware that others use: ${countOf(workerCount(facts, 'throttled'), 'worker')} throttled`,
            cure: stockCure(facts, stockOf(facts)),
          },
  },
  {
    code: 'no-stock',
    state: 'blocked',
    find: (facts) => {
      const stock = stockOf(facts);
      if (stock === undefined || stock.here.length > 0 || hasUsableWorker(facts)) return undefined;
      return { verdict: noStockSentence(stock), cure: stockCure(facts, stock) };
    },
  },
  {
    code: 'no-worker',
    state: 'waiting',
    find: (facts) =>
      !facts.workers.known || jobCount(facts, 'inQueue') === 0 || hasUsableWorker(facts)
        ? undefined
        : {
            verdict: `${countOf(jobCount(facts, 'inQueue'), 'job')} waiting, and no worker has started yet`,
            cure: [berth`endpoints workers ${facts.id} --watch`],
          },
  },
];

/** Not a reason for a job to wait. */
export const JOBS_FAIL: Cause<EndpointFacts> = {
  code: 'jobs-fail',
  state: 'blocked',
  find: (facts) => {
    const [failed, completed] = [jobCount(facts, 'failed'), jobCount(facts, 'completed')];
    return failed <= completed
      ? undefined
      : {
          verdict: `jobs fail: ${failed} of ${failed + completed} that ended`,
          cure: [berth`endpoints logs ${facts.id}`, berth`endpoints releases ${facts.id}`],
        };
  },
};

/** A public model has a queue, but is not in the account's endpoints. */
export const ENDPOINT_UNKNOWN: Cause<EndpointFacts> = {
  code: 'unknown',
  state: 'waiting',
  find: (facts) => {
    const needed = [
      isLoadBalancer(facts) ? undefined : facts.health,
      hasStatus(facts.endpoint, 404) ? undefined : facts.endpoint,
      hasStatus(facts.workers, 404) ? undefined : facts.workers,
    ];
    const unread = needed.find((fact) => fact?.known === false && !(hasStatus(fact, 403) && hasUsableWorker(facts)));
    return unread === undefined || unread.known ? undefined : couldNotTell(unread);
  },
};

/** Always applies. */
export const ENDPOINT_HEALTHY: Cause<EndpointFacts> = {
  code: 'healthy',
  state: 'ok',
  find: (facts) => {
    const [waiting, running] = [jobCount(facts, 'inQueue'), jobCount(facts, 'inProgress')];
    if (isLoadBalancer(facts)) return { verdict: `healthy: ${workersText(facts)}` };
    if (waiting > 0) return { verdict: `healthy: ${countOf(waiting, 'job')} waiting${pace(facts, waiting)}` };
    if (running > 0) return { verdict: `healthy: ${countOf(running, 'job')} running, none waiting` };
    const rest = hasUsableWorker(facts) ? workersText(facts) : 'the next job starts a worker';
    return { verdict: `healthy: no job waits; ${rest}` };
  },
};

export function pace(facts: EndpointFacts, jobs: number): string {
  if (workerCount(facts, 'running') === 0)
    return workerCount(facts, 'initializing') > 0 ? '; a worker starts' : '; a worker takes the next one';
  const aboutMs = estimateMs(facts, jobs);
  const busy =
    workerCount(facts, 'running') === maxWorkers(facts) ? '; every worker that workers-max allows is busy' : '';
  return `${aboutMs === undefined ? '' : `, about ${formatDuration(aboutMs)}`}${busy}`;
}

/** At the rate seen while sampling; undefined if no job ended. */
function estimateMs({ health, later }: EndpointFacts, jobs: number): number | undefined {
  if (later?.health.known !== true) return undefined;
  const ended = endedCount(later.health) - endedCount(health);
  if (ended <= 0) return undefined;
  const ms = (jobs * later.afterMs) / ended;
  return ms < 1000 ? 1000 : Math.round(ms / 1000) * 1000;
}

const endedCount = (health: Fact): number => jobCount({ health }, 'completed') + jobCount({ health }, 'failed');

/** Undefined if the catalog was not read or lacks the hardware. */
function stockOf(facts: EndpointFacts): StockFinding | undefined {
  const endpoint = valueOf(facts.endpoint);
  const catalog = valueOf(facts.catalog);
  const wanted = endpoint === undefined ? undefined : wantedByEndpoint(endpoint);
  if (endpoint === undefined || catalog === undefined || wanted === undefined) return undefined;
  return findStock(wanted, catalog, allowedDataCenters(endpoint, valueOf(facts.volumes)));
}

/** Limited by the endpoint and its volumes (specification 2.4). */
function allowedDataCenters(endpoint: Json, volumes: Json | undefined): readonly string[] | undefined {
  const named = stringsOf(memberAt(endpoint, 'dataCenterIds'));
  const mounted = stringsOf(memberAt(endpoint, 'networkVolumes'));
  const places = itemsAt(volumes, 'networkVolumes')
    .filter((volume) => mounted.includes(idOf(volume)))
    .flatMap((volume) => stringAt(volume, 'dataCenter') ?? []);
  if (places.length === 0) return named.length === 0 ? undefined : named;
  return named.length === 0 ? places : places.filter((id) => named.includes(id));
}

/** Other data centers, else pools with at least as much GPU memory; else no command helps. */
function stockCure(facts: EndpointFacts, stock: StockFinding | undefined): readonly Message[] {
  const endpoint = valueOf(facts.endpoint) ?? null;
  const see = berth`catalog gpus --available --product SERVERLESS`;
  const isGpu = objectAt(endpoint, 'gpu') !== undefined;
  const hasVolumes = stringsOf(memberAt(endpoint, 'networkVolumes')).length > 0;
  if (stock === undefined) return isGpu ? [see] : [];
  if (stock.elsewhere.length > 0 && !hasVolumes)
    return [update(facts, '--data-center', [...(stock.allowed ?? []), ...stock.elsewhere].join(','))];
  if (!isGpu) return [berth`catalog cpus --available --product SERVERLESS`];
  if (stock.memory === undefined) return [see];
  const own = stringsOf(memberAt(endpoint, 'gpu.pools'));
  const others = stock.pools.filter((pool) => !own.includes(pool));
  if (others.length > 0) return [update(facts, '--gpu-pool', [...own, ...others].join(','))];
  return [`wait: no other pool of GPUs with at least ${stock.memory} GB is in stock there`];
}

function workersText(facts: EndpointFacts): string {
  const names = ['running', 'idle', 'initializing', 'throttled', 'unhealthy'];
  const counts = names.map((name) => [name, workerCount(facts, name)] as const).filter(([, count]) => count > 0);
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) return 'no workers';
  return `${countOf(total, 'worker')}: ${counts.map(([name, count]) => `${count} ${name}`).join(', ')}`;
}

export function endpointEvidence(facts: EndpointFacts): readonly Evidence[] {
  const { endpoint, workers, health, builds, catalog, crash, later } = facts;
  const stock = stockOf(facts);
  const count = (name: string) => (value: Json) => {
    const found = numberAt(value, `jobs.${name}`);
    return found === undefined ? undefined : String(found);
  };
  return [
    ...evidence('workers allowed', endpoint, (value) =>
      memberAt(value, 'workers.max') === undefined
        ? undefined
        : `${text('workers.min')(value) || '0'} to ${text('workers.max')(value)}`,
    ),
    ...evidence('workers', workers.known ? workers : health, () => workersText(facts)),
    ...evidence('jobs waiting', health, count('inQueue')),
    ...evidence('jobs running', health, count('inProgress')),
    ...evidence('jobs completed', health, count('completed')),
    ...evidence('jobs failed', health, count('failed')),
    ...evidence(stock?.name ?? 'hardware', stock === undefined ? undefined : catalog, () =>
      stock === undefined ? undefined : stockText(stock),
    ),
    ...evidence('newest build', builds, () => {
      const failed = failedBuild(facts);
      return failed === undefined ? undefined : `${idOf(failed)} ${text('status')(failed)}`;
    }),
    ...evidence('how it ended', crash?.end, (line) => line),
    ...evidence('last log line', crash?.line, (line) => line),
    ...evidence('jobs ended meanwhile', later?.health, () =>
      later === undefined
        ? undefined
        : `${endedCount(later.health) - endedCount(health)} in ${formatDuration(later.afterMs)}`,
    ),
    ...unreadEvidence(factsOf(facts)),
  ];
}
