import type { Json } from '../../core/json.ts';
import type { Problem } from '../contract/problem.ts';
import { emptyQueue, type QueueState } from './state/records.ts';

export { advanceQueue, dropEndpoint, nextQueueEvent } from './engine/engine.ts';
export { createQueueOperations, type QueueOptions, type StreamShape } from './api/operations.ts';
export { createRunner, type Runner, type RunnerOptions } from '../workers/runner.ts';
export { usageOf } from './engine/usage.ts';

/** The queue of a new account. */
export const seedQueue = (now: number): QueueState => emptyQueue(now);

/** The queue API's own shape of a refusal (contract rules, Queue API). */
export const queueError = (problem: Problem): Json => ({ error: problem.message });
