import { createRecordTable } from '../state/record-table.ts';
import type { EpochMs } from '../../core/unit-types.ts';

/** A cluster; its members are the pods whose record names it. */
export interface ClusterRecord {
  id: string;
  name: string;
  type: 'APPLICATION' | 'TRAINING' | 'SLURM' | 'RAY';
  compute: { gpuTypeId: string; gpuCountPerPod: number; podCount: number };
  dataCenterId: string;
  /** The number of its private network. */
  network: number;
  createdAt: EpochMs;
  /** The template that its pods were created from. */
  template?: string;
}

export const clusters = createRecordTable<ClusterRecord>('clusters');
