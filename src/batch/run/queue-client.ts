import type { ApiAnswer, ApiRequest, BatchApi } from '../../core/api.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import { isUsableId } from '../../core/ids.ts';
import { encodeJson, memberOf, stringOf, type Json } from '../../core/json.ts';
import { safeText } from '../../core/safe-text.ts';

/** It did not happen, and may work later. `askedMs`: what a 429 asks to wait. */
export interface Again {
  readonly kind: 'again';
  readonly askedMs: number | undefined;
  /** The service said no (429), in place of not being reached. */
  readonly throttled: boolean;
  /** It is this request that the service put off (408, 425): it is not to be repeated for ever. */
  readonly own?: boolean;
  readonly failure: Failure;
}
/** It will not work for any item: the key, the endpoint, the balance. */
interface Stop {
  readonly kind: 'stop';
  readonly failure: Failure;
}

export type Submitted =
  | { readonly kind: 'accepted'; readonly job: string }
  | { readonly kind: 'refused'; readonly failure: Failure }
  /** It may have happened. */
  | { readonly kind: 'lost'; readonly failure: Failure }
  | Again
  | Stop;

export type Seen =
  | { readonly kind: 'seen'; readonly document: Json }
  /** The service does not know the job. */
  | { readonly kind: 'gone' }
  | Again
  | Stop;

export type Retried =
  | { readonly kind: 'requeued' }
  /** Not any more, or not at all. */
  | { readonly kind: 'refused'; readonly failure: Failure }
  /** It may have happened: the job's state tells. */
  | { readonly kind: 'unsure' }
  | Again
  | Stop;

/** The three things a batch asks of a service, each tried once, and what became of it. Never fails with a Failure. */
export interface Wire {
  /** Requests that wait for their answer. */
  readonly underWay: number;
  submit(body: Uint8Array): Promise<Submitted>;
  look(job: string): Promise<Seen>;
  retry(job: string): Promise<Retried>;
}

/** The wire to one endpoint's queue (specification 4.5). */
export function createWire(api: Pick<BatchApi, 'send' | 'prepare'>, endpointId: string): Wire {
  const request = (method: 'GET' | 'POST', ...operation: readonly string[]): ApiRequest => ({
    service: 'queue',
    method,
    path: ['v2', endpointId, ...operation],
  });
  const run = api.prepare({ ...request('POST', 'run'), expects: 'created' });
  let underWay = 0;
  const ask = <T>(
    answered: Promise<ApiAnswer>,
    heard: (answer: ApiAnswer) => T,
    failed: (failure: Failure) => T,
  ): Promise<T> => {
    underWay += 1;
    return answered.then(
      (answer) => {
        underWay -= 1;
        return heard(answer);
      },
      (error: unknown) => {
        underWay -= 1;
        return failed(failureOf(error));
      },
    );
  };
  return {
    get underWay() {
      return underWay;
    },
    submit: (body) => ask(run.send({ raw: body }), taken, afterSubmit),
    look: (job) =>
      ask(api.send({ ...request('GET', 'status', job), id: job }), (answer) => seen(answer, job), afterLook),
    retry: (job) => ask(api.send({ ...request('POST', 'retry', job), id: job }), requeued, afterRetry),
  };
}

function taken({ value }: ApiAnswer): Submitted {
  const id = memberOf(value, 'id');
  const job = stringOf(id);
  return job !== undefined && isJobId(job) ? { kind: 'accepted', job } : { kind: 'lost', failure: noId(id) };
}

const LONGEST_ID = 1000;

/** True for what can be asked about: a segment of a path, of a length that a URL can have. */
const isJobId = (id: string): boolean => id.length <= LONGEST_ID && isUsableId(id);

/** What names another job came to the wrong place, and must not be taken for this one's result. */
function seen({ value }: ApiAnswer, job: string): Seen {
  const said = stringOf(memberOf(value, 'id')) ?? job;
  return said === job ? { kind: 'seen', document: value ?? null } : again(mixedUp(job, said));
}

const requeued = (): Retried => ({ kind: 'requeued' });

function afterSubmit(failure: Failure): Submitted {
  // The service gave up waiting for the request (408), or would not take it yet (425): it did nothing with it.
  if (failure.status === 408 || failure.status === 425) return { ...again(failure), own: true };
  if (mayComeAgain(failure)) return again(failure);
  if (failure.exit === EXIT.unknown) return { kind: 'lost', failure };
  // 402 is the balance: no other item would fare better.
  const refused = failure.exit === EXIT.refused && failure.status !== 402;
  return refused ? { kind: 'refused', failure } : { kind: 'stop', failure };
}

function afterLook(failure: Failure): Seen {
  if (failure.exit === EXIT.notFound) return { kind: 'gone' };
  return isHopeless(failure) ? { kind: 'stop', failure } : again(failure);
}

function afterRetry(failure: Failure): Retried {
  if (isHopeless(failure)) return { kind: 'stop', failure };
  if (failure.exit === EXIT.unknown) return { kind: 'unsure' };
  return mayComeAgain(failure) ? again(failure) : { kind: 'refused', failure };
}

/** The key or the certificate of the service was refused: no request will fare better. */
const isHopeless = ({ exit, code }: Failure): boolean => exit === EXIT.denied || code === 'certificate';

/** A 408, 425 or 429, or a service that was not reached: nothing happened. */
const mayComeAgain = ({ exit, code }: Failure): boolean =>
  exit === EXIT.rateLimited || (exit === EXIT.unavailable && code !== 'redirected' && code !== 'certificate');

const again = (failure: Failure): Again => ({
  kind: 'again',
  askedMs: failure.retryAfter === undefined ? undefined : failure.retryAfter * 1000,
  throttled: failure.exit === EXIT.rateLimited,
  failure,
});

/** What is no Failure is a bug, and ends the batch as one. */
function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error;
  throw error;
}

const mixedUp = (asked: string, said: string): Failure =>
  new Failure({
    code: 'unavailable',
    exit: EXIT.unavailable,
    message: `asked about job ${asked}, the service answered about ${safeText(said).slice(0, 100)}`,
  });

const noId = (id: Json | undefined): Failure =>
  new Failure({
    code: 'outcome-unknown',
    exit: EXIT.unknown,
    message: `the service answered ${id === undefined ? 'without a job id' : `with a job id that cannot be one, ${shown(id)}`}; the job may have been accepted`,
  });

/** The service took a submission, and named a job of another item. */
export const idTwice = (job: string): Failure =>
  new Failure({
    code: 'outcome-unknown',
    exit: EXIT.unknown,
    message: `the service gave the job id ${shown(job)} to two items; the job of the second one cannot be told apart`,
  });

const shown = (value: Json): string => safeText(encodeJson(value)).slice(0, 100);
