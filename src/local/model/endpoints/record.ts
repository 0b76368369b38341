import type { ContainerRecord } from '../container.ts';
import type { EpochMs, Milliseconds, Seconds } from '../../../core/unit-types.ts';

/** `unserved` is the handler of an endpoint whose handler module is not served now: its jobs fail. */
export type BuiltinHandler = 'echo' | 'demo' | 'sleep' | 'fail' | 'stream' | 'unserved';

/**
 * How a program of the user serves an endpoint: `module` is given each job by this process; with `protocol` and `attach`
 * workers take their jobs by the worker protocol. This process starts the workers of `protocol`, and none of `attach`.
 */
export type ServedHandler = 'module' | 'protocol' | 'attach';

/** What serves an endpoint while this process runs: `program` is the file or command line of its workers. */
export interface Served {
  readonly handler: ServedHandler;
  readonly program?: string;
}

/** The built-in handler of an endpoint; undefined when a program of the user serves it, or there is no endpoint. */
export function builtinOf(endpoint: Pick<EndpointRecord, 'handler'> | undefined): BuiltinHandler | undefined {
  const handler = endpoint?.handler;
  return handler === 'module' || handler === 'protocol' || handler === 'attach' ? undefined : handler;
}

/** Whether the workers of an endpoint take their jobs by the worker protocol. */
export const takesByProtocol = ({ handler }: Pick<EndpointRecord, 'handler'>): boolean =>
  handler === 'protocol' || handler === 'attach';

/** A serverless endpoint. */
export interface EndpointRecord {
  id: string;
  name: string;
  type: 'QUEUE' | 'LOAD_BALANCER';
  createdAt: EpochMs;
  workers: { min: number; max: number; idleTimeout: Seconds };
  scaling: { type: 'QUEUE_DELAY'; queueDelay: number } | { type: 'REQUEST_COUNT'; requestCount: number };
  /** How long a job may run unless its policy says otherwise. */
  timeoutMs: Milliseconds;
  flashboot: string;
  /** What runs its jobs; what is served by a program of the user has it while it is served (it is not saved to the file). */
  handler: BuiltinHandler | ServedHandler;
  /** The file or command line of its workers while it is served (it is not saved to the file). */
  program?: string;
  container: ContainerRecord;
  /** Exactly one of `gpu` and `cpu` is set. */
  gpu?: EndpointGpu;
  cpu?: EndpointCpu[];
  dataCenterIds: string[];
  networkVolumes: string[];
  /** The template it was last configured from; that template counts as in use. */
  template: string | null;
  /** Increases with every change of the container: workers of an older version are stale. */
  version: number;
  /** One for each version, newest first; only the latest are kept. */
  releases: ReleaseRecord[];
  /** A public model: reachable by its slug on the queue API, and not listed among the account's endpoints. */
  hidden?: true;
}

export interface EndpointGpu {
  pools: string[];
  excludedTypes?: string[];
  count: number;
  allowedCudaVersions: string[];
  minCudaVersion: string | null;
}

export interface EndpointCpu {
  id: string;
  vcpuCount: number;
  /** GB. */
  memory: number;
}

/** The hardware of a worker: exactly one of `gpu` and `cpu` is set. */
export interface WorkerHardware {
  readonly gpu?: { readonly id: string; readonly count: number };
  readonly cpu?: { readonly id: string; readonly vcpuCount: number };
  readonly dataCenterId: string;
}

export interface ReleaseRecord {
  id: string;
  version: number;
  createdAt: EpochMs;
  diff: { field: string; old: unknown; new: unknown }[];
}

/**
 * The settings of an endpoint whose body does not name them. For idleTimeout the published contract says 10 and the rules
 * say 5: the contract is followed.
 */
export const DEFAULTS = { min: 0, max: 3, idleTimeout: 10, timeoutMs: 300_000, flashboot: 'OFF' } as const;

/** The release of a new endpoint: version 1, without differences. */
export const firstRelease = (id: string, now: EpochMs): ReleaseRecord => ({ id, version: 1, createdAt: now, diff: [] });
