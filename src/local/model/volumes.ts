import { DAY_MS, type EpochMs } from '../../core/unit-types.ts';
import { createPart, createRecordTable, type Records, recordsFrom } from '../state/state.ts';
import { SEED_OFFSET_MS } from './records.ts';

export interface VolumeRecord {
  id: string;
  name: string;
  /** GB. */
  size: number;
  dataCenter: string;
  type: 'STANDARD' | 'HIGH_PERFORMANCE';
  createdAt: EpochMs;
}

/** The sizes a volume has had, for billing. It is kept after the volume is deleted; the last size is then 0. */
export interface StorageRecord {
  type: VolumeRecord['type'];
  /** Sizes in GB, each from `at` on. */
  sizes: { at: number; size: number }[];
}

const seedVolumes = (since: number): readonly VolumeRecord[] => [
  {
    id: 'vol-datasets',
    name: 'datasets',
    size: 2048,
    dataCenter: 'EU-NORTH-1',
    type: 'HIGH_PERFORMANCE',
    createdAt: since - SEED_OFFSET_MS - 60 * DAY_MS,
  },
  {
    id: 'vol-checkpoints',
    name: 'checkpoints',
    size: 500,
    dataCenter: 'US-EAST-1',
    type: 'STANDARD',
    createdAt: since - SEED_OFFSET_MS - 40 * DAY_MS,
  },
  {
    id: 'vol-scratch',
    name: 'scratch',
    size: 10,
    dataCenter: 'EU-WEST-1',
    type: 'STANDARD',
    createdAt: since - SEED_OFFSET_MS - DAY_MS,
  },
];

export const volumes = createRecordTable<VolumeRecord>('volumes', seedVolumes);

/** By volume id, deleted volumes included. */
export const storage = createPart<Records<StorageRecord>>('storage', (since) =>
  recordsFrom(
    seedVolumes(since).map(({ id, type, size, createdAt }) => [id, { type, sizes: [{ at: createdAt, size }] }]),
  ),
);
