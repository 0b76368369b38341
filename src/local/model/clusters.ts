import { createRecordTable } from '../state/record-table.ts';

/** A cluster; its members are the pods whose record names it. */
export interface ClusterRecord {
  id: string;
  name: string;
  type: 'APPLICATION' | 'TRAINING' | 'SLURM' | 'RAY';
  compute: { gpuTypeId: string; gpuCountPerPod: number; podCount: number };
  dataCenterId: string;
  /** The number of its private network. */
  network: number;
  createdAt: number;
  /** The template that its pods were created from. */
  template?: string;
}

export const clusters = createRecordTable<ClusterRecord>('clusters');
