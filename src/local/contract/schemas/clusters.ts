import {
  closed,
  closedExtended,
  filledText,
  flag,
  list,
  object,
  oneOfWords,
  orNull,
  partial,
  positive,
  ref,
  text,
  time,
  whole,
  type Schemas,
} from './schema.ts';

/** The published schemas of clusters, names as on the wire. */
export const clustersSchemas: Schemas = {
  ClusterType: oneOfWords('APPLICATION', 'TRAINING', 'SLURM', 'RAY'),
  ClusterCompute: closed({
    gpuTypeId: filledText,
    gpuCountPerPod: positive,
    podCount: { ...whole, minimum: 2, maximum: 250 },
  }),
  PodClusterRole: oneOfWords('SLURM_CONTROLLER', 'SLURM_COMPUTE', 'RAY_HEAD', 'RAY_WORKER'),
  PodCluster: closed({ id: text, rank: orNull('integer') }, { role: { allOf: [ref('PodClusterRole')] }, ip: text }),
  ClusterNetwork: closed({ cidr: text }, { vxlanId: whole, vxlanPort: whole }),
  ClusterPrimary: closed({ podId: text, status: ref('PodStatus') }, { sshEndpoint: text }),
  ClusterPodsSummary: closed({ total: whole, byStatus: { type: 'object', additionalProperties: whole } }),
  Cluster: object(
    {
      id: text,
      name: text,
      type: ref('ClusterType'),
      compute: ref('ClusterCompute'),
      pods: ref('ClusterPodsSummary'),
      createdAt: time,
    },
    {
      template: text,
      dataCenterId: text,
      network: { allOf: [ref('ClusterNetwork')] },
      primary: { allOf: [ref('ClusterPrimary')] },
    },
  ),
  CreateClusterRequest: closedExtended(
    'BaseContainerConfig',
    partial(
      {
        compute: ref('ClusterCompute'),
        name: filledText,
        type: ref('ClusterType'),
        dataCenterIds: list(text),
        mounts: ref('Mounts'),
        startJupyter: { ...flag, default: false },
        startSsh: { ...flag, default: false },
        templateId: filledText,
      },
      { required: ['name', 'type', 'compute'] },
    ),
  ),
  UpdateClusterRequest: closed({}, { name: filledText }, { minProperties: 1 }),
  ListClustersResponse: object({ clusters: list(ref('Cluster')) }),
};
