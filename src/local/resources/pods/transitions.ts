import { conflict } from '../../contract/problem.ts';
import { doesNotStart } from '../../model/images.ts';
import type { PodEvent, PodRecord, Stage } from '../../model/pods/record.ts';

export type PodStatus = 'PROVISIONING' | 'STARTING' | 'RUNNING' | 'EXITED' | 'ERROR' | 'TERMINATED';
export type PodAction = 'start' | 'stop' | 'restart' | 'terminate';

/** How long a launched pod is PROVISIONING, and then STARTING. Milliseconds. */
export const PROVISIONING_MS = 2000;
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
export function statusAt(pod: PodRecord, now: number): PodStatus {
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

/** When the container last became RUNNING, in milliseconds since the epoch; null when it never did. */
export const startedAt = (pod: PodRecord, now: number): number | null =>
  pod.life.kind === 'launched' && statusAt(pod, now) === 'RUNNING' ? runningSince(pod.life.at) : pod.startedBefore;

const runningSince = (launchedAt: number): number => launchedAt + PROVISIONING_MS + STARTING_MS;

/** Applies an action. Throws the 409 Problem when the status or the lock does not allow it (contract rules, Pods). */
export function applyAction(pod: PodRecord, action: PodAction, now: number): void {
  const status = statusAt(pod, now);
  if (!ACTIONS[status].includes(action)) throw conflict(`a pod that is ${status} cannot ${action}`);
  if (pod.locked && (action === 'stop' || action === 'restart'))
    throw conflict(`the pod is locked: it cannot ${action}`);
  pod.startedBefore = startedAt(pod, now);
  switch (action) {
    case 'start':
      launch(pod, now);
      pod.history.push(launchEvent(pod, now));
      return;
    case 'restart':
      // The pod keeps its machine: only the container is restarted.
      launch(pod, now - PROVISIONING_MS);
      pod.history.push({ ...launchEvent(pod, now), restart: true });
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

function launch(pod: PodRecord, at: number): void {
  pod.globalNetworking = { ...pod.globalNetworking, active: pod.globalNetworking.wanted };
  pod.life = launchedAt(pod, at);
}

/** The stage of a pod that is launched at `at`. */
export const launchedAt = ({ image }: Pick<PodRecord, 'image'>, at: number): Stage => ({
  kind: 'launched',
  at,
  ...failing(image),
});

/** The event of a launch. */
export const launchEvent = (
  { image }: Pick<PodRecord, 'image'>,
  at: number,
): Extract<PodEvent, { kind: 'launch' }> => ({
  kind: 'launch',
  at,
  image,
  ...failing(image),
});

const failing = (image: string): { readonly fails?: true } => (doesNotStart(image) ? { fails: true } : {});
