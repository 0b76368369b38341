import { type Json, memberAt, numberAt } from '../../../core/json.ts';
import { diskSize, withStoppedDisk } from '../../shared/rate/stopped-disks.ts';
import { usedVolumeIds } from '../../shared/rate/used-volume-ids.ts';
import type { Kind } from './costs.ts';
import { idOf } from '../../../output/view.ts';

/** A resource that costs money and does nothing. */
export interface Idle {
  readonly kind: Kind;
  readonly id: string;
  readonly why: string;
  /** Only its disk is idle: it also cost what it did before. */
  readonly diskOnly?: true;
}

/** The resources of an account; undefined where a list could not be read. */
export interface Fleet {
  readonly pods: readonly Json[] | undefined;
  readonly endpoints: readonly Json[] | undefined;
  readonly volumes: readonly Json[] | undefined;
  /** The health of endpoints, by id. */
  readonly health: ReadonlyMap<string, Json>;
}

/** Returns pods in ERROR, stopped pods that keep a disk, endpoints whose workers only wait, and volumes that nothing mounts. */
export function idleResources({ pods, endpoints, volumes, health }: Fleet): readonly Idle[] {
  const failed = (pods ?? [])
    .filter((pod) => memberAt(pod, 'status') === 'ERROR')
    .map((pod): Idle => ({ kind: 'pod', id: idOf(pod), why: 'is in ERROR' }));
  const stopped = withStoppedDisk(pods ?? []).map((pod): Idle => ({
    kind: 'pod',
    id: idOf(pod),
    why: `is stopped now and keeps a disk of ${diskSize([pod])}, which is paid on`,
    diskOnly: true,
  }));
  const waiting = (endpoints ?? []).flatMap((endpoint): Idle[] => {
    const workers = waitingWorkers(health.get(idOf(endpoint)));
    if (workers === 0) return [];
    const which = workers === 1 ? 'a worker that only waits' : `${workers} workers that only wait`;
    return [{ kind: 'endpoint', id: idOf(endpoint), why: `has ${which}` }];
  });
  // Without one of the lists, a volume may be in use by what is missing.
  const mounted = pods === undefined || endpoints === undefined ? undefined : usedVolumeIds(pods, endpoints);
  const unused = (volumes ?? [])
    .filter((volume) => mounted?.has(idOf(volume)) === false)
    .map((volume): Idle => ({ kind: 'volume', id: idOf(volume), why: 'is mounted nowhere' }));
  return [...failed, ...stopped, ...waiting, ...unused];
}

/** Workers that are there while no job is queued or running (specification 4.5, detail 8). */
function waitingWorkers(health: Json | undefined): number {
  const count = (path: string): number => numberAt(health, path) ?? 0;
  const busy = count('jobs.inQueue') + count('jobs.inProgress') + count('workers.running');
  return busy > 0 ? 0 : count('workers.idle');
}
