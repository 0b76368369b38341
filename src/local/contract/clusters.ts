import { closed, flag, list, object, oneOfWords, orNull, ref, text, time, whole, type Schemas } from './schema.ts';

/** The published schemas of clusters, names as on the wire. */
export const clustersSchemas: Schemas = {
  ClusterType: oneOfWords('APPLICATION', 'TRAINING', 'SLURM', 'RAY'),
  ClusterCompute: closed(['gpuTypeId', 'gpuCountPerPod', 'podCount'], {
    gpuTypeId: { ...text, minLength: 1 },
    gpuCountPerPod: { ...whole, minimum: 1 },
    podCount: { ...whole, minimum: 2, maximum: 250 },
  }),
  PodClusterRole: oneOfWords('SLURM_CONTROLLER', 'SLURM_COMPUTE', 'RAY_HEAD', 'RAY_WORKER'),
  PodCluster: closed(['id', 'rank'], {
    id: text,
    rank: orNull('integer'),
    role: { allOf: [ref('PodClusterRole')] },
    ip: text,
  }),
  ClusterNetwork: closed(['cidr'], { cidr: text, vxlanId: whole, vxlanPort: whole }),
  ClusterPrimary: closed(['podId', 'status'], { podId: text, status: ref('PodStatus'), sshEndpoint: text }),
  ClusterPodsSummary: closed(['total', 'byStatus'], {
    total: whole,
    byStatus: { type: 'object', additionalProperties: whole },
  }),
  Cluster: object(['id', 'name', 'type', 'compute', 'pods', 'createdAt'], {
    id: text,
    name: text,
    type: ref('ClusterType'),
    compute: ref('ClusterCompute'),
    template: text,
    dataCenterId: text,
    pods: ref('ClusterPodsSummary'),
    network: { allOf: [ref('ClusterNetwork')] },
    primary: { allOf: [ref('ClusterPrimary')] },
    createdAt: time,
  }),
  CreateClusterRequest: {
    allOf: [
      ref('BaseContainerConfig'),
      object(['name', 'type', 'compute'], {
        compute: ref('ClusterCompute'),
        name: { ...text, minLength: 1 },
        type: ref('ClusterType'),
        dataCenterIds: list(text),
        mounts: ref('Mounts'),
        startJupyter: { ...flag, default: false },
        startSsh: { ...flag, default: false },
      }),
    ],
    unevaluatedProperties: false,
  },
  UpdateClusterRequest: closed([], { name: { ...text, minLength: 1 } }, { minProperties: 1 }),
  ListClustersResponse: object(['clusters'], { clusters: list(ref('Cluster')) }),
};
