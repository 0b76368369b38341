import { conflict } from '../../contract/problem.ts';
import { doesNotStart } from '../../model/container.ts';
import type { PodEvent, PodRecord, Stage } from '../../model/pods.ts';
import type { EpochMs, Milliseconds } from '../../../core/unit-types.ts';

type Launch = Extract<PodEvent, { kind: 'launch' }>;

export type PodStatus = 'PROVISIONING' | 'STARTING' | 'RUNNING' | 'EXITED' | 'ERROR' | 'TERMINATED';
export type PodAction = 'start' | 'stop' | 'restart' | 'terminate';

/** How long a launched pod is PROVISIONING, and then STARTING. */
export const PROVISIONING_MS: Milliseconds = 2000;
export const STARTING_MS = 3000;

/** Which actions a status allows (contract rules, Pods). */
export const ACTIONS: Readonly<Record<PodStatus, readonly PodAction[]>> = {
  PROVISIONING: ['stop', 'terminate'],
  STARTING: ['stop', 'terminate'],
  RUNNING: ['stop', 'restart', 'terminate'],
  EXITED: ['start', 'terminate'],
  ERROR: ['start', 'terminate'],
  TERMINATED: [],
};

/** A pod's status (specification 3.1). */
export function statusAt(pod: PodRecord, now: EpochMs): PodStatus {
  const { life } = pod;
  switch (life.kind) {
    case 'launched':
      if (now < life.at + PROVISIONING_MS) return 'PROVISIONING';
      if (now < runningSince(life.at)) return 'STARTING';
      return life.fails === true ? 'ERROR' : 'RUNNING';
    case 'held':
      return life.status;
    case 'exited':
      return 'EXITED';
    case 'error':
      return 'ERROR';
    case 'terminated':
      return 'TERMINATED';
  }
}

/** How long a RUNNING pod cannot be reached yet: it has no metrics and no direct SSH (additions 6). */
const UNREACHABLE_MS: Milliseconds = 2000;

export const isReachable = (pod: PodRecord, now: EpochMs): boolean =>
  statusAt(pod, now) === 'RUNNING' && now >= (startedAt(pod, now) ?? now) + UNREACHABLE_MS;

export const startedAt = (pod: PodRecord, now: EpochMs): EpochMs | null =>
  pod.life.kind === 'launched' && statusAt(pod, now) === 'RUNNING' ? runningSince(pod.life.at) : pod.startedBefore;

const runningSince = (launchedAt: number): number => launchedAt + PROVISIONING_MS + STARTING_MS;

export type BootNote = Pick<Launch, 'fromSecrets' | 'unresolved' | 'sshKeys'>;

/** Throws the 409 Problem when the status or the lock does not allow it (contract rules, Pods). */
export function applyAction(pod: PodRecord, action: PodAction, now: EpochMs, note: BootNote = {}): void {
  const status = statusAt(pod, now);
  if (!ACTIONS[status].includes(action)) throw conflict(`a pod that is ${status} cannot ${action}`);
  if (pod.locked && (action === 'stop' || action === 'restart'))
    throw conflict(`the pod is locked: it cannot ${action}`);
  pod.startedBefore = startedAt(pod, now);
  switch (action) {
    case 'start':
      launch(pod, now);
      pod.history.push({ ...launchEvent(pod, now), ...note });
      return;
    case 'restart':
      relaunch(pod, now, note);
      return;
    case 'stop':
      pod.life = { kind: 'exited', at: now };
      pod.history.push({ kind: 'stop', at: now });
      return;
    case 'terminate':
      // A persistent mount is deleted, a network volume is detached.
      pod.mounts = {};
      pod.life = { kind: 'terminated', at: now };
      pod.history.push({ kind: 'terminate', at: now });
      return;
  }
}

/** What is outside its mounts is lost (additions 5). Others take the change at their next start. */
export function restartChanged(pod: PodRecord, now: EpochMs, note: BootNote): void {
  const status = statusAt(pod, now);
  if (pod.life.kind !== 'launched' || (status !== 'RUNNING' && status !== 'STARTING')) return;
  pod.startedBefore = startedAt(pod, now);
  relaunch(pod, now, { ...note, changed: true });
}

/** The pod keeps its machine: only the container is started again. */
function relaunch(pod: PodRecord, now: EpochMs, note: Partial<Launch>): void {
  launch(pod, now - PROVISIONING_MS);
  pod.history.push({ ...launchEvent(pod, now), ...note, restart: true });
}

function launch(pod: PodRecord, at: number): void {
  pod.globalNetworking = { ...pod.globalNetworking, active: pod.globalNetworking.wanted };
  pod.life = launchedAt(pod, at);
}

export const launchedAt = ({ image }: Pick<PodRecord, 'image'>, at: number): Stage => ({
  kind: 'launched',
  at,
  ...failing(image),
});

export const launchEvent = ({ image }: Pick<PodRecord, 'image'>, at: number): Launch => ({
  kind: 'launch',
  at,
  image,
  ...failing(image),
});

const failing = (image: string): { readonly fails?: true } => (doesNotStart(image) ? { fails: true } : {});
