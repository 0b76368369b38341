import { EXIT } from '../../../core/exit-codes.ts';
import { type Json, numberAt, stringAt } from '../../../core/json.ts';
import type { RememberedJob } from '../../../core/ports/remembered.ts';
import { formatDuration } from '../../../core/units.ts';
import { berth, flags, type Message, sentence } from '../../../core/message.ts';
import { countOf } from '../../../cli/words/words.ts';
import { jobError } from '../../../queue/job-error.ts';
import { DURATION_BOUNDS, RESULT_RETENTION_MS } from '../../../queue/limits.ts';
import { hasEnded, isRunning, jobOutcome, jobStatus } from '../../../queue/job-status.ts';
import {
  BUILD_FAILED,
  ENDPOINT_CAUSES,
  ENDPOINT_UNKNOWN,
  endpointEvidence,
  factsOf,
  pace,
} from '../../shared/explain/endpoint-causes.ts';
import { hasUsableWorker, isLoadBalancer, jobCount, type EndpointFacts } from '../../shared/explain/endpoint-facts.ts';
import { hasStatus, valueOf, type Fact } from '../../shared/explain/facts.ts';
import { noResult, type WorkerNotes } from '../../shared/explain/lost-results.ts';
import { waitLine } from '../job/command-lines.ts';
import { couldNotTell, serviceCauses } from '../../shared/explain/service-causes.ts';
import { evidence, unreadEvidence, type Cause, type Evidence } from '../../shared/explain/verdict.ts';
import { isEnding, isOver, leftText, type TimeToLive } from './time-to-live.ts';

/** What is known of a job and of its endpoint. */
export interface JobFacts extends EndpointFacts {
  readonly jobId: string;
  readonly job: Fact;
  /** The job as this machine submitted it, where it did; to another endpoint, where its id is used with the wrong one. */
  readonly submitted: RememberedJob | undefined;
  /** Of a job that this machine submitted. */
  readonly ttl: TimeToLive | undefined;
  /** This machine submitted it to this endpoint, and its result cannot have expired. */
  readonly isCertainlyThere: boolean;
  /** The last line about it in the logs of workers; of a job that runs. */
  readonly notes: WorkerNotes;
}

const statusOf = ({ job }: JobFacts): string => jobStatus(valueOf(job));
const outcomeOf = ({ job }: JobFacts) => jobOutcome(valueOf(job));

/** The duration of a member in milliseconds as text; undefined where the job has none. */
function durationOf(job: Json | undefined, member: string): string | undefined {
  const ms = numberAt(job, member);
  return ms === undefined || ms < 0 ? undefined : formatDuration(ms);
}

/** Twice a duration, as its flag takes it, within what the service accepts. */
const longer = (ms: number, bounds: keyof typeof DURATION_BOUNDS): string =>
  `${Math.min(DURATION_BOUNDS[bounds][1], ms * 2) / 1000}s`;

/** Only a person has the input of a job: the service does not tell it. */
const runAgain = ({ id }: JobFacts, ...given: readonly string[]): Message =>
  sentence`run it again: ${berth`jobs run ${id} --input @FILE ${flags(given)}`}, with its input in FILE`;

const runLonger = (facts: JobFacts, { ms }: TimeToLive): Message => runAgain(facts, '--ttl', longer(ms, 'ttl'));

const ttlText = ({ ms }: TimeToLive): string => `its time to live of ${formatDuration(ms)}, in the queue and at work,`;

/** A job whose time to live ends soon, whatever it does. */
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

/** How long results are kept (specification 8.2). The ids of synchronous jobs begin with `sync` (specification 2.5). */
const keptFor = (jobId: string): string => (jobId.startsWith('sync') ? '1 to 5 minutes (runsync)' : '30 minutes (run)');

/** Why a job does not move, or how it ended. The first that applies is the answer; the last always applies. */
export const JOB_CAUSES: readonly Cause<JobFacts>[] = [
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
        // A retry has the timeout of the job again.
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
      // A result is gone before such a time to live is.
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
  // With an older release, the job runs all the same.
  { ...BUILD_FAILED, find: (facts) => (hasUsableWorker(facts) ? undefined : BUILD_FAILED.find(facts)) },
  ...ENDPOINT_CAUSES,
  TTL_ENDS,
  ENDPOINT_UNKNOWN,
  {
    code: 'healthy',
    state: 'ok',
    find: (facts) => {
      // The service tells no positions: others of the waiting jobs may be behind this one.
      const ahead = Math.max(0, jobCount(facts, 'inQueue') - 1);
      const first = ahead === 0 ? 'next in the queue' : `up to ${countOf(ahead, 'job')} ahead`;
      return { verdict: `healthy: ${first}${pace(facts, ahead + 1)}` };
    },
  },
];

/** What was found about a job and its endpoint. */
export function jobEvidence(facts: JobFacts): readonly Evidence[] {
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
