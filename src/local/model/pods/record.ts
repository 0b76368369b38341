/** Storage mounted on a pod, as in answers (specification 2.3). */
export interface MountsRecord {
  persistent?: { size: number; path: string };
  network?: { volumeId: string; path: string }[];
}

/**
 * A pod's life. Its status follows from this and the time alone, so that nothing has to happen for a pod to move on.
 * Times are milliseconds since the epoch.
 */
export type Life =
  | { readonly kind: 'launched'; readonly at: number }
  /** A seeded pod that stays as it is, so that there is always one to look at. */
  | { readonly kind: 'held'; readonly status: 'PROVISIONING' | 'STARTING' }
  | { readonly kind: 'exited'; readonly at: number }
  | { readonly kind: 'error'; readonly at: number }
  | { readonly kind: 'terminated'; readonly at: number };

/**
 * What happened to a pod. Its logs and what it cost follow from this and the time alone; an event is added and never
 * changed, so that what was told of the past stays so. Times are milliseconds since the epoch.
 */
export type PodEvent =
  | {
      readonly kind: 'launch';
      readonly at: number;
      readonly image: string;
      /** The machine is kept: there is nothing to provision. */
      readonly restart?: true;
      /** It gets no further than this. */
      readonly held?: 'PROVISIONING' | 'STARTING';
    }
  /** Storage in GB from here on: the container's, and the persistent mount's. */
  | { readonly kind: 'storage'; readonly at: number; readonly disk: number; readonly persistent: number }
  | { readonly kind: 'stop' | 'fail' | 'terminate'; readonly at: number };

/** A pod's place in a cluster. */
export interface Membership {
  readonly id: string;
  readonly rank: number;
  readonly role?: 'SLURM_CONTROLLER' | 'SLURM_COMPUTE' | 'RAY_HEAD' | 'RAY_WORKER';
  readonly ip: string;
}

export interface PodRecord {
  id: string;
  name: string;
  image: string;
  args: string;
  /** GB. */
  disk: number;
  ports: string[];
  env: Record<string, string>;
  registry: string | null;
  mounts: MountsRecord;
  /** Exactly one of the two. */
  gpu?: { id: string; count: number };
  cpu?: { id: string; vcpuCount: number; memory: number };
  cloud: 'SECURE' | 'COMMUNITY';
  dataCenterId: string;
  cudaVersion: string | null;
  template: string | null;
  locked: boolean;
  /** Wanted is taken up at the next start. */
  globalNetworking: { wanted: boolean; active: boolean };
  /** US dollars an hour while it holds hardware. */
  price: number;
  createdAt: number;
  /** When the container last became RUNNING before the life it has now. */
  startedBefore: number | null;
  life: Life;
  /** Oldest first. */
  history: PodEvent[];
  cluster?: Membership;
}
