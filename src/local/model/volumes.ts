/** A network volume. */
export interface VolumeRecord {
  id: string;
  name: string;
  /** GB. */
  size: number;
  dataCenter: string;
  type: 'STANDARD' | 'HIGH_PERFORMANCE';
  createdAt: number;
}

/** The sizes a volume has had, for billing; it outlives the volume, which then has 0 GB. */
export interface StorageRecord {
  type: VolumeRecord['type'];
  sizes: { at: number; size: number }[];
}
