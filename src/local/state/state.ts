import type { ClusterRecord } from '../model/clusters.ts';
import type { EndpointRecord } from '../model/endpoints/record.ts';
import type { FaultRecord } from '../frame/faults.ts';
import type { PodRecord } from '../model/pods/record.ts';
import type { QueueState } from '../queue/state/records.ts';
import type { RateUsage } from '../frame/rate-limit.ts';
import { recordsFrom, recordsOf, type Records } from './records.ts';
import type { RegistryRecord } from '../model/registries.ts';
import type { TemplateRecord } from '../model/templates/record.ts';
import type { StorageRecord, VolumeRecord } from '../model/volumes.ts';

/** Everything the local service knows, all of it JSON. Times are milliseconds since the epoch on its own clock. */
export interface State {
  readonly version: 4;
  /** When the account began. */
  readonly since: number;
  /** Another after every reset: a part of each job's id. */
  readonly generation: string;
  /** What `berth local clock advance` has added to the time, in all. Milliseconds. */
  clockOffsetMs: number;
  /** The last moment the state was brought up to. */
  asOf: number;
  /** What the wall clock showed then. It tells how long the state was not used. */
  wallAt: number;
  /** Grows by one with every id handed out, over resets too: no id comes twice. */
  serial: number;
  endpoints: Records<EndpointRecord>;
  /** Jobs, workers and counts of every endpoint. */
  queue: QueueState;
  pods: Records<PodRecord>;
  clusters: Records<ClusterRecord>;
  volumes: Records<VolumeRecord>;
  /** By volume, those that are gone included. */
  storage: Records<StorageRecord>;
  templates: Records<TemplateRecord>;
  registries: Records<RegistryRecord>;
  /** Records that nothing but their own resource looks at, by its name: see `createShelf`. */
  shelves: Records<Records<unknown>>;
  /** The account's public SSH keys. */
  sshKeys: string[];
  /** What the one user has spent of each rate window. */
  rate: RateUsage;
  /** Injected by `berth local fault`, in the order they were added. */
  faults: FaultRecord[];
}

/** Of a state whose file does not say. */
export const NO_GENERATION = '00000000';

/** A new id that no record has: `pod-00002a`. */
export const nextId = (state: State, kind: string): string =>
  `${kind}-${(state.serial += 1).toString(36).padStart(6, '0')}`;

/** A state that was parsed from JSON, its records made such that no key has a meaning of its own. */
export function revived(state: State): State {
  const { queue } = state;
  return {
    ...state,
    // Files of before these two members existed lack them.
    generation: (state as Partial<State>).generation ?? NO_GENERATION,
    wallAt: (state as Partial<State>).wallAt ?? state.asOf - state.clockOffsetMs,
    endpoints: recordsOf(state.endpoints),
    pods: recordsOf(state.pods),
    clusters: recordsOf(state.clusters),
    volumes: recordsOf(state.volumes),
    storage: recordsOf(state.storage),
    templates: recordsOf(state.templates),
    registries: recordsOf(state.registries),
    shelves: recordsFrom(Object.entries(state.shelves).map(([name, shelf]) => [name, recordsOf(shelf)])),
    queue: {
      ...queue,
      jobs: recordsOf(queue.jobs),
      lanes: recordsFrom(
        Object.entries(queue.lanes).map(([id, lane]) => [id, { ...lane, workers: recordsOf(lane.workers) }]),
      ),
      awaited: recordsOf(queue.awaited),
      usage: recordsOf(queue.usage),
      windows: recordsOf(queue.windows),
    },
  };
}
