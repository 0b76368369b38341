import type { Json } from '../../core/json.ts';
import type { Operation, Problem } from '../operation.ts';
import type { EndpointRecord, State } from '../state.ts';
import { emptyQueue, type QueueState } from './state.ts';

/** The queue's rows of the table. `queueLimits` turns the known limits per endpoint on (contract rules, Queue API). */
export function createQueueOperations(_options: { readonly queueLimits: boolean }): readonly Operation[] {
  return [];
}

/** The queue of a new account. */
export const seedQueue = (now: number): QueueState => emptyQueue(now);

/** The endpoints of a new account; the model slug's has `document.hidden`, and lists leave it out. */
export const seedEndpoints = (_now: number): EndpointRecord[] => [];

/** Brings every queue up to a moment: what was to happen by then has happened, in order of time. */
export function advanceQueue(_state: State, _now: number): void {
  // Nothing yet.
}

/** The next moment at which something changes by itself; undefined where all is at rest. */
export const nextQueueEvent = (_state: State): number | undefined => undefined;

/** Ends an endpoint's queue: jobs that wait or run are cancelled, workers gone. Does not remove the endpoint. */
export function dropEndpoint(_state: State, _endpointId: string, _now: number): void {
  // Nothing yet.
}

/** The queue API's own shape of a refusal (contract rules, Queue API). */
export const queueError = (problem: Problem): Json => ({ error: problem.message });

export interface RunnerOptions {
  /** One atomic step on the state, brought up to `now`, as in `Call`. */
  transact<T>(step: (state: State, now: number) => T): Promise<T>;
  /** Endpoint id or name to the absolute path or `file:` URL of a handler module. */
  readonly handlers: Readonly<Record<string, string>>;
  /** POSTs a JSON text and gives the answer's status; rejects where there was none. */
  fetchWebhook(url: string, body: string): Promise<number>;
}

export interface Runner {
  /** Looks at the state once: starts, ends and reports what is due. Call it after steps and every 100 ms or so. */
  tick(): Promise<void>;
  /** Ends every handler for real; nothing is reported after it. */
  stop(): Promise<void>;
}

/** Runs handler modules of the user's own and delivers webhooks, for `local serve` and `local exec`. */
export function createRunner(_options: RunnerOptions): Runner {
  return { tick: () => Promise.resolve(), stop: () => Promise.resolve() };
}
