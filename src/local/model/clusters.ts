/** A cluster; its members are pods that name it. */
export interface ClusterRecord {
  id: string;
  name: string;
  type: 'APPLICATION' | 'TRAINING' | 'SLURM' | 'RAY';
  compute: { gpuTypeId: string; gpuCountPerPod: number; podCount: number };
  dataCenterId: string;
  /** Grows with every cluster: tells its network from the others'. */
  network: number;
  createdAt: number;
}
