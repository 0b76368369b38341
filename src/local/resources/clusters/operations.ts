import type { Json } from '../../../core/json.ts';
import { WHOLE_LIST } from '../../http/requests/pages.ts';
import { isTooNew, noContent, operation, reply, type Call, type Operation } from '../../http/call/operation.ts';
import { podDocument } from '../pods/document.ts';
import type { PodRecord } from '../../model/pods/record.ts';
import { publicIp, publicPort } from '../pods/runtime.ts';
import { applyAction, statusAt } from '../pods/transitions.ts';
import { asBadRequest, notFound } from '../../contract/problem.ts';
import type { State } from '../../state/state.ts';
import { bodyOf } from '../../http/requests/validate.ts';
import { createCluster, type CreateClusterBody } from './create.ts';
import { clusters, type ClusterRecord } from '../../model/clusters.ts';
import { pods } from '../../model/pods/seed.ts';
import type { EpochMs } from '../../../core/unit-types.ts';

/** A cluster's pods by rank. */
const membersOf = (state: State, { id }: ClusterRecord): readonly PodRecord[] =>
  pods.all(state).filter(({ cluster, life }) => cluster?.id === id && life.kind !== 'terminated');

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

function find(state: State, call: Call, now: EpochMs): ClusterRecord {
  const row = clusters.find(state, call.params['id']);
  if (isTooNew(row.createdAt, call, now)) throw notFound();
  return row;
}

/** Clusters. Only the name can be changed; deletion terminates the member pods (contract rules, Clusters). */
export const clusterOperations: readonly Operation[] = [
  operation(
    'listClusters',
    reply(200, (state, call, now) => ({
      clusters: clusters
        .all(state)
        .filter(({ createdAt }) => !isTooNew(createdAt, call, now))
        .map((cluster) => documentOf(state, now, cluster)),
    })),
  ),
  operation(
    'createCluster',
    reply(201, (state, call, now) => {
      const body = bodyOf(call) as CreateClusterBody;
      return documentOf(
        state,
        now,
        asBadRequest(() => createCluster(state, now, body, call.settings)),
      );
    }),
  ),
  operation(
    'getCluster',
    reply(200, (state, call, now) => documentOf(state, now, find(state, call, now))),
  ),
  operation(
    'updateCluster',
    reply(200, (state, call, now) => {
      const { name } = bodyOf(call) as { name?: string };
      const cluster = find(state, call, now);
      cluster.name = name ?? cluster.name;
      return documentOf(state, now, cluster);
    }),
  ),
  operation(
    'deleteCluster',
    noContent((state, call, now) => {
      const cluster = find(state, call, now);
      for (const pod of membersOf(state, cluster)) applyAction(pod, 'terminate', now);
      clusters.remove(state, cluster.id);
    }),
  ),
  operation(
    'listClusterPods',
    reply(200, (state, call, now) => ({
      pods: membersOf(state, find(state, call, now)).map((pod) => podDocument(pod, now, call.addressOf)),
      pagination: WHOLE_LIST,
    })),
  ),
];
