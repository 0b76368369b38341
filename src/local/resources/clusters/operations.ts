import type { Json } from '../../../core/json.ts';
import { operation, type Operation } from '../../frame/operation.ts';
import { podDocument } from '../pods/document.ts';
import type { PodRecord } from '../../model/pods/record.ts';
import { publicIp, publicPort } from '../pods/runtime.ts';
import { applyAction, statusAt } from '../pods/transitions.ts';
import { badRequest, Problem } from '../../contract/problem.ts';
import type { State } from '../../state/state.ts';
import { bodyOf } from '../../frame/validate.ts';
import { createCluster, type CreateClusterBody } from './create.ts';
import { clusters, type ClusterRecord } from '../../model/clusters.ts';
import { pods } from '../../model/pods/seed.ts';

/** A cluster's pods by rank. */
const membersOf = (state: State, { id }: ClusterRecord): readonly PodRecord[] =>
  pods.all(state).filter(({ cluster, life }) => cluster?.id === id && life.kind !== 'terminated');

function documentOf(state: State, now: number, cluster: ClusterRecord): Json {
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
    ...(primary === undefined ? {} : { primary: primaryOf(primary, now) }),
    createdAt: new Date(createdAt).toISOString(),
  };
}

function primaryOf(pod: PodRecord, now: number): Json {
  const status = statusAt(pod, now);
  const reachable = status === 'RUNNING' && pod.ports.includes('22/tcp') && pod.env['PUBLIC_KEY'] !== undefined;
  const sshEndpoint = `${publicIp(pod)}:${String(publicPort(pod, '22/tcp'))}`;
  return { podId: pod.id, status, ...(reachable ? { sshEndpoint } : {}) };
}

/** Answers unknown references in a cluster's body with 400: the contract names no 404 for them. */
function create(state: State, now: number, body: CreateClusterBody): ClusterRecord {
  try {
    return createCluster(state, now, body);
  } catch (error) {
    throw error instanceof Problem ? badRequest(error.message) : error;
  }
}

/** Clusters. Only the name can be changed; deletion terminates the member pods (contract rules, Clusters). */
export const clusterOperations: readonly Operation[] = [
  operation('listClusters', async (call) => ({
    status: 200,
    body: {
      clusters: await call.transact((state, now) =>
        clusters.all(state).map((cluster) => documentOf(state, now, cluster)),
      ),
    },
  })),
  operation('createCluster', async (call) => {
    const body = bodyOf(call) as CreateClusterBody;
    return {
      status: 201,
      body: await call.transact((state, now) => documentOf(state, now, create(state, now, body))),
    };
  }),
  operation('getCluster', async (call) => ({
    status: 200,
    body: await call.transact((state, now) => documentOf(state, now, clusters.find(state, call.params['id']))),
  })),
  operation('updateCluster', async (call) => {
    const { name } = bodyOf(call) as { name?: string };
    return {
      status: 200,
      body: await call.transact((state, now) => {
        const cluster = clusters.find(state, call.params['id']);
        cluster.name = name ?? cluster.name;
        return documentOf(state, now, cluster);
      }),
    };
  }),
  operation('deleteCluster', async (call) => {
    await call.transact((state, now) => {
      const cluster = clusters.find(state, call.params['id']);
      for (const pod of membersOf(state, cluster)) applyAction(pod, 'terminate', now);
      clusters.remove(state, cluster.id);
    });
    return { status: 204 };
  }),
  operation('listClusterPods', async (call) => ({
    status: 200,
    body: {
      pods: await call.transact((state, now) =>
        membersOf(state, clusters.find(state, call.params['id'])).map((pod) => podDocument(pod, now)),
      ),
    },
  })),
];
