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
  cluster?: { id: string; rank: number };
}
