import type { QueueState } from './queue/state.ts';

/** Everything the local service knows: one JSON document. Times are milliseconds since the epoch on its own clock. */
export interface State {
  readonly version: 1;
  /** Added to the host's clock; `berth local clock advance` raises it. */
  clockOffsetMs: number;
  /** The last moment the state was brought up to. */
  asOf: number;
  /** Grows by one with every id handed out. */
  serial: number;
  endpoints: Record<string, EndpointRecord>;
  /** Jobs, workers and counts of every endpoint. */
  queue: QueueState;
}

/** An endpoint as the queue needs it; the management side keeps its other members in `document`. */
export interface EndpointRecord {
  id: string;
  name: string;
  type: 'QUEUE' | 'LOAD_BALANCER';
  createdAt: number;
  workers: { min: number; max: number; /** Seconds. */ idleTimeout: number };
  scaling: { type: 'QUEUE_DELAY'; queueDelay: number } | { type: 'REQUEST_COUNT'; requestCount: number };
  /** Milliseconds a job may run unless its policy says otherwise. */
  timeoutMs: number;
  /** Raised by every change of the container: workers of an older version are stale. */
  version: number;
  /** A built-in handler, or `module` where one of the user's own serves it (not kept in a state file). */
  handler: 'echo' | 'demo' | 'sleep' | 'fail' | 'stream' | 'module';
  /** The members of the published Endpoint that the queue does not read. */
  document: Record<string, unknown>;
}
