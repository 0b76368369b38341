/** `unserved`: the endpoint of a handler module that is not served now. */
export type BuiltinHandler = 'echo' | 'demo' | 'sleep' | 'fail' | 'stream' | 'unserved';

/** A serverless endpoint. Times are milliseconds since the epoch. */
export interface EndpointRecord {
  id: string;
  name: string;
  type: 'QUEUE' | 'LOAD_BALANCER';
  createdAt: number;
  workers: { min: number; max: number; /** Seconds. */ idleTimeout: number };
  scaling: { type: 'QUEUE_DELAY'; queueDelay: number } | { type: 'REQUEST_COUNT'; requestCount: number };
  /** Milliseconds a job may run unless its policy says otherwise. */
  timeoutMs: number;
  flashboot: string;
  /** A built-in handler, or `module` where one of the user's own serves it (not kept in a state file). */
  handler: BuiltinHandler | 'module';
  container: ContainerRecord;
  /** Exactly one of the two. */
  gpu?: EndpointGpu;
  cpu?: EndpointCpu[];
  dataCenterIds: string[];
  networkVolumes: string[];
  /** The template it was last given; while it is, that template is in use. */
  template: string | null;
  /** Raised by every change of the container: workers of an older version are stale. */
  version: number;
  /** One for each version, newest first; the oldest fall off. */
  releases: ReleaseRecord[];
  /** A public model: it answers to its slug on the queue API and is nobody's endpoint. */
  hidden?: true;
}

/** The container configuration that endpoints share with pods and templates (specification 2.1). */
export interface ContainerRecord {
  image: string;
  args: string;
  /** GB. */
  disk: number;
  ports: string[];
  env: Record<string, string>;
  registry: string | null;
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

/** What a worker runs on: exactly one of `gpu` and `cpu`. */
export interface WorkerHardware {
  readonly gpu?: { readonly id: string; readonly count: number };
  readonly cpu?: { readonly id: string; readonly vcpuCount: number };
  readonly dataCenterId: string;
}

export interface ReleaseRecord {
  id: string;
  version: number;
  createdAt: number;
  diff: { field: string; old: unknown; new: unknown }[];
}

/**
 * What holds where a body does not say. The published contract and the rules differ on idleTimeout (10 and 5): the
 * contract goes first.
 */
export const DEFAULTS = { min: 0, max: 3, idleTimeout: 10, timeoutMs: 300_000, disk: 20, flashboot: 'OFF' } as const;
