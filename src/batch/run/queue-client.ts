import type { ApiAnswer, BatchApi } from '../../core/api.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import type { Id } from '../../core/ids.ts';
import { type Json, stringAt } from '../../core/json.ts';
import { safeText } from '../../core/safe-text.ts';
import { jobIdOf, unusableJobId } from '../../queue/job.ts';
import { healthRequest, retryRequest, runRequest, statusRequest, submissionBody } from '../../queue/requests.ts';
import type { Milliseconds } from '../../core/unit-types.ts';

/** The request had no effect and may succeed later. */
export interface RetryLater {
  readonly kind: 'retry-later';
  readonly retryAfterMs: Milliseconds | undefined;
  /** True for 429; false when it was not reached or failed. */
  readonly throttled: boolean;
  readonly failure: Failure;
}
/** No request will succeed: the key, the endpoint or the balance is the cause. */
export interface Fatal {
  readonly kind: 'fatal';
  readonly failure: Failure;
}

export type SubmitOutcome =
  | { readonly kind: 'accepted'; readonly job: string }
  | { readonly kind: 'refused'; readonly failure: Failure }
  /** The service may have accepted it. */
  | { readonly kind: 'unknown'; readonly failure: Failure }
  | RetryLater
  | Fatal;

export type StatusOutcome =
  | { readonly kind: 'found'; readonly document: Json }
  /** The service does not have the job. */
  | { readonly kind: 'not-found' }
  /** A complete answer that is not JSON, such as NaN: it would be the same again. */
  | { readonly kind: 'not-json'; readonly failure: Failure }
  | RetryLater
  | Fatal;

export type RetryOutcome =
  | { readonly kind: 'requeued' }
  | { readonly kind: 'refused'; readonly failure: Failure }
  /** The service may have accepted it; the job's status shows whether it did. */
  | { readonly kind: 'unknown' }
  | RetryLater
  | Fatal;

/** Specification 4.5. `extras`: the members of every submission beside its input, by `optionsText`. */
export function createQueueClient(api: Pick<BatchApi, 'send' | 'prepare'>, endpointId: Id<'endpoint'>, extras = '') {
  const run = api.prepare(runRequest(endpointId));
  let pending = 0;
  const outcomeOf = <T>(
    answered: Promise<ApiAnswer>,
    onAnswer: (answer: ApiAnswer) => T,
    onFailure: (failure: Failure) => T,
  ): Promise<T> => {
    pending += 1;
    return answered.then(
      (answer) => {
        pending -= 1;
        return onAnswer(answer);
      },
      (error: unknown) => {
        pending -= 1;
        // Any other error is a bug and ends the batch.
        if (!(error instanceof Failure)) throw error;
        return onFailure(error);
      },
    );
  };
  return {
    get pending(): number {
      return pending;
    },
    submit: (input: Uint8Array): Promise<SubmitOutcome> =>
      outcomeOf(run.send({ raw: submissionBody(input, extras) }), submitAnswer, submitFailure),
    status: (job: string): Promise<StatusOutcome> =>
      outcomeOf(api.send(statusRequest(endpointId, job)), (answer) => statusAnswer(answer, job), statusFailure),
    /** Whether the service answers. */
    health: (): Promise<{ readonly kind: 'answered' } | RetryLater | Fatal> =>
      outcomeOf(api.send(healthRequest(endpointId)), () => ANSWERED, healthFailure),
    retry: (job: string): Promise<RetryOutcome> =>
      outcomeOf(api.send(retryRequest(endpointId, job)), () => REQUEUED, retryFailure),
  };
}

/** Each is tried once and resolves to its outcome; none throws a Failure. */
export type QueueClient = ReturnType<typeof createQueueClient>;

const ANSWERED = { kind: 'answered' } as const;
const REQUEUED: RetryOutcome = { kind: 'requeued' };

function submitAnswer({ value }: ApiAnswer): SubmitOutcome {
  const job = jobIdOf(value);
  return job === undefined ? { kind: 'unknown', failure: unusableJobId(value) } : { kind: 'accepted', job };
}

/** An answer about another job must not become the result of this one. */
function statusAnswer({ value }: ApiAnswer, job: string): StatusOutcome {
  const id = stringAt(value, 'id') ?? job;
  return id === job ? { kind: 'found', document: value ?? null } : retryLater(wrongJob(job, id));
}

function submitFailure(failure: Failure): SubmitOutcome {
  if (hadNoEffect(failure)) return retryLater(failure);
  if (failure.exit === EXIT.unknown) return { kind: 'unknown', failure };
  // A 402 is about the balance: every other item would fail too.
  const refused = failure.exit === EXIT.refused && failure.status !== 402;
  return { kind: refused ? 'refused' : 'fatal', failure };
}

function statusFailure(failure: Failure): StatusOutcome {
  if (failure.exit === EXIT.notFound) return { kind: 'not-found' };
  if (failure.code === 'not-json') return { kind: 'not-json', failure };
  return isFatal(failure) ? { kind: 'fatal', failure } : retryLater(failure);
}

/** A refusal is an answer too. */
const healthFailure = (failure: Failure) => {
  if (isFatal(failure)) return { kind: 'fatal', failure } as const;
  return failure.exit === EXIT.unavailable || failure.exit === EXIT.rateLimited ? retryLater(failure) : ANSWERED;
};

function retryFailure(failure: Failure): RetryOutcome {
  if (isFatal(failure)) return { kind: 'fatal', failure };
  if (failure.exit === EXIT.unknown) return { kind: 'unknown' };
  return hadNoEffect(failure) ? retryLater(failure) : { kind: 'refused', failure };
}

/** The key was rejected, or the certificate is not valid. */
const isFatal = ({ exit, code }: Failure): boolean => exit === EXIT.denied || code === 'certificate';

/** 429, or not reached. */
const hadNoEffect = ({ exit, code }: Failure): boolean =>
  exit === EXIT.rateLimited || (exit === EXIT.unavailable && code !== 'redirected' && code !== 'certificate');

const retryLater = (failure: Failure): RetryLater => ({
  kind: 'retry-later',
  retryAfterMs: failure.retryAfter === undefined ? undefined : failure.retryAfter * 1000,
  throttled: failure.exit === EXIT.rateLimited,
  failure,
});

const wrongJob = (requested: string, answered: string): Failure =>
  new Failure({
    code: 'unavailable',
    exit: EXIT.unavailable,
    message: `asked about job ${requested}, the service answered about ${safeText(answered).slice(0, 100)}`,
  });
