/** Why a pod, an endpoint or a job does not move: one table, the first row that applies is the verdict. */
import type { CommandContext } from '../../cli/model/context.ts';
import { countOf } from '../../cli/words.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { itemsAt, type Json, memberAt, numberAt, stringOf } from '../../core/json.ts';
import { berth, type Message, printed, printedParts } from '../../core/message.ts';
import { safeText } from '../../core/safe-text.ts';
import { MINUTE_MS } from '../../core/unit-types.ts';
import { formatDuration, hourlyPrice } from '../../core/units.ts';
import { deadlineText, nextDeadline, waitingDeadline, waitingText } from '../../guard/deadline.ts';
import { text } from '../../output/cells.ts';
import type { Result } from '../../output/view.ts';
import { jobError } from '../../queue/job-error.ts';
import { isRunning, jobOutcome } from '../../queue/job-status.ts';
import type { Evidence, Facts } from './facts.ts';
import { verdictView } from './verdict-view.ts';

type Kind = 'pod' | 'endpoint' | 'job';

type When = (facts: Facts) => string | false | undefined;
type Cure = (facts: Facts) => Message | readonly Message[];

interface Cause {
  readonly of: readonly Kind[];
  readonly code: string;
  readonly state: 'ok' | 'waiting' | 'blocked';
  /** The verdict, if the cause applies. */
  readonly when: When;
  readonly cure: Cure;
}

const causeThatIs =
  (state: Cause['state']) =>
  (of: readonly Kind[], code: string, when: When, cure: Cure = () => []): Cause => ({ of, code, state, when, cure });

const ok = causeThatIs('ok');
/** Goes on by itself; what is blocked does not. */
const waiting = causeThatIs('waiting');
const blocked = causeThatIs('blocked');

const POD: readonly Kind[] = ['pod'];
const JOB: readonly Kind[] = ['job'];
const ENDPOINT: readonly Kind[] = ['endpoint'];
const QUEUE: readonly Kind[] = ['endpoint', 'job'];
const ANY: readonly Kind[] = ['pod', 'endpoint', 'job'];

const job = (facts: Facts): Json => facts.value('job') ?? null;
const isPod = (facts: Facts, status: string): boolean => facts.text('pod', 'status') === status;
const ended = (facts: Facts, outcome: string): boolean => jobOutcome(facts.value('job')) === outcome;
const after = (line: string | undefined): string => (line === undefined || line === '' ? '' : `: ${line}`);

const podId = (facts: Facts): string => facts.about['pod'] ?? '';
const endpointId = (facts: Facts): string => facts.about['endpoint'] ?? '';
const jobId = (facts: Facts): string => facts.about['job'] ?? '';

const podLogs = (facts: Facts): Message => berth`pods logs ${podId(facts)}`;
const terminate = (facts: Facts): Message => berth`pods terminate ${podId(facts)}`;
const start = (facts: Facts): Message => berth`pods start ${podId(facts)} --wait`;
const workerLogs = (facts: Facts): Message => berth`endpoints logs ${endpointId(facts)} ${facts.worker}`;
const retry = (facts: Facts): Message => berth`jobs retry ${endpointId(facts)} ${jobId(facts)}`;
/** The service does not return a job's input: only the user has it. */
const runAgain = (facts: Facts): Message => berth`jobs run ${endpointId(facts)} --input @FILE`;

/** 0 if unknown (specification 4.5). */
const jobs = (facts: Facts, name: string): number => facts.number('health', `jobs.${name}`) ?? 0;

/** From the list of workers, else from the queue's health. */
const workers = (facts: Facts, status: string): number =>
  facts.number('workers', `summary.${status}`) ?? facts.number('health', `workers.${status}`) ?? 0;

const hasUsableWorker = (facts: Facts): boolean =>
  ['running', 'idle', 'initializing'].some((status) => workers(facts, status) > 0);

/** `2 workers: 1 running, 1 idle`. */
function workersText(facts: Facts): string {
  const names = ['running', 'idle', 'initializing', 'throttled', 'unhealthy'];
  const counts = names.map((name) => [name, workers(facts, name)] as const).filter(([, count]) => count > 0);
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) return 'no workers';
  return `${countOf(total, 'worker')}: ${counts.map(([name, count]) => `${count} ${name}`).join(', ')}`;
}

/** Builds are listed newest first (additions 1); cancelled ones say nothing. */
function failedBuild(facts: Facts): Json | undefined {
  const newest = itemsAt(facts.value('builds'), 'builds').find((build) => memberAt(build, 'status') !== 'CANCELLED');
  return ['FAILED', 'TEST_FAILED'].includes(text('status')(newest ?? null)) ? newest : undefined;
}

function duration(value: Json, member: string): string | undefined {
  const ms = numberAt(value, member);
  return ms === undefined || ms < 0 ? undefined : formatDuration(ms);
}

/** Its first start takes longer than usual. */
function slowStart(facts: Facts): string | undefined {
  const status = facts.text('pod', 'status');
  const limitMs = { PROVISIONING: 5 * MINUTE_MS, STARTING: 10 * MINUTE_MS }[status];
  const ageMs = facts.now - Date.parse(facts.text('pod', 'createdAt'));
  if (limitMs === undefined || !(ageMs >= limitMs) || facts.text('pod', 'startedAt') !== '') return undefined;
  return `${status} for ${formatDuration(ageMs)}${after(facts.line('last system line'))}`;
}

function rateLimited(facts: Facts): string | undefined {
  const refused = facts.failures().filter(({ exit }) => exit === EXIT.rateLimited);
  const seconds = Math.max(0, ...refused.map(({ retryAfter }) => retryAfter ?? 0));
  return refused.length === 0
    ? undefined
    : `rate limited${seconds === 0 ? '' : ` for ${formatDuration(seconds * 1000)}`}`;
}

/** The answer without which there is no verdict. A public model is not in the account; a key for jobs may not read it. */
function missing(facts: Facts, names: readonly string[]): string | undefined {
  const maySkip = (name: string): boolean =>
    ['endpoint', 'workers'].includes(name) &&
    (facts.hasStatus(name, 404) || (facts.hasStatus(name, 403) && hasUsableWorker(facts)));
  return names.find((name) => facts.failure(name) !== undefined && !maySkip(name));
}

function unknown(facts: Facts, ...names: readonly string[]): string | undefined {
  const name = missing(facts, names);
  return name && `could not tell: ${facts.sourceOf(name)}: ${facts.failure(name)?.message ?? ''}`;
}

/** Specification 8.2; ids of synchronous jobs begin with `sync` (2.5). */
const keptFor = (id: string): string => (id.startsWith('sync') ? '1 to 5 minutes (runsync)' : '30 minutes (run)');

function completed(facts: Facts): string {
  const [queued, ran] = [duration(job(facts), 'delayTime'), duration(job(facts), 'executionTime')];
  return queued === undefined || ran === undefined ? 'completed' : `completed: ${queued} in the queue, ran ${ran}`;
}

function timedOut(facts: Facts): string {
  const ran = duration(job(facts), 'executionTime');
  const whose = facts.submitted?.executionTimeoutMs === undefined ? "the endpoint's" : 'its own';
  return `stopped by ${whose} execution timeout${ran === undefined ? '' : ` after ${ran}`}`;
}

function build(facts: Facts): string | undefined {
  const failed = failedBuild(facts);
  const isUsable = hasUsableWorker(facts);
  // With an older release a job still runs.
  if (failed === undefined || ('job' in facts.about && isUsable)) return undefined;
  return `newest build failed${after(text('error')(failed))}${isUsable ? '; workers run an older release' : ''}`;
}

function crash(facts: Facts): string | undefined {
  if (workers(facts, 'unhealthy') === 0 || hasUsableWorker(facts)) return undefined;
  // A retried job may have been on such a worker.
  const atStart = jobs(facts, 'retried') > 0 ? '' : ' at start';
  const line = facts.line('how it ended')?.replace(/^worker crashed: /, '') ?? facts.line('last log line');
  return `workers crash${atStart}${after(line)}`;
}

function healthyPod(facts: Facts): string | undefined {
  const uptime = facts.number('pod', 'runtime.uptime');
  if (isPod(facts, 'RUNNING'))
    return `healthy: running${uptime === undefined ? '' : ` for ${formatDuration(uptime * 1000)}`}`;
  const isStarting = isPod(facts, 'PROVISIONING') || isPod(facts, 'STARTING');
  return isStarting ? `healthy: ${facts.text('pod', 'status')}${after(facts.line('last system line'))}` : undefined;
}

/** The service gives no positions: other waiting jobs may be behind this one. */
function queued(facts: Facts): string {
  const ahead = jobs(facts, 'inQueue') - 1;
  return `healthy: ${ahead < 1 ? 'next in the queue' : `up to ${countOf(ahead, 'job')} ahead`}; ${workersText(facts)}`;
}

function healthyEndpoint(facts: Facts): string {
  if (facts.value('health') === undefined) return `healthy: ${workersText(facts)}`;
  return `healthy: ${countOf(jobs(facts, 'inQueue'), 'job')} waiting, ${jobs(facts, 'inProgress')} running; ${workersText(facts)}`;
}

const failedJobs = (facts: Facts): string | false =>
  jobs(facts, 'failed') > jobs(facts, 'completed') &&
  `jobs fail: ${jobs(facts, 'failed')} of the ${jobs(facts, 'failed') + jobs(facts, 'completed')} that ended`;

const NEEDED = ['pod', 'job', 'health', 'endpoint', 'workers'];

/** The first that applies is the verdict. */
const CAUSES: readonly Cause[] = [
  ok(JOB, 'completed', (f) => ended(f, 'completed') && completed(f)),
  blocked(
    JOB,
    'failed',
    (f) => ended(f, 'failed') && `failed: ${jobError(job(f))?.headline ?? 'the service gives no reason'}`,
    (f) => (f.text('job', 'status') === 'FAILED' ? retry(f) : runAgain(f)),
  ),
  blocked(JOB, 'timed-out', (f) => ended(f, 'timedOut') && timedOut(f), timeoutCure),
  blocked(JOB, 'cancelled', (f) => ended(f, 'cancelled') && 'cancelled, or its queue was purged', runAgain),
  blocked(JOB, 'other-endpoint', elsewhere, (f) => berth`jobs explain ${f.submitted?.endpoint ?? ''} ${jobId(f)}`),
  // To submit it again would run it, and cost, twice.
  waiting(
    JOB,
    'not-there-yet',
    (f) => f.hasStatus('job', 404) && f.isCertainlyThere && 'not there yet: this machine has just submitted it',
    (f) => berth`jobs wait ${endpointId(f)} ${jobId(f)}`,
  ),
  blocked(
    JOB,
    'expired',
    (f) => f.hasStatus('job', 404) && `expired or unknown: results are kept ${keptFor(jobId(f))}`,
    (f) => [...(f.submitted === undefined ? [berth`jobs recent`] : []), runAgain(f)],
  ),
  blocked(ANY, 'rate-limited', rateLimited, () => berth`limits`),
  blocked(
    ANY,
    'low-balance',
    (f) => f.failures().some(({ status }) => status === 402) && 'account balance too low: nothing starts',
    () => berth`billing summary`,
  ),
  waiting(
    ANY,
    'unknown',
    (f) => unknown(f, 'pod', 'job'),
    () => berth`doctor`,
  ),
  blocked(POD, 'terminated', (f) => isPod(f, 'TERMINATED') && 'terminated: deleted; network volumes are kept'),
  blocked(POD, 'crash', crashedPod, (f) => [
    podLogs(f),
    berth`pods update ${podId(f)} --image IMAGE`,
    start(f),
    terminate(f),
  ]),
  blocked(POD, 'stopped', (f) => isPod(f, 'EXITED') && 'stopped', start),
  waiting(POD, 'slow-start', slowStart, (f) => [podLogs(f), terminate(f)]),
  waiting(
    POD,
    'healthy',
    (f) => isPod(f, 'RUNNING') && !f.isReachable && 'healthy: running, ports not reachable yet',
    (f) => berth`pods wait ${podId(f)}`,
  ),
  ok(POD, 'healthy', healthyPod),
  blocked(QUEUE, 'no-result', noResult, (f) => [workerLogs(f), berth`jobs cancel ${endpointId(f)} ${f.lostJob}`]),
  ok(JOB, 'healthy', (f) => isRunning(job(f)) && `healthy: running for ${duration(job(f), 'executionTime') ?? '?'}`),
  blocked(
    QUEUE,
    'build-failed',
    build,
    (f) => berth`endpoints builds get ${endpointId(f)} ${text('id')(failedBuild(f) ?? null)}`,
  ),
  blocked(
    QUEUE,
    'workers-max-zero',
    (f) => f.number('endpoint', 'workers.max') === 0 && 'nothing will run: workers-max is 0',
    (f) => berth`endpoints update ${endpointId(f)} --workers-max 3`,
  ),
  blocked(QUEUE, 'workers-crash', crash, crashCure),
  blocked(QUEUE, 'workers-throttled', throttled, (f) =>
    memberAt(f.value('endpoint'), 'gpu') === undefined
      ? berth`catalog cpus --available --product SERVERLESS`
      : berth`catalog gpus --available --product SERVERLESS`,
  ),
  waiting(QUEUE, 'no-worker', noWorker, (f) => berth`endpoints workers ${endpointId(f)} --watch`),
  blocked(ENDPOINT, 'jobs-fail', failedJobs, (f) => [
    berth`endpoints logs ${endpointId(f)}`,
    berth`endpoints releases ${endpointId(f)}`,
  ]),
  waiting(
    QUEUE,
    'unknown',
    (f) => unknown(f, ...NEEDED),
    () => berth`doctor`,
  ),
  ok(ENDPOINT, 'healthy', healthyEndpoint),
  ok(JOB, 'healthy', (f) => f.text('job', 'status') === 'IN_QUEUE' && queued(f)),
];

function elsewhere(facts: Facts): string | false {
  const endpoint = facts.submitted?.endpoint ?? endpointId(facts);
  return facts.hasStatus('job', 404) && endpoint !== endpointId(facts) && `this machine submitted it to ${endpoint}`;
}

/** A retry has the same timeout again. */
function timeoutCure(facts: Facts): readonly Message[] {
  if (facts.submitted?.executionTimeoutMs !== undefined) return [runAgain(facts)];
  return [berth`endpoints update ${endpointId(facts)} --execution-timeout 1h`, retry(facts)];
}

function crashedPod(facts: Facts): string | false {
  const line = facts.line('last container line') ?? facts.line('last system line');
  return isPod(facts, 'ERROR') && `container does not run${after(line)}`;
}

function crashCure(facts: Facts): readonly Message[] {
  // The local service names the program of a worker as its image.
  const worker = itemsAt(facts.value('workers'), 'workers').find((row) => memberAt(row, 'id') === facts.worker);
  const program = /^local: (.+)$/s.exec(text('image')(worker ?? null))?.[1];
  const image = berth`endpoints update ${endpointId(facts)} --wait --image IMAGE`;
  return [
    ...(facts.worker === '' ? [] : [workerLogs(facts)]),
    program === undefined ? image : `fix ${safeText(program)}`,
  ];
}

function noResult(facts: Facts): string | undefined {
  const line = facts.line('worker log');
  return line && `job ${facts.lostJob} has no result: ${line}`;
}

function throttled(facts: Facts): string | false {
  const count = workers(facts, 'throttled');
  return count > 0 && !hasUsableWorker(facts) && `no free hardware: ${countOf(count, 'worker')} throttled`;
}

function noWorker(facts: Facts): string | false {
  const count = jobs(facts, 'inQueue');
  const isKnown = facts.value('workers') !== undefined && count > 0 && !hasUsableWorker(facts);
  return isKnown && `${countOf(count, 'job')} waiting, no worker started yet`;
}

const LINES = ['last system line', 'last container line', 'how it ended', 'last log line', 'worker log'];

type Shows = Readonly<Record<string, (value: Json) => string | undefined>>;

function evidenceOf(facts: Facts): readonly Evidence[] {
  const of = (name: string, shows: Shows): readonly Evidence[] =>
    Object.entries(shows).flatMap(([fact, show]) => facts.evidence(fact, name, show));
  const ownMs = facts.submitted?.executionTimeoutMs;
  const own = { fact: 'execution timeout', source: 'its submission by this machine' };
  return [
    ...of('pod', {
      status: text('status'),
      cost: (value) => hourlyPrice(numberAt(value, 'cost')),
      deadline: (value) => {
        const [next, waits] = [nextDeadline(value), waitingDeadline(value)];
        return next === undefined ? waits && waitingText(waits.action, waits.given) : deadlineText(next, facts.now);
      },
    }),
    ...of('job', {
      status: text('status'),
      'in the queue for': (value) => duration(value, 'delayTime'),
      'ran for': (value) => duration(value, 'executionTime'),
    }),
    ...(ownMs === undefined ? [] : [{ ...own, value: formatDuration(ownMs) }]),
    ...of('endpoint', {
      'workers allowed': (value) => `${text('workers.min')(value) || '0'} to ${text('workers.max')(value) || '?'}`,
      ...(ownMs === undefined ? { 'execution timeout': (value) => duration(value, 'timeout') } : {}),
    }),
    ...facts.evidence('workers', facts.value('workers') === undefined ? 'health' : 'workers', () => workersText(facts)),
    ...of('health', {
      'jobs waiting': text('jobs.inQueue'),
      'jobs running': text('jobs.inProgress'),
      'jobs completed': text('jobs.completed'),
      'jobs failed': text('jobs.failed'),
    }),
    ...LINES.flatMap((name) => facts.evidence(name, name, (value) => stringOf(value))),
    ...facts.unread(),
  ];
}

/** Exits 10 when blocked, with `exitStatus`; where berth could not tell, as the request that failed. */
export function explained({ settings }: CommandContext, facts: Facts, exitStatus: boolean): Result {
  const kind = (['pod', 'job', 'endpoint'] as const).find((name) => name in facts.about) ?? 'endpoint';
  const cause = CAUSES.find(({ of, when }) => of.includes(kind) && when(facts));
  const { code, state } = cause ?? {};
  const verdict = cause?.when(facts);
  const cure = [cause?.cure(facts) ?? []].flat() as readonly Message[];
  const failed = code === 'unknown' ? facts.failure(missing(facts, NEEDED) ?? '')?.exit : undefined;
  return {
    kind: 'one',
    view: verdictView(cure.map((line) => printedParts(line, settings))),
    value: {
      verdict: typeof verdict === 'string' ? verdict : `could not tell: unknown status ${facts.text(kind, 'status')}`,
      code: code ?? 'unknown',
      state: state ?? 'waiting',
      ...facts.about,
      evidence: evidenceOf(facts).map((each) => ({ ...each })),
      cure: cure.map((line) => printed(line, settings)),
    },
    exit: exitStatus && state === 'blocked' ? EXIT.jobFailed : code === undefined ? EXIT.bug : (failed ?? EXIT.done),
  };
}
