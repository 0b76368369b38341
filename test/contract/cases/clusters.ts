import { image, type Case } from './case.ts';

const compute = { gpuTypeId: 'GPU-24G', gpuCountPerPod: 2, podCount: 3 };
const cluster = { name: 'c', type: 'SLURM', compute };
/** The first ids that a new account assigns. */
const MEMBER = '/v2/pods/pod-000002';
const CLUSTER = '/v2/clusters/cluster-000001';

/** Creates a cluster before the case. */
export const withCluster = { before: 'POST /v2/clusters', beforeBody: cluster };

/** Requests for clusters and for the pods in them. */
export const CLUSTER_CASES: readonly Case[] = [
  { id: 'listClusters', ...withCluster, request: 'GET /v2/clusters', status: 200 },
  { id: 'createCluster', request: 'POST /v2/clusters', body: cluster, status: 201 },
  {
    id: 'createCluster',
    request: 'POST /v2/clusters',
    body: { ...cluster, type: 'TRAINING', image, dataCenterIds: ['EU-NORTH-1'], startSsh: true, ports: ['22/tcp'] },
    status: 201,
  },
  {
    id: 'createCluster',
    request: 'POST /v2/clusters',
    body: { ...cluster, compute: { ...compute, podCount: 250 } },
    status: 400,
  },
  {
    id: 'createCluster',
    request: 'POST /v2/clusters',
    body: { ...cluster, compute: { ...compute, podCount: 1 } },
    status: 422,
  },
  { id: 'createCluster', request: 'POST /v2/clusters', body: { ...cluster, templateId: 'x' }, status: 400 },
  {
    id: 'createCluster',
    request: 'POST /v2/clusters',
    body: { ...cluster, templateId: 'tpl-train', image },
    status: 400,
  },
  { id: 'createCluster', request: 'POST /v2/clusters', body: { ...cluster, templateId: 'tpl-train' }, status: 201 },
  { id: 'createCluster', request: 'POST /v2/clusters', body: { ...cluster, registry: 'reg-team' }, status: 422 },
  { id: 'getCluster', ...withCluster, request: `GET ${CLUSTER}`, status: 200 },
  { id: 'getCluster', request: 'GET /v2/clusters/none', status: 404 },
  { id: 'updateCluster', ...withCluster, request: `PATCH ${CLUSTER}`, body: { name: 'n' }, status: 200 },
  { id: 'updateCluster', ...withCluster, request: `PATCH ${CLUSTER}`, body: '', status: 400 },
  { id: 'updateCluster', request: 'PATCH /v2/clusters/none', body: { name: 'n' }, status: 404 },
  { id: 'updateCluster', ...withCluster, request: `PATCH ${CLUSTER}`, body: { type: 'RAY' }, status: 422 },
  { id: 'deleteCluster', ...withCluster, request: `DELETE ${CLUSTER}`, status: 204 },
  { id: 'deleteCluster', request: 'DELETE /v2/clusters/none', status: 404 },
  { id: 'listClusterPods', ...withCluster, request: `GET ${CLUSTER}/pods`, status: 200 },
  { id: 'listClusterPods', request: 'GET /v2/clusters/none/pods', status: 404 },
  { id: 'listPods', ...withCluster, request: 'GET /v2/pods?includeClusterPods=true', status: 200 },
  { id: 'updatePod', ...withCluster, request: `PATCH ${MEMBER}`, body: { name: 'x' }, status: 409 },
  { id: 'deletePod', ...withCluster, request: `DELETE ${MEMBER}`, status: 409 },
];
