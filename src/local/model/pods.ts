import { DAY_MS, type EpochMs, HOUR_MS } from '../../core/unit-types.ts';
import { type ContainerRecord, type MountsRecord, newContainer } from './container.ts';
import { SEED_OFFSET_MS, SEED_SSH_KEY } from './records.ts';
import { createRecordTable, type State } from '../state/state.ts';

/** The status is computed from this and the time, so no timer is needed. */
export type Stage =
  /** `fails`: its container ends as soon as it has started. */
  | { readonly kind: 'launched'; readonly at: EpochMs; readonly fails?: true }
  /** A seeded pod that keeps this status, so that there is always a pod with it. */
  | { readonly kind: 'held'; readonly status: 'PROVISIONING' | 'STARTING' }
  | { readonly kind: 'exited' | 'error' | 'terminated'; readonly at: EpochMs };

/** Append-only: logs and costs are computed from these, and those of the past must not change. */
export type PodEvent =
  | {
      readonly kind: 'launch';
      readonly at: EpochMs;
      readonly image: string;
      /** The pod keeps its machine: nothing is provisioned. */
      readonly restart?: true;
      readonly changed?: true;
      /** The variables that got the value of a secret, and those whose placeholder names none. */
      readonly fromSecrets?: readonly string[];
      readonly unresolved?: readonly string[];
      /** The account's SSH keys then: those that are added later open it from its next start on. */
      readonly sshKeys?: readonly string[];
      /** The status it does not get beyond. */
      readonly held?: 'PROVISIONING' | 'STARTING';
      readonly fails?: true;
    }
  /** Storage in GB from `at` on: the container's disk, and the persistent mount. */
  | { readonly kind: 'storage'; readonly at: EpochMs; readonly disk: number; readonly persistent: number }
  | { readonly kind: 'stop' | 'terminate'; readonly at: EpochMs }
  /** `lastLine` is what the container wrote before it ended, where that is not the usual line. */
  | { readonly kind: 'fail'; readonly at: EpochMs; readonly lastLine?: string };

/** Percent; until a time in milliseconds, or permanent. */
export interface PodUse {
  readonly gpu?: number;
  readonly cpu?: number;
  readonly memory?: number;
  readonly until?: EpochMs;
}

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
  withoutGpu?: true;
  use?: PodUse;
}

export const storageEvent = ({ disk, mounts }: Pick<PodRecord, 'disk' | 'mounts'>, at: EpochMs): PodEvent => ({
  kind: 'storage',
  at,
  disk,
  persistent: mounts.persistent?.size ?? 0,
});

export function seedPods(now: EpochMs): PodRecord[] {
  const then = now - SEED_OFFSET_MS;
  const pod = (id: string, name: string, rest: Partial<PodRecord>): PodRecord =>
    withHistory({
      id,
      name,
      ...newContainer(),
      image: 'example/pytorch:2.8-cuda12.8',
      mounts: {},
      gpu: { id: 'GPU-24G', count: 1 },
      cloud: 'SECURE',
      dataCenterId: 'EU-NORTH-1',
      cudaVersion: '12.8',
      template: null,
      locked: false,
      globalNetworking: { wanted: false, active: false },
      price: 0.69,
      createdAt: then - DAY_MS,
      startedBefore: null,
      life: { kind: 'launched', at: then - DAY_MS },
      history: [],
      ...rest,
    });
  const cpu = (id: string, name: string, rest: Partial<PodRecord>): PodRecord => {
    const { gpu: _gpu, ...made } = pod(id, name, {
      image: 'example/ubuntu:24.04',
      cpu: { id: 'cpu-general', vcpuCount: 4, memory: 16 },
      cudaVersion: null,
      price: 0.12,
      ...rest,
    });
    return made;
  };
  return [
    pod('pod-train', 'train-llm', {
      args: 'python train.py --epochs 3',
      disk: 50,
      ports: ['8888/http', '22/tcp', '6006/http'],
      env: { PUBLIC_KEY: SEED_SSH_KEY, EPOCHS: '3', DATA: '/workspace/data' },
      mounts: { network: [{ volumeId: 'vol-datasets', path: '/workspace' }] },
      gpu: { id: 'GPU-80G', count: 2 },
      registry: 'reg-team',
      globalNetworking: { wanted: true, active: true },
      price: 4.78,
      createdAt: then - 3 * DAY_MS,
      life: { kind: 'launched', at: then - 50 * HOUR_MS },
    }),
    pod('pod-notebook', 'notebook-été-日本語', {
      ports: ['8888/http', '22/tcp'],
      env: { PUBLIC_KEY: SEED_SSH_KEY, JUPYTER_PASSWORD: 'jupyter-pod-notebook' },
      mounts: { persistent: { size: 100, path: '/workspace' } },
      cloud: 'COMMUNITY',
      dataCenterId: 'EU-WEST-1',
      price: 0.34,
      life: { kind: 'launched', at: then - 2 * HOUR_MS },
    }),
    cpu('pod-web', 'web-frontend', {
      ports: ['8080/http', '53/udp'],
      locked: true,
      createdAt: then - 30 * DAY_MS,
      life: { kind: 'launched', at: then - 12 * DAY_MS },
    }),
    pod('pod-provisioning', 'allocating', {
      gpu: { id: 'GPU-16G', count: 1 },
      price: 0.22,
      createdAt: now - 20_000,
      life: { kind: 'held', status: 'PROVISIONING' },
    }),
    cpu('pod-starting', 'pulling-a-large-image', {
      image: 'registry.example/team/very/deep/path/of-a-large-image@sha256:0123456789abcdef0123456789abcdef',
      createdAt: now - 90_000,
      life: { kind: 'held', status: 'STARTING' },
    }),
    pod('pod-stopped', 'old-experiment', {
      mounts: { network: [{ volumeId: 'vol-checkpoints', path: '/data' }] },
      gpu: { id: 'GPU-48G', count: 1 },
      dataCenterId: 'US-EAST-1',
      price: 0.86,
      createdAt: then - 9 * DAY_MS,
      startedBefore: then - 8 * DAY_MS,
      life: { kind: 'exited', at: then - 7 * DAY_MS },
    }),
    cpu('pod-stopped-cpu', 'nightly-report', {
      cpu: { id: 'cpu-memory', vcpuCount: 2, memory: 16 },
      dataCenterId: 'EU-WEST-1',
      price: 0.084,
      startedBefore: then - 20 * HOUR_MS,
      life: { kind: 'exited', at: then - 19 * HOUR_MS },
    }),
    pod('pod-broken', 'exits-at-once', {
      image: 'example/does-not-start:latest',
      args: 'sh -c "exit 1"',
      gpu: { id: 'GPU-192G', count: 1 },
      dataCenterId: 'EU-WEST-1',
      cudaVersion: null,
      price: 2.69,
      createdAt: then - 5 * HOUR_MS,
      startedBefore: then - 5 * HOUR_MS + 5000,
      life: { kind: 'error', at: then - 5 * HOUR_MS + 40_000 },
    }),
    pod('pod-terminated', 'last-week', {
      createdAt: then - 10 * DAY_MS,
      startedBefore: then - 10 * DAY_MS,
      life: { kind: 'terminated', at: then - 6 * DAY_MS },
    }),
  ];
}

const END_OF = { exited: 'stop', error: 'fail', terminated: 'terminate' } as const;

function withHistory(pod: PodRecord): PodRecord {
  const { life, image, createdAt } = pod;
  const first: PodEvent = { kind: 'launch', at: createdAt, image };
  const history = (): PodEvent[] => {
    if (life.kind === 'held') return [{ ...first, held: life.status }];
    if (life.kind !== 'launched') return [first, { kind: END_OF[life.kind], at: life.at }];
    return life.at > createdAt ? [first, { ...first, at: life.at }] : [first];
  };
  return { ...pod, history: [storageEvent(pod, createdAt), ...history()] };
}

/** Terminated ones and members of clusters included. */
export const pods = createRecordTable<PodRecord>('pods', seedPods);

export const presentPods = (state: State): readonly PodRecord[] =>
  pods.all(state).filter(({ life }) => life.kind !== 'terminated');

/** A name with escape sequences for colour, the window title and the clipboard, and a change of the text direction. */
const HOSTILE_NAME =
  'evil \u001b[31mred\u001b[0m \u001b]0;title\u0007\u001b]52;c;ZXZpbA==\u0007 \u009b2J \u202egnp.exe\u202c\ttab\nline';

const HOSTILE_LINE = 'fatal \u001b[31mred\u001b[0m \u001b]0;title\u0007\u001b]52;c;ZXZpbA==\u0007 \u202egnp.exe\u202c';

const LONG_NAME = `a-very-long-name-${'that-goes-on-and-on-'.repeat(12)}and-ends`;

export function giveOddTexts(state: State): void {
  const broken = pods.find(state, 'pod-broken');
  broken.name = HOSTILE_NAME;
  broken.history = broken.history.map((event): PodEvent =>
    event.kind === 'fail' ? { ...event, lastLine: HOSTILE_LINE } : event,
  );
  pods.find(state, 'pod-stopped').name = LONG_NAME;
}
