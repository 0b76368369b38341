export interface VolumeRecord {
  id: string;
  name: string;
  /** GB. */
  size: number;
  dataCenter: string;
  type: 'STANDARD' | 'HIGH_PERFORMANCE';
  createdAt: number;
}
