import type { ClusterRecord } from './clusters/record.ts';
import type { EndpointRecord } from './endpoints/record.ts';
import type { FaultRecord } from './faults.ts';
import type { PodRecord } from './pods/record.ts';
import type { QueueState } from './queue/state.ts';
import type { RateUsage } from './rate.ts';
import type { RegistryRecord } from './registries/record.ts';
import type { TemplateRecord } from './templates/record.ts';
import type { StorageRecord, VolumeRecord } from './volumes/record.ts';

/** Everything the local service knows, all of it JSON. Times are milliseconds since the epoch on its own clock. */
export interface State {
  readonly version: 4;
  /** When the account began. */
  readonly since: number;
  /** Added to the host's clock; `berth local clock advance` raises it. */
  clockOffsetMs: number;
  /** The last moment the state was brought up to. */
  asOf: number;
  /** Grows by one with every id handed out. */
  serial: number;
  endpoints: Record<string, EndpointRecord>;
  /** Jobs, workers and counts of every endpoint. */
  queue: QueueState;
  pods: Record<string, PodRecord>;
  clusters: Record<string, ClusterRecord>;
  volumes: Record<string, VolumeRecord>;
  /** By volume, those that are gone included. */
  storage: Record<string, StorageRecord>;
  templates: Record<string, TemplateRecord>;
  registries: Record<string, RegistryRecord>;
  /** Records that nothing but their own resource looks at, by its name: see `createShelf`. */
  shelves: Record<string, Readonly<Record<string, unknown>>>;
  /** The account's public SSH keys. */
  sshKeys: string[];
  /** What the one user has spent of each rate window. */
  rate: RateUsage;
  /** Injected by `berth local fault`, in the order they were added. */
  faults: FaultRecord[];
}

/** A new id that no record has: `pod-00002a`. */
export const nextId = (state: State, kind: string): string =>
  `${kind}-${(state.serial += 1).toString(36).padStart(6, '0')}`;

/** The records but one. */
export const without = <T>(records: Readonly<Record<string, T>>, id: string): Record<string, T> =>
  Object.fromEntries(Object.entries(records).filter(([known]) => known !== id));

export const byId = <T extends { readonly id: string }>(records: readonly T[]): Record<string, T> =>
  Object.fromEntries(records.map((record) => [record.id, record]));
