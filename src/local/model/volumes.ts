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

const seedVolumes = (since: number): readonly VolumeRecord[] => {
  const volume = (name: string, size: number, dataCenter: string, type: VolumeRecord['type'], days: number) => ({
    id: `vol-${name}`,
    name,
    size,
    dataCenter,
    type,
    createdAt: since - SEED_OFFSET_MS - days * DAY_MS,
  });
  return [
    volume('datasets', 2048, 'EU-NORTH-1', 'HIGH_PERFORMANCE', 60),
    volume('checkpoints', 500, 'US-EAST-1', 'STANDARD', 40),
    volume('scratch', 10, 'EU-WEST-1', 'STANDARD', 1),
  ];
};

export const volumes = createRecordTable<VolumeRecord>('volumes', seedVolumes);

/** By volume id, deleted volumes included. */
export const storage = createPart<Records<StorageRecord>>('storage', (since) =>
  recordsFrom(
    seedVolumes(since).map(({ id, type, size, createdAt }) => [id, { type, sizes: [{ at: createdAt, size }] }]),
  ),
);
