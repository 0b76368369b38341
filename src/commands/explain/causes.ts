/** Why a pod, an endpoint or a job does not move: one table, the first row that applies is the verdict. */
import type { CommandContext } from '../../cli/model/context.ts';
import { textColumn } from '../../cli/resource/fields.ts';
import { countOf } from '../../cli/words.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { itemsAt, type Json, memberAt, numberAt } from '../../core/json.ts';
import { berth, type Message, names, printed, type PrintedPart, printedParts } from '../../core/message.ts';
import { safeText } from '../../core/safe-text.ts';
import type { EpochMs } from '../../core/unit-types.ts';
import { formatDuration } from '../../core/units.ts';
import { list, text } from '../../output/cells.ts';
import type { Result, Tone, View } from '../../output/view.ts';
import { isRunning, jobError, jobOutcome } from '../../queue/job.ts';
import type { Facts } from './reads.ts';

type Cause = readonly [
  of: 'pod' | 'endpoint' | 'job' | 'endpoint or job',
  code: string,
  /** The verdict, if the cause applies. */
  when: (facts: Facts, now: EpochMs) => string | false | undefined,
  cure?: (facts: Facts) => Message | readonly Message[],
];

const isPod = (facts: Facts, status: string): boolean => facts.text('pod', 'status') === status;
const span = (facts: Facts, member: string): string => duration(facts.value('job'), member) ?? '?';
const ended = (facts: Facts, outcome: string): boolean => jobOutcome(facts.value('job')) === outcome;
const hasNoJob = (facts: Facts): boolean => facts.failure('job')?.status === 404;
const after = (line: string | undefined): string => (line === undefined || line === '' ? '' : `: ${line}`);

const pod = ({ about }: Facts): string => about['pod'] ?? '';
const endpoint = ({ about }: Facts): string => about['endpoint'] ?? '';
const job = ({ about }: Facts): string => about['job'] ?? '';

/** The service does not return a job's input: only the user has it. */
const runAgain = (facts: Facts): Message => berth`jobs run ${endpoint(facts)} --input @FILE`;

/** 0 if unknown (specification 4.5). */
const jobs = (facts: Facts, name: string): number => facts.number('health', `jobs.${name}`) ?? 0;

/** From the list of workers, else from the queue's health. */
const workers = (facts: Facts, status: string): number =>
  facts.number('workers', `summary.${status}`) ?? facts.number('health', `workers.${status}`) ?? 0;

const hasUsableWorker = (facts: Facts): boolean =>
  ['running', 'idle', 'initializing'].some((status) => workers(facts, status) > 0);

/** `2 workers: 1 running, 1 idle`. */
function workersText(facts: Facts): string {
  const states = ['running', 'idle', 'initializing', 'throttled', 'unhealthy'];
  const counts = states.map((name) => [name, workers(facts, name)] as const).filter(([, count]) => count > 0);
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) return 'no workers';
  return `${countOf(total, 'worker')}: ${counts.map(([name, count]) => `${count} ${name}`).join(', ')}`;
}

/** Builds are listed newest first (additions 1); cancelled ones say nothing. With an older release a job still runs. */
function failedBuild(facts: Facts): Json | undefined {
  const newest = itemsAt(facts.value('builds'), 'builds').find((build) => memberAt(build, 'status') !== 'CANCELLED');
  const isFailed = ['FAILED', 'TEST_FAILED'].includes(text(newest ?? null, 'status'));
  return isFailed && !('job' in facts.about && hasUsableWorker(facts)) ? newest : undefined;
}

function duration(value: Json | undefined, member: string): string | undefined {
  const ms = numberAt(value, member);
  return ms === undefined ? undefined : formatDuration(ms);
}

/** Not running yet, or not reachable. */
function starting(facts: Facts, now: EpochMs): string | false {
  const status = facts.text('pod', 'status');
  if (status === 'RUNNING') return !facts.isReachable && 'starting: running, ports not reachable yet';
  const [line, ageMs] = [facts.line('last system line'), now - Date.parse(facts.text('pod', 'createdAt'))];
  const since = facts.text('pod', 'startedAt') === '' && ageMs >= 0 ? ` for ${formatDuration(ageMs)}` : '';
  return ['PROVISIONING', 'STARTING'].includes(status) && `starting: ${status}${since}${after(line)}`;
}

/** The answer without which there is no verdict. A public model is not in the account; a key for jobs may not read it. */
function missing(facts: Facts): string | undefined {
  const maySkip = (name: string): boolean => {
    const status = facts.failure(name)?.status;
    return ['endpoint', 'workers'].includes(name) && (status === 404 || (status === 403 && hasUsableWorker(facts)));
  };
  return ['job', 'health', 'endpoint', 'workers'].find((name) => facts.failure(name) !== undefined && !maySkip(name));
}

function unknown(facts: Facts): string | undefined {
  const { source = '', failure } = facts.all.get(missing(facts) ?? '') ?? {};
  return failure && `could not tell: ${source}: ${failure.message}`;
}

function crash(facts: Facts): string | undefined {
  if (workers(facts, 'unhealthy') === 0 || hasUsableWorker(facts)) return undefined;
  return `workers crash${after(facts.line('how it ended')?.replace(/^worker crashed: /, '') ?? facts.line('last log line'))}`;
}

/** The local service names the program of a worker as its image. */
function crashCure(facts: Facts): readonly Message[] {
  const worker = itemsAt(facts.value('workers'), 'workers').find((row) => memberAt(row, 'id') === facts.worker);
  const program = /^local: (.+)$/s.exec(text(worker ?? null, 'image'))?.[1];
  const image = berth`endpoints update ${endpoint(facts)} --wait --image IMAGE`;
  return [
    ...(facts.worker === '' ? [] : [berth`endpoints logs ${endpoint(facts)} ${facts.worker}`]),
    program === undefined ? image : `fix ${safeText(program)}`,
  ];
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

function noWorker(facts: Facts): string | false {
  const count = jobs(facts, 'inQueue');
  const isKnown = facts.value('workers') !== undefined && count > 0 && !hasUsableWorker(facts);
  return isKnown && `${countOf(count, 'job')} waiting, no worker started yet`;
}

const OK = ['completed', 'healthy'];
/** Goes on by itself; all others are blocked. */
const WAITING = ['not-there-yet', 'starting', 'no-worker', 'unknown'];

const CAUSES: readonly Cause[] = [
  [
    'job',
    'completed',
    (f) => ended(f, 'completed') && `completed: ${span(f, 'delayTime')} in the queue, ran ${span(f, 'executionTime')}`,
  ],
  [
    'job',
    'failed',
    (f) => ended(f, 'failed') && `failed: ${jobError(f.value('job'))?.headline ?? 'the service gives no reason'}`,
    (f) => (f.text('job', 'status') === 'FAILED' ? berth`jobs retry ${endpoint(f)} ${job(f)}` : runAgain(f)),
  ],
  [
    'job',
    'timed-out',
    (f) => ended(f, 'timedOut') && `stopped after ${span(f, 'executionTime')}: execution timeout`,
    (f) => berth`jobs run ${endpoint(f)} --input @FILE --execution-timeout 1h`,
  ],
  ['job', 'cancelled', (f) => ended(f, 'cancelled') && 'cancelled, or its queue was purged', runAgain],
  // To submit it again would run it, and cost, twice.
  [
    'job',
    'not-there-yet',
    (f) => hasNoJob(f) && f.isCertainlyThere && 'not there yet: this machine has just submitted it',
    (f) => berth`jobs wait ${endpoint(f)} ${job(f)}`,
  ],
  [
    'job',
    'expired',
    (f) => hasNoJob(f) && 'expired or unknown: results are kept 30 minutes (run), or 1 to 5 (runsync)',
    (f) => [berth`jobs recent`, runAgain(f)],
  ],
  ['pod', 'terminated', (f) => isPod(f, 'TERMINATED') && 'terminated: deleted; network volumes are kept'],
  [
    'pod',
    'crash',
    (f) =>
      isPod(f, 'ERROR') &&
      `container does not run${after(f.line('last container line') ?? f.line('last system line'))}`,
    (f) => [
      berth`pods logs ${pod(f)}`,
      berth`pods update ${pod(f)} --image IMAGE`,
      berth`pods start ${pod(f)} --wait`,
      berth`pods terminate ${pod(f)}`,
    ],
  ],
  ['pod', 'stopped', (f) => isPod(f, 'EXITED') && 'stopped', (f) => berth`pods start ${pod(f)} --wait`],
  ['pod', 'starting', starting, (f) => [berth`pods logs ${pod(f)}`, berth`pods wait ${pod(f)}`]],
  [
    'pod',
    'healthy',
    (f) =>
      isPod(f, 'RUNNING') && `healthy: running for ${formatDuration(1000 * (f.number('pod', 'runtime.uptime') ?? 0))}`,
  ],
  ['job', 'healthy', (f) => isRunning(f.value('job')) && `healthy: running for ${span(f, 'executionTime')}`],
  [
    'endpoint or job',
    'build-failed',
    (f) => failedBuild(f) !== undefined && `newest build failed${after(text(failedBuild(f) ?? null, 'error'))}`,
    (f) => berth`endpoints builds get ${endpoint(f)} ${text(failedBuild(f) ?? null, 'id')}`,
  ],
  [
    'endpoint or job',
    'workers-max-zero',
    (f) => f.number('endpoint', 'workers.max') === 0 && 'nothing will run: workers-max is 0',
    (f) => berth`endpoints update ${endpoint(f)} --workers-max 3`,
  ],
  ['endpoint or job', 'workers-crash', crash, crashCure],
  [
    'endpoint or job',
    'workers-throttled',
    (f) =>
      workers(f, 'throttled') > 0 &&
      !hasUsableWorker(f) &&
      `no free hardware: ${countOf(workers(f, 'throttled'), 'worker')} throttled`,
    (f) =>
      berth`catalog ${names(memberAt(f.value('endpoint'), 'gpu') === undefined ? 'cpus' : 'gpus')} --available --product SERVERLESS`,
  ],
  ['endpoint or job', 'no-worker', noWorker, (f) => berth`endpoints workers ${endpoint(f)} --watch`],
  [
    'endpoint',
    'jobs-fail',
    (f) =>
      jobs(f, 'failed') > jobs(f, 'completed') &&
      `jobs fail: ${jobs(f, 'failed')} of the ${jobs(f, 'failed') + jobs(f, 'completed')} that ended`,
    (f) => [berth`endpoints logs ${endpoint(f)}`, berth`endpoints releases ${endpoint(f)}`],
  ],
  ['endpoint or job', 'unknown', unknown, () => berth`doctor`],
  ['endpoint', 'healthy', healthyEndpoint],
  ['job', 'healthy', (f) => f.text('job', 'status') === 'IN_QUEUE' && queued(f)],
];

type Show = (value: Json, facts: Facts) => string | undefined;

/** Of each answer; lines of logs are evidence as they are. */
const EVIDENCE: Readonly<Record<string, Readonly<Record<string, Show>>>> = {
  pod: { status: (row) => text(row, 'status') },
  job: {
    status: (row) => text(row, 'status'),
    'in the queue for': (value) => duration(value, 'delayTime'),
    'ran for': (value) => duration(value, 'executionTime'),
  },
  endpoint: {
    'workers allowed': (value) => `${text(value, 'workers.min') || '0'} to ${text(value, 'workers.max') || '?'}`,
    'execution timeout': (value) => duration(value, 'timeout'),
  },
  workers: { workers: (_, facts) => workersText(facts) },
  health: {
    'jobs waiting': (row) => text(row, 'jobs.inQueue'),
    'jobs running': (row) => text(row, 'jobs.inProgress'),
    'jobs completed': (row) => text(row, 'jobs.completed'),
    'jobs failed': (row) => text(row, 'jobs.failed'),
  },
};

const evidenceOf = (facts: Facts) =>
  [...facts.all].flatMap(([name, { source, value = null, failure }]) => {
    const shown: readonly (readonly [string, string | undefined])[] =
      failure !== undefined
        ? [['not read', failure.message]]
        : typeof value === 'string'
          ? [[name, value]]
          : value === null
            ? []
            : Object.entries(EVIDENCE[name] ?? {}).map(([fact, show]) => [fact, show(value, facts)] as const);
    return shown.flatMap(([fact, each = '']) => (each === '' ? [] : [{ fact, value: each, source }]));
  });

/** Exits 10 when blocked, with `exitStatus`; where berth could not tell, as the request that failed. */
export function explained(ctx: CommandContext, facts: Facts, exitStatus: boolean): Result {
  const { settings } = ctx;
  const now = ctx.serviceNow();
  const kind = (['pod', 'job', 'endpoint'] as const).find((name) => name in facts.about) ?? 'endpoint';
  const found = CAUSES.find(([of, , when]) => of.includes(kind) && when(facts, now));
  const [, code = 'unknown', when, cureOf] = found ?? [];
  const state = OK.includes(code) ? 'ok' : WAITING.includes(code) ? 'waiting' : 'blocked';
  const verdict = when?.(facts, now);
  const cure = [cureOf?.(facts) ?? []].flat() as readonly Message[];
  const failed = code === 'unknown' ? facts.failure(missing(facts) ?? '')?.exit : undefined;
  return {
    kind: 'one',
    view: verdictView(cure.map((line) => printedParts(line, settings))),
    value: {
      verdict: typeof verdict === 'string' ? verdict : `could not tell: unknown status ${facts.text(kind, 'status')}`,
      code,
      state,
      ...facts.about,
      evidence: evidenceOf(facts),
      cure: cure.map((line) => printed(line, settings)),
    },
    exit: exitStatus && state === 'blocked' ? EXIT.jobFailed : found === undefined ? EXIT.bug : (failed ?? EXIT.done),
  };
}

const TONES: Readonly<Record<string, Tone>> = { ok: 'good', waiting: 'warn', blocked: 'bad' };

const verdictView = (cure: readonly (readonly PrintedPart[])[]): View => ({
  noun: ['verdict', 'verdicts'],
  id: (row) => text(row, 'code'),
  members: ['verdict', 'code', 'state', 'evidence', 'cure'],
  columns: [textColumn('verdict'), textColumn('code'), textColumn('state')],
  detail: (row) => [
    {
      lines: [
        { label: 'verdict', value: { text: text(row, 'verdict'), tone: TONES[text(row, 'state')] ?? 'plain' } },
        { label: 'code', value: text(row, 'code') },
      ],
    },
    {
      title: 'evidence',
      lines: itemsAt(row, 'evidence').map((each) => ({
        label: text(each, 'fact'),
        // Without the query, which would leave no room; the JSON has it.
        value: `${text(each, 'value')} (${text(each, 'source').replace(/\?.*$/, '')})`,
      })),
    },
    {
      title: 'what to do',
      lines: list(row, 'cure').map((line, at) => ({
        label: String(at + 1),
        value: { text: line, ...(cure[at] === undefined ? {} : { parts: cure[at] }) },
      })),
    },
  ],
});
