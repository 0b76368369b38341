import type { Json } from '../../core/json.ts';
import type { EpochMs } from '../../core/unit-types.ts';
import { asBadRequest, badRequest } from '../contract/problem.ts';
import { type Call, found, type Operation, type ServiceSettings, shown, steps } from '../http/operation.ts';
import { WHOLE_LIST } from '../http/pages.ts';
import { type Membership, type PodRecord, presentPods } from '../model/pods.ts';
import { type ClusterRecord, clusters } from '../model/records.ts';
import { createPod, type CreatePodBody } from './pods/configure.ts';
import { applyAction, podDocument, publicIp, publicPort, statusAt } from './pods/document.ts';
import { nextId, type State } from '../state/state.ts';

interface CreateClusterBody extends Omit<CreatePodBody, 'gpu' | 'cpu' | 'cloud' | 'globalNetworking' | 'registry'> {
  readonly type: ClusterRecord['type'];
  readonly compute: ClusterRecord['compute'];
}

const IMAGES: Readonly<Record<ClusterRecord['type'], string>> = {
  APPLICATION: 'example/cluster:1.0',
  TRAINING: 'example/pytorch:2.8-cuda12.8',
  SLURM: 'example/slurm:24.11',
  RAY: 'example/ray:2.48',
};

/** A body with a template cannot set these. */
const OF_TEMPLATE = ['image', 'args', 'cmd', 'entrypoint', 'disk', 'env', 'ports', 'mounts'] as const;

/** All members are in one data center; a template is that of all (additions 10). Throws the Problems of `createPod`. */
function createCluster(state: State, now: EpochMs, body: CreateClusterBody, settings: ServiceSettings): ClusterRecord {
  const { name, type, compute, ...container } = body;
  const { templateId } = container;
  const besides = OF_TEMPLATE.filter((member) => member in body);
  if (templateId !== undefined && besides.length > 0)
    throw badRequest(`${besides.join(', ')}: templateId sets it for all pods of the cluster`);
  const { gpuTypeId, gpuCountPerPod, podCount } = compute;
  const { serial } = state;
  const id = nextId(state, 'cluster');
  const network = 1 + (state.serial % 250);
  const createMember = (rank: number, dataCenterIds: readonly string[] = []): PodRecord => {
    const [head, other] = ROLES[type] ?? [];
    const role = rank === 0 ? head : other;
    const ip = `10.65.${String(network)}.${String(rank + 2)}`;
    const pod: CreatePodBody = {
      ...container,
      ...(templateId === undefined ? { image: body.image ?? IMAGES[type] } : {}),
      name: `${name}-${String(rank)}`,
      gpu: { id: gpuTypeId, count: gpuCountPerPod },
      cloud: 'SECURE',
      dataCenterIds,
    };
    const membership = { id, rank, ...(role === undefined ? {} : { role }), ip };
    return createPod(state, now, pod, settings, { copies: podCount - rank, membership });
  };
  try {
    const { dataCenterId } = createMember(0, container.dataCenterIds);
    for (let rank = 1; rank < podCount; rank++) createMember(rank, [dataCenterId]);
    const template = templateId === undefined ? {} : { template: templateId };
    return clusters.put(state, { id, name, type, compute, dataCenterId, network, createdAt: now, ...template });
  } catch (error) {
    // Refused: the id of the cluster was not used.
    state.serial = serial;
    throw error;
  }
}

const ROLES: Readonly<Partial<Record<ClusterRecord['type'], readonly Membership['role'][]>>> = {
  SLURM: ['SLURM_CONTROLLER', 'SLURM_COMPUTE'],
  RAY: ['RAY_HEAD', 'RAY_WORKER'],
};

const membersOf = (state: State, { id }: ClusterRecord): readonly PodRecord[] =>
  presentPods(state).filter(({ cluster }) => cluster?.id === id);

function documentOf(state: State, now: EpochMs, cluster: ClusterRecord): Json {
  const { network, createdAt, ...shown } = cluster;
  const members = membersOf(state, cluster);
  const byStatus: Record<string, number> = {};
  for (const pod of members) byStatus[statusAt(pod, now)] = (byStatus[statusAt(pod, now)] ?? 0) + 1;
  const [primary] = members;
  return {
    ...shown,
    compute: { ...shown.compute },
    pods: { total: members.length, byStatus },
    network: { cidr: `10.65.${String(network)}.0/24`, vxlanId: 4096 + network, vxlanPort: 4789 },
    primary: primary && primaryOf(primary, now),
    createdAt: new Date(createdAt).toISOString(),
  };
}

function primaryOf(pod: PodRecord, now: EpochMs): Json {
  const status = statusAt(pod, now);
  const reachable = status === 'RUNNING' && pod.ports.includes('22/tcp') && pod.env['PUBLIC_KEY'] !== undefined;
  const sshEndpoint = `${publicIp(pod)}:${String(publicPort(pod, '22/tcp'))}`;
  return { podId: pod.id, status, sshEndpoint: reachable ? sshEndpoint : undefined };
}

const find = (state: State, call: Call, now: EpochMs): ClusterRecord =>
  found(clusters.get(state, call.params['id'] ?? ''), call, now);

/** Clusters. Only the name can be changed; deletion terminates the member pods (contract rules, Clusters). */
export const clusterOperations: readonly Operation[] = steps({
  listClusters: (state, call, now) => ({
    clusters: shown(clusters.all(state), call, now).map((cluster) => documentOf(state, now, cluster)),
  }),
  createCluster: (state, call, now) => {
    const body = call.body as CreateClusterBody;
    const cluster = asBadRequest(() => createCluster(state, now, body, call.settings));
    return documentOf(state, now, cluster);
  },
  getCluster: (state, call, now) => documentOf(state, now, find(state, call, now)),
  updateCluster: (state, call, now) => {
    const { name } = call.body as { name?: string };
    const cluster = find(state, call, now);
    cluster.name = name ?? cluster.name;
    return documentOf(state, now, cluster);
  },
  deleteCluster: (state, call, now) => {
    const cluster = find(state, call, now);
    for (const pod of membersOf(state, cluster)) applyAction(pod, 'terminate', now);
    clusters.remove(state, cluster.id);
  },
  listClusterPods: (state, call, now) => ({
    pods: membersOf(state, find(state, call, now)).map((pod) => podDocument(pod, now, call.addressOf)),
    pagination: WHOLE_LIST,
  }),
});
