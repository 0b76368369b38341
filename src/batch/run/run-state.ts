import type { EndEvent } from '../model/item-states.ts';
import type { LineOwner } from '../model/result-line.ts';
import {
  MAX_RETRY_AFTER_MS,
  type MonotonicMs,
  type RequestKind,
  type RunLimits,
  type Stopped,
  type StopReason,
} from '../model/run-end.ts';
import type { RequestRates } from './adaptive-rate.ts';
import type { QueueClient, RetryLater } from './queue-client.ts';
import type { RunRecords } from '../store/records.ts';
import type { RateWindow } from '../../core/api.ts';
import type { Clock } from '../../core/context.ts';
import type { Failure } from '../../core/failure.ts';
import type { Json } from '../../core/json.ts';
import type { Milliseconds } from '../../core/unit-types.ts';

export interface RunOptions extends RunLimits {
  /** Undefined for the service's default. */
  readonly ttlMs?: Milliseconds | undefined;
}

export interface RunObserver {
  readonly onReady?: (applyWindows: (windows: readonly RateWindow[]) => void) => void;
  readonly onExecuted?: (milliseconds: Milliseconds) => void;
  readonly onRequest?: OnRequest;
  /** A submission may or may not have been accepted. */
  readonly onUnknown?: (failure: Failure) => void;
  readonly onEnded?: (event: EndEvent, document: Json) => void;
  /** A job that failed in an earlier run cannot be retried. */
  readonly onNotRetried?: (refusal: Failure) => void;
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

/** Then the batch stops: milliseconds without a success. */
const MAX_FAILING_MS = 120_000;
/** Then the batch stops: each may have been accepted. */
const MAX_UNKNOWN_IN_ROW = 20;

/** After each request. Undefined for a success; `failingSince` is the first failure since one. */
type OnRequest = (failure: Failure | undefined, failingSince: MonotonicMs | undefined) => void;

export function createFailureMonitor(clock: Clock, control: RunControl, onRequest: OnRequest) {
  let failingSince: MonotonicMs | undefined;
  let unknownInRow = 0;
  return {
    onSuccess: (): void => {
      onRequest(undefined, undefined);
      failingSince = undefined;
      unknownInRow = 0;
    },
    /** Also when a submission may or may not have been accepted. */
    onFailure: (failure: Failure): void => {
      const now = clock.monotonic();
      failingSince ??= now;
      onRequest(failure, failingSince);
      unknownInRow += failure.code === 'outcome-unknown' ? 1 : 0;
      if (now - failingSince > MAX_FAILING_MS || unknownInRow >= MAX_UNKNOWN_IN_ROW)
        control.stop('error', 'now', failure);
    },
  };
}

type FailureMonitor = ReturnType<typeof createFailureMonitor>;
