import { badRequest } from '../../contract/problem.ts';
import type { ServiceSettings } from '../../http/call/settings.ts';
import { createPod, type CreatePodBody } from '../pods/configure.ts';
import type { Membership } from '../../model/pods/record.ts';
import { nextId, type State } from '../../state/state.ts';
import { clusters, type ClusterRecord } from '../../model/clusters.ts';
import type { EpochMs } from '../../../core/unit-types.ts';

export interface CreateClusterBody extends Pick<
  CreatePodBody,
  | 'image'
  | 'args'
  | 'cmd'
  | 'entrypoint'
  | 'disk'
  | 'ports'
  | 'env'
  | 'dataCenterIds'
  | 'mounts'
  | 'startSsh'
  | 'startJupyter'
  | 'templateId'
> {
  readonly name: string;
  readonly type: ClusterRecord['type'];
  readonly compute: ClusterRecord['compute'];
}

/** The image of a cluster whose body names none. */
const IMAGES: Readonly<Record<ClusterRecord['type'], string>> = {
  APPLICATION: 'example/cluster:1.0',
  TRAINING: 'example/pytorch:2.8-cuda12.8',
  SLURM: 'example/slurm:24.11',
  RAY: 'example/ray:2.48',
};

/** What a template of a cluster's pods sets, and a body with a template cannot. */
const OF_TEMPLATE = ['image', 'args', 'cmd', 'entrypoint', 'disk', 'env', 'ports', 'mounts'] as const;

/**
 * Creates a cluster with its members, all in one data center. With a template it is that of all members (additions 10).
 * Throws the Problems of `createPod`.
 */
export function createCluster(
  state: State,
  now: EpochMs,
  body: CreateClusterBody,
  settings: ServiceSettings,
): ClusterRecord {
  const { name, type, compute, ...container } = body;
  const { templateId } = container;
  const besides = OF_TEMPLATE.filter((member) => member in body);
  if (templateId !== undefined && besides.length > 0)
    throw badRequest(`${besides.join(', ')}: templateId sets it for all pods of the cluster`);
  const { gpuTypeId, gpuCountPerPod, podCount } = compute;
  const pod: CreatePodBody = {
    ...container,
    name,
    ...(templateId === undefined ? { image: body.image ?? IMAGES[type] } : {}),
    gpu: { id: gpuTypeId, count: gpuCountPerPod },
    cloud: 'SECURE',
  };
  const serial = state.serial;
  const id = nextId(state, 'cluster');
  const network = 1 + (state.serial % 250);
  const member = (rank: number, dataCenterIds: readonly string[]) =>
    createPod(state, now, { ...pod, name: `${name}-${String(rank)}`, dataCenterIds }, settings, {
      copies: podCount - rank,
      membership: membershipOf(id, type, rank, network),
    });
  let first;
  try {
    first = member(0, pod.dataCenterIds ?? []);
  } catch (error) {
    // Refused: the id of the cluster was not used.
    state.serial = serial;
    throw error;
  }
  for (let rank = 1; rank < podCount; rank++) member(rank, [first.dataCenterId]);
  const { dataCenterId } = first;
  return clusters.put(state, {
    id,
    name,
    type,
    compute,
    dataCenterId,
    network,
    createdAt: now,
    ...(templateId === undefined ? {} : { template: templateId }),
  });
}

function membershipOf(id: string, type: ClusterRecord['type'], rank: number, network: number): Membership {
  const role = roleOf(type, rank);
  return { id, rank, ...(role === undefined ? {} : { role }), ip: `10.65.${String(network)}.${String(rank + 2)}` };
}

function roleOf(type: ClusterRecord['type'], rank: number): Membership['role'] {
  switch (type) {
    case 'SLURM':
      return rank === 0 ? 'SLURM_CONTROLLER' : 'SLURM_COMPUTE';
    case 'RAY':
      return rank === 0 ? 'RAY_HEAD' : 'RAY_WORKER';
    case 'APPLICATION':
    case 'TRAINING':
      return undefined;
  }
}
