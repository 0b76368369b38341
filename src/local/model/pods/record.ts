import type { ContainerRecord } from '../container.ts';
import type { EpochMs } from '../../../core/unit-types.ts';

/** Storage mounted on a pod, as in answers (specification 2.3). */
export interface MountsRecord {
  persistent?: { size: number; path: string };
  network?: { volumeId: string; path: string }[];
}

/**
 * The stage a pod is in. Its status is computed from this and the time, so that no timer is needed.
 */
export type Stage =
  /** `fails`: its container ends as soon as it has started. */
  | { readonly kind: 'launched'; readonly at: EpochMs; readonly fails?: true }
  /** A seeded pod that keeps this status, so that there is always a pod with it. */
  | { readonly kind: 'held'; readonly status: 'PROVISIONING' | 'STARTING' }
  | { readonly kind: 'exited'; readonly at: EpochMs }
  | { readonly kind: 'error'; readonly at: EpochMs }
  | { readonly kind: 'terminated'; readonly at: EpochMs };

/**
 * An event in a pod's history. Its logs and its costs are computed from the events and the time. Events are only appended,
 * so that logs and costs of the past do not change.
 */
export type PodEvent =
  | {
      readonly kind: 'launch';
      readonly at: EpochMs;
      readonly image: string;
      /** The pod keeps its machine: nothing is provisioned. */
      readonly restart?: true;
      /** It was restarted because its configuration has changed. */
      readonly changed?: true;
      /** The variables that got the value of a secret, and those whose placeholder names none. */
      readonly fromSecrets?: readonly string[];
      readonly unresolved?: readonly string[];
      /** The account's SSH keys then: those that are added later open it from its next start on. */
      readonly sshKeys?: readonly string[];
      /** The status it does not get beyond. */
      readonly held?: 'PROVISIONING' | 'STARTING';
      /** Its container ends as soon as it has started. */
      readonly fails?: true;
    }
  /** Storage in GB from `at` on: the container's disk, and the persistent mount. */
  | { readonly kind: 'storage'; readonly at: EpochMs; readonly disk: number; readonly persistent: number }
  | { readonly kind: 'stop' | 'terminate'; readonly at: EpochMs }
  /** `lastLine` is what the container wrote before it ended, where that is not the usual line. */
  | { readonly kind: 'fail'; readonly at: EpochMs; readonly lastLine?: string };

/** What a pod's container uses, in percent, where `berth local pods use` has set it: until a time in milliseconds, or for good. */
export interface PodUse {
  readonly gpu?: number;
  readonly cpu?: number;
  readonly memory?: number;
  readonly until?: EpochMs;
}

/** A pod's membership in a cluster. */
export interface Membership {
  readonly id: string;
  readonly rank: number;
  readonly role?: 'SLURM_CONTROLLER' | 'SLURM_COMPUTE' | 'RAY_HEAD' | 'RAY_WORKER';
  readonly ip: string;
}

export interface PodRecord extends ContainerRecord {
  id: string;
  name: string;
  mounts: MountsRecord;
  /** Exactly one of `gpu` and `cpu` is set. */
  gpu?: { id: string; count: number };
  cpu?: { id: string; vcpuCount: number; memory: number };
  cloud: 'SECURE' | 'COMMUNITY';
  dataCenterId: string;
  cudaVersion: string | null;
  template: string | null;
  locked: boolean;
  /** `active` becomes `wanted` at the next start. */
  globalNetworking: { wanted: boolean; active: boolean };
  /** US dollars an hour while it has hardware. */
  price: number;
  createdAt: EpochMs;
  /** When the container last became RUNNING in an earlier stage. */
  startedBefore: number | null;
  life: Stage;
  /** Oldest first. */
  history: PodEvent[];
  cluster?: Membership;
  /** It was started without its GPUs. */
  withoutGpu?: true;
  use?: PodUse;
}

/** The event that records a pod's storage from `at` on. */
export const storageEvent = ({ disk, mounts }: Pick<PodRecord, 'disk' | 'mounts'>, at: EpochMs): PodEvent => ({
  kind: 'storage',
  at,
  disk,
  persistent: mounts.persistent?.size ?? 0,
});
