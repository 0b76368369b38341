import type { EndEvent } from '../model/item-states.ts';
import type { LineOwner } from '../model/result-line.ts';
import type { MonotonicMs, RunLimits, Shard, Stopped, StopReason } from '../model/batch.ts';
import { MAX_RETRY_AFTER_MS, type RequestKind, type RequestRates } from './adaptive-rate.ts';
import type { QueueClient, RetryLater } from './queue-client.ts';
import type { RunRecords } from '../store/open-batch.ts';
import type { Clock } from '../../core/context.ts';
import type { Failure } from '../../core/failure.ts';
import type { Json } from '../../core/json.ts';
import { HOUR_MS, type Milliseconds } from '../../core/unit-types.ts';

export interface RunOptions extends RunLimits {
  readonly shard?: Shard | undefined;
  /** Undefined for the service's default. */
  readonly ttlMs?: Milliseconds | undefined;
}

export interface RunObserver {
  readonly onExecuted?: (milliseconds: Milliseconds) => void;
  readonly onRequest?: OnRequest;
  /** A submission may or may not have been accepted. */
  readonly onUnknown?: (failure: Failure) => void;
  readonly onEnded?: (event: EndEvent, document: Json) => void;
}

export interface RunState {
  readonly clock: Clock;
  readonly client: QueueClient;
  readonly options: RunOptions;
  readonly observer: RunObserver;
  readonly records: RunRecords;
  /** Too many that did not complete stop the run. */
  readonly endItem: (owner: LineOwner, document: Json, event: EndEvent) => Promise<void>;
  readonly rates: RequestRates;
  readonly control: RunControl;
  readonly monitor: FailureMonitor;
  /** The run waits for it; an error in it stops the batch. */
  readonly start: (work: Promise<void>) => void;
}

export const canSend = ({ client, options }: RunState): boolean => client.pending < options.concurrency;

/** Stops the batch when the service asks for too long a wait. */
export function onRetryLater(
  { rates, control, monitor }: RunState,
  kind: RequestKind,
  { retryAfterMs, throttled, failure }: RetryLater,
  sentAt: MonotonicMs,
): void {
  rates.backOff(kind, { sentAt, throttled, retryAfterMs });
  if ((retryAfterMs ?? 0) > MAX_RETRY_AFTER_MS) control.stop('error', 'now', failure);
  else if (!throttled) monitor.onFailure(failure);
}

export function createRunControl(wake: () => void) {
  let stopped: Stopped | undefined;
  let submitting = true;
  let polling = true;
  return {
    /** `when-ended` still polls jobs to their end. The first reason is kept. */
    stop: (reason: StopReason, how: 'now' | 'when-ended', failure?: unknown): void => {
      submitting = false;
      if (how === 'now') polling = false;
      stopped ??= { reason, ...(failure === undefined ? {} : { failure }) };
      wake();
    },
    stopped: (): Stopped | undefined => stopped,
    maySubmit: (): boolean => submitting,
    mayPoll: (): boolean => polling,
    /** Call it when something changed: the run's step runs soon. */
    wake,
  };
}

export type RunControl = ReturnType<typeof createRunControl>;

/** Without --max-time. */
const MAX_OUTAGE_MS = HOUR_MS;
/** Each may have been accepted: then nothing more is sent until a read is answered, and then one at a time. */
const MAX_UNANSWERED = 10;
/** Of these: reads are answered and submissions are not, which is no outage. */
const MAX_TRIALS = 20;

/** After each request. Undefined for a success; `failingSince` is the first failure since one. */
type OnRequest = (failure: Failure | undefined, failingSince: MonotonicMs | undefined) => void;

/** An outage is waited out, up to `--max-time` or an hour. */
export function createFailureMonitor(
  clock: Clock,
  control: RunControl,
  onRequest: OnRequest,
  maxTime: Milliseconds = Number.POSITIVE_INFINITY,
) {
  let failingSince: MonotonicMs | undefined;
  let [unanswered, trials] = [0, 0];
  let mayTry = false;
  const onSuccess = (): void => {
    onRequest(undefined, undefined);
    failingSince = undefined;
    if (!mayTry && unanswered >= MAX_UNANSWERED) trials += 1;
    mayTry = true;
  };
  const onFailure = (failure: Failure): void => {
    failingSince ??= clock.monotonic();
    onRequest(failure, failingSince);
    const isOver = maxTime === Number.POSITIVE_INFINITY && clock.monotonic() - failingSince > MAX_OUTAGE_MS;
    if (isOver) control.stop('error', 'now', failure);
  };
  return {
    onSuccess,
    onFailure,
    onSubmitted: (): void => {
      onSuccess();
      [unanswered, trials] = [0, 0];
    },
    /** A submission may or may not have been accepted. */
    onUnanswered: (failure: Failure): void => {
      unanswered += 1;
      mayTry = false;
      onFailure(failure);
      if (trials >= MAX_TRIALS) control.stop('error', 'now', failure);
    },
    /** How many more submissions may be on their way, `sending` being so. */
    submissionsAllowed: (sending: number): number =>
      unanswered < MAX_UNANSWERED ? Number.POSITIVE_INFINITY : mayTry && sending === 0 ? 1 : 0,
  };
}

type FailureMonitor = ReturnType<typeof createFailureMonitor>;
