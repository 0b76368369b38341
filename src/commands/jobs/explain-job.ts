import type { CommandContext } from '../../cli/model/context.ts';
import { ENDPOINTS } from '../../cli/resource/collections.ts';
import { identify } from '../../cli/resource/identify.ts';
import { countOf } from '../../cli/words.ts';
import {
  BUILD_FAILED,
  ENDPOINT_CAUSES,
  ENDPOINT_UNKNOWN,
  endpointEvidence,
  factsOf,
  pace,
} from '../explain/endpoint-causes.ts';
import {
  type EndpointFacts,
  hasUsableWorker,
  isLoadBalancer,
  jobCount,
  noResult,
  readEndpointFacts,
  readWorkerNotes,
  type WorkerNotes,
} from '../explain/endpoint-facts.ts';
import {
  type Cause,
  couldNotTell,
  decide,
  evidence,
  type Evidence,
  explained,
  type Fact,
  hasStatus,
  readFact,
  serviceCauses,
  unreadEvidence,
  valueOf,
  type Verdict,
} from '../explain/verdict.ts';
import { isCertainlyThere, waitLine } from './job.ts';
import { EXIT } from '../../core/exit-codes.ts';
import type { Id } from '../../core/ids.ts';
import { type Json, numberAt, stringAt } from '../../core/json.ts';
import { berth, flags, type Message, sentence } from '../../core/message.ts';
import type { RememberedJob } from '../../core/remembered.ts';
import type { EpochMs, Milliseconds } from '../../core/unit-types.ts';
import { formatDuration } from '../../core/units.ts';
import type { Result } from '../../output/view.ts';
import { jobError } from '../../queue/job-error.ts';
import { hasEnded, isRunning, jobOutcome, jobStatus } from '../../queue/job-status.ts';
import { DEFAULT_TTL_MS, DURATION_BOUNDS, RESULT_RETENTION_MS } from '../../queue/limits.ts';
import { statusRequest } from '../../queue/requests.ts';

/** Queue time and execution together (contract rules, Queue API). */
interface TimeToLive {
  readonly ms: Milliseconds;
  /** False for the default of the service. */
  readonly isOwn: boolean;
  /** Until the service deletes the job; negative afterwards. */
  readonly leftMs: Milliseconds;
}

/** `now` is by the clock of the service. */
function timeToLiveOf({ at, ttlMs }: RememberedJob, now: EpochMs): TimeToLive {
  const ms = ttlMs ?? DEFAULT_TTL_MS;
  return { ms, isOwn: ttlMs !== undefined, leftMs: at + ms - now };
}

const leftText = ({ leftMs }: TimeToLive): string =>
  leftMs < 1000 ? '0s' : formatDuration(Math.floor(leftMs / 1000) * 1000);

/** The service's clock is known to the second, and a submission is dated when it is answered. */
const CLOCK_ERROR_MS: Milliseconds = 2000;

const isOver = ({ leftMs }: TimeToLive): boolean => leftMs <= CLOCK_ERROR_MS;

/** True in the last fifth. */
const isEnding = ({ leftMs, ms }: TimeToLive): boolean => leftMs < ms / 5;

interface JobFacts extends EndpointFacts {
  readonly jobId: string;
  readonly job: Fact;
  /** By this machine; maybe to another endpoint, if its id is used with the wrong one. */
  readonly submitted: RememberedJob | undefined;
  readonly ttl: TimeToLive | undefined;
  /** Submitted here to this endpoint, and its result cannot have expired. */
  readonly isCertainlyThere: boolean;
  readonly notes: WorkerNotes;
}

const statusOf = ({ job }: JobFacts): string => jobStatus(valueOf(job));
const outcomeOf = ({ job }: JobFacts) => jobOutcome(valueOf(job));

function durationOf(job: Json | undefined, member: string): string | undefined {
  const ms = numberAt(job, member);
  return ms === undefined || ms < 0 ? undefined : formatDuration(ms);
}

/** Twice a duration, within what the service accepts. */
const longer = (ms: number, bounds: keyof typeof DURATION_BOUNDS): string =>
  `${Math.min(DURATION_BOUNDS[bounds][1], ms * 2) / 1000}s`;

/** The service does not return a job's input: only the user has it. */
const runAgain = ({ id }: JobFacts, ...given: readonly string[]): Message =>
  sentence`run it again: ${berth`jobs run ${id} --input @FILE ${flags(given)}`}, with its input in FILE`;

const runLonger = (facts: JobFacts, { ms }: TimeToLive): Message => runAgain(facts, '--ttl', longer(ms, 'ttl'));

const ttlText = ({ ms }: TimeToLive): string => `its time to live of ${formatDuration(ms)}, in the queue and at work,`;

const TTL_ENDS: Cause<JobFacts> = {
  code: 'ttl-ends-soon',
  state: 'waiting',
  find: (facts) => {
    const { ttl } = facts;
    if (ttl === undefined || !isEnding(ttl)) return undefined;
    return {
      verdict: `${isRunning(valueOf(facts.job)) ? 'a worker runs it' : 'it waits'}, and ${ttlText(ttl)} ends in ${leftText(ttl)}: the service then deletes it`,
      cure: [berth`jobs cancel ${facts.id} ${facts.jobId}`, runLonger(facts, ttl)],
    };
  },
};

/** Specification 8.2. Ids of synchronous jobs begin with `sync` (specification 2.5). */
const keptFor = (jobId: string): string => (jobId.startsWith('sync') ? '1 to 5 minutes (runsync)' : '30 minutes (run)');

/** The first that applies is the answer; the last always applies. */
const JOB_CAUSES: readonly Cause<JobFacts>[] = [
  {
    code: 'completed',
    state: 'ok',
    find: (facts) => {
      if (outcomeOf(facts) !== 'completed') return undefined;
      const [delay, execution] = ['delayTime', 'executionTime'].map((member) => durationOf(valueOf(facts.job), member));
      const times =
        delay === undefined || execution === undefined ? '' : `: ${delay} in the queue, ${execution} of work`;
      return { verdict: `completed${times}` };
    },
  },
  {
    code: 'failed',
    state: 'blocked',
    find: (facts) => {
      if (outcomeOf(facts) !== 'failed') return undefined;
      const error = jobError(valueOf(facts.job))?.headline;
      const canRetry = statusOf(facts) === 'FAILED';
      return {
        verdict: `failed${error === undefined ? ': the service gives no reason' : `: ${error}`}`,
        cure: [canRetry ? berth`jobs retry ${facts.id} ${facts.jobId}` : runAgain(facts)],
      };
    },
  },
  {
    code: 'timed-out',
    state: 'blocked',
    find: (facts) => {
      if (outcomeOf(facts) !== 'timedOut') return undefined;
      const after = durationOf(valueOf(facts.job), 'executionTime');
      const own = facts.submitted?.executionTimeoutMs;
      return {
        verdict: `stopped by its ${own === undefined ? '' : 'own '}execution timeout${after === undefined ? '' : ` after ${after}`}`,
        // A retry has the same timeout again.
        cure:
          own === undefined
            ? [berth`endpoints update ${facts.id} --execution-timeout 1h`, berth`jobs retry ${facts.id} ${facts.jobId}`]
            : [runAgain(facts, '--execution-timeout', longer(own, 'executionTimeout'))],
      };
    },
  },
  {
    code: 'cancelled',
    state: 'blocked',
    find: (facts) =>
      outcomeOf(facts) === 'cancelled'
        ? { verdict: 'cancelled: it was cancelled, or its queue was purged', cure: [runAgain(facts)] }
        : undefined,
  },
  {
    code: 'not-there-yet',
    state: 'waiting',
    // To submit it again would run it, and cost, twice.
    find: (facts) =>
      hasStatus(facts.job, 404) && facts.isCertainlyThere
        ? {
            verdict: 'not there yet: this machine submitted it, and its result cannot have expired',
            cure: [waitLine(facts.id, facts.jobId)],
          }
        : undefined,
  },
  {
    code: 'other-endpoint',
    state: 'blocked',
    find: ({ id, job, jobId, submitted }) =>
      hasStatus(job, 404) && submitted !== undefined && submitted.endpoint !== id
        ? {
            verdict: `not of this endpoint: this machine submitted it to ${submitted.endpoint}`,
            cure: [berth`jobs explain ${submitted.endpoint} ${jobId}`],
          }
        : undefined,
  },
  {
    code: 'ttl-ended',
    state: 'blocked',
    find: (facts) => {
      const { job, ttl, submitted } = facts;
      if (!hasStatus(job, 404) || ttl === undefined || !isOver(ttl)) return undefined;
      const { status } = submitted ?? {};
      if (status !== undefined && hasEnded({ status })) return undefined;
      const seen = status === undefined ? '' : `; ${status} was its last status that this machine saw`;
      // A result expires before such a time to live does.
      const other = ttl.ms > RESULT_RETENTION_MS ? '; or it ended before, and its result has expired' : '';
      return { verdict: `deleted: ${ttlText(ttl)} is over${seen}${other}`, cure: [runLonger(facts, ttl)] };
    },
  },
  {
    code: 'expired',
    state: 'blocked',
    find: (facts) =>
      hasStatus(facts.job, 404)
        ? {
            verdict: `expired: results are kept ${keptFor(facts.jobId)}; or this endpoint never had such a job`,
            // A wait could only end with the same 404.
            cure: [...(facts.submitted === undefined ? [berth`jobs recent`] : []), runAgain(facts)],
          }
        : undefined,
  },
  {
    code: 'no-queue',
    state: 'blocked',
    find: (facts) => {
      if (!isLoadBalancer(facts)) return undefined;
      const address = stringAt(valueOf(facts.endpoint), 'requestUrls.base');
      return {
        verdict: `no job will run: the endpoint balances load and has no queue${address === undefined ? '' : `; requests go to ${address}`}`,
        cure: [berth`endpoints get ${facts.id}`],
      };
    },
  },
  ...serviceCauses<JobFacts>((facts) => [facts.job, ...factsOf(facts)]),
  {
    code: 'unknown',
    state: 'waiting',
    find: ({ job }) => (job.known ? undefined : couldNotTell(job)),
  },
  {
    code: 'no-result',
    state: 'blocked',
    find: (facts) => {
      const found = isRunning(valueOf(facts.job)) ? noResult(facts.notes) : undefined;
      if (found === undefined) return undefined;
      return {
        verdict: `its worker does not report a result: ${found.line}`,
        cure: [
          berth`endpoints logs ${facts.id} ${found.worker}`,
          berth`jobs cancel ${facts.id} ${facts.jobId}`,
          runAgain(facts),
        ],
      };
    },
  },
  { ...TTL_ENDS, find: (facts) => (isRunning(valueOf(facts.job)) ? TTL_ENDS.find(facts) : undefined) },
  {
    code: 'healthy',
    state: 'ok',
    find: (facts) => {
      if (!isRunning(valueOf(facts.job))) return undefined;
      const since = durationOf(valueOf(facts.job), 'executionTime');
      return { verdict: `healthy: a worker runs it${since === undefined ? '' : `, for ${since} so far`}` };
    },
  },
  {
    code: 'unknown',
    state: 'waiting',
    find: (facts) =>
      statusOf(facts) === 'IN_QUEUE'
        ? undefined
        : { verdict: `could not tell: the status ${statusOf(facts)} is not known to berth`, exit: EXIT.bug },
  },
  // With an older release the job still runs.
  { ...BUILD_FAILED, find: (facts) => (hasUsableWorker(facts) ? undefined : BUILD_FAILED.find(facts)) },
  ...ENDPOINT_CAUSES,
  TTL_ENDS,
  ENDPOINT_UNKNOWN,
  {
    code: 'healthy',
    state: 'ok',
    find: (facts) => {
      // The service gives no positions: other waiting jobs may be behind this one.
      const ahead = Math.max(0, jobCount(facts, 'inQueue') - 1);
      const first = ahead === 0 ? 'next in the queue' : `up to ${countOf(ahead, 'job')} ahead`;
      return { verdict: `healthy: ${first}${pace(facts, ahead + 1)}` };
    },
  },
];

function jobEvidence(facts: JobFacts): readonly Evidence[] {
  const { job, endpoint } = facts;
  const own = facts.submitted?.executionTimeoutMs;
  const timeout = numberAt(valueOf(endpoint), 'timeout');
  return [
    ...evidence('status', job, jobStatus),
    ...evidence('in the queue for', job, (value) => durationOf(value, 'delayTime')),
    ...evidence('worked on for', job, (value) => durationOf(value, 'executionTime')),
    ...facts.notes.flatMap(({ line }) => evidence('worker log', line, (value) => value)),
    ...unreadEvidence([job]),
    ...(own === undefined
      ? evidence('execution timeout', endpoint, () =>
          timeout === undefined || timeout <= 0
            ? undefined
            : `${formatDuration(timeout)}${facts.submitted === undefined ? ', unless its submission gave another' : ''}`,
        )
      : [{ fact: 'execution timeout', value: formatDuration(own), source: 'its submission by this machine' }]),
    ...(hasEnded(valueOf(job)) ? [] : ttlEvidence(facts.ttl)),
    ...endpointEvidence(facts),
  ];
}

function ttlEvidence(ttl: TimeToLive | undefined): readonly Evidence[] {
  if (ttl === undefined) return [];
  const left = ttl.leftMs > 0 ? `${leftText(ttl)} left` : 'over';
  return [
    {
      fact: 'time to live',
      value: `${formatDuration(ttl.ms)}, ${left}`,
      source: ttl.isOwn ? 'its submission by this machine' : 'the default of the service',
    },
  ];
}

interface ExplainedJob {
  readonly facts: JobFacts;
  readonly verdict: Verdict;
}

/** Not-found (4) without such an endpoint; else as the first request. `sampleMs`: queue watching time. */
export async function explainJob(
  ctx: CommandContext,
  endpoint: string,
  job: string,
  sampleMs: number,
): Promise<ExplainedJob> {
  const { result: facts } = await identify(ctx, ENDPOINTS, endpoint, (id) => readJobFacts(ctx, id, job, sampleMs));
  return { facts, verdict: decide(JOB_CAUSES, facts) };
}

export const jobResult = (ctx: CommandContext, { facts, verdict }: ExplainedJob, exitStatus: boolean): Result =>
  explained(ctx, { endpoint: facts.id, job: facts.jobId }, verdict, jobEvidence(facts), exitStatus);

async function readJobFacts(
  ctx: CommandContext,
  id: Id<'endpoint'>,
  jobId: string,
  sampleMs: number,
): Promise<JobFacts> {
  const [job, facts, remembered] = await Promise.all([
    readFact(ctx, statusRequest(id, jobId)),
    readEndpointFacts(ctx, id, sampleMs),
    ctx.jobs.read(),
  ]);
  // As old as the status, even if a worker's log is slow.
  const now = ctx.serviceNow();
  const notes = isRunning(valueOf(job)) ? await readWorkerNotes(ctx, facts, (line) => line.includes(jobId)) : [];
  const submitted = remembered.find((each) => each.id === jobId);
  const isThere = await isCertainlyThere(ctx, { endpoint: id, job: jobId });
  const ttl = submitted === undefined ? undefined : timeToLiveOf(submitted, now);
  return { ...facts, jobId, job, submitted, ttl, isCertainlyThere: isThere, notes };
}
