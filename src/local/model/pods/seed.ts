import { DAY_MS, HOUR_MS } from '../../../core/durations.ts';
import { createRecordTable } from '../../state/record-table.ts';
import { newContainer } from '../container.ts';
import { SEED_OFFSET_MS } from '../seed-offset.ts';
import { SEED_SSH_KEY } from '../ssh-keys.ts';
import { storageEvent, type PodEvent, type PodRecord } from './record.ts';
import type { EpochMs } from '../../../core/unit-types.ts';

/** The pods of a new account: one of every status and kind. Ids are easy to remember. */
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

/** The pod with a history that ends in its stage. */
function withHistory(pod: PodRecord): PodRecord {
  const { life, image, createdAt } = pod;
  const launch = (at: number): PodEvent => ({ kind: 'launch', at, image });
  const history = (): PodEvent[] => {
    switch (life.kind) {
      case 'launched':
        return life.at > createdAt ? [launch(createdAt), launch(life.at)] : [launch(life.at)];
      case 'held':
        return [{ kind: 'launch', at: createdAt, image, held: life.status }];
      case 'exited':
        return [launch(createdAt), { kind: 'stop', at: life.at }];
      case 'error':
        return [launch(createdAt), { kind: 'fail', at: life.at }];
      case 'terminated':
        return [launch(createdAt), { kind: 'terminate', at: life.at }];
    }
  };
  return { ...pod, history: [storageEvent(pod, createdAt), ...history()] };
}

/** All pods, terminated ones and members of clusters included. */
export const pods = createRecordTable<PodRecord>('pods', seedPods);
