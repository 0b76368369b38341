/** One request and what it must be answered with. `id` is the operation's in the published document. */
export interface Case {
  readonly id: string;
  /** Done first, with `beforeBody`, or else the body of a job. */
  readonly before?: string;
  readonly beforeBody?: unknown;
  readonly request: string;
  readonly body?: unknown;
  readonly status: number;
}

const gpu = { id: 'GPU-24G' };
const image = 'example/image:1';
const compute = { gpuTypeId: 'GPU-24G', gpuCountPerPod: 2, podCount: 3 };
const cluster = { name: 'c', type: 'SLURM', compute };
/** The first ids that a fresh account hands out. */
const withCluster = { before: 'POST /v2/clusters', beforeBody: cluster };
const MEMBER = '/v2/pods/pod-000002';
const CLUSTER = '/v2/clusters/cluster-000001';
const key = 'ssh-ed25519 AAAAC3Nza me@example.com';

/** Cases of templates, registries, SSH keys, clusters, billing and the logs of pods. */
export const RESOURCE_CASES: readonly Case[] = [
  { id: 'createPod', request: 'POST /v2/pods', body: { name: 'p', templateId: 'tpl-pytorch', gpu }, status: 201 },
  { id: 'createPod', request: 'POST /v2/pods', body: { name: 'p', templateId: 'tpl-worker', gpu }, status: 422 },
  { id: 'updatePod', request: 'PATCH /v2/pods/pod-web', body: { templateId: 'tpl-ubuntu' }, status: 200 },
  { id: 'updatePod', request: 'PATCH /v2/pods/pod-web', body: { templateId: 'none' }, status: 404 },
  { id: 'updatePod', request: 'PATCH /v2/pods/pod-web', body: { templateId: 'tpl-echo' }, status: 422 },
  { id: 'getPodLogs', request: 'GET /v2/pods/pod-train/logs?tail=3&source=container', status: 200 },
  { id: 'getPodLogs', request: 'GET /v2/pods/pod-provisioning/logs?since=2026-01-01T00:00:00Z', status: 200 },
  { id: 'getPodLogs', request: 'GET /v2/pods/none/logs', status: 404 },
  { id: 'getPodLogs', request: 'GET /v2/pods/pod-web/logs?tail=5001', status: 422 },
  { id: 'getPodLogs', request: 'GET /v2/pods/pod-web/logs?source=other', status: 422 },
  { id: 'getPodLogs', request: 'GET /v2/pods/pod-web/logs?since=yesterday', status: 422 },
  { id: 'getSshKeys', request: 'GET /v2/account/ssh-keys', status: 200 },
  { id: 'updateSshKeys', request: 'PUT /v2/account/ssh-keys', body: { keys: [key] }, status: 200 },
  { id: 'updateSshKeys', request: 'PUT /v2/account/ssh-keys', body: { keys: [] }, status: 200 },
  { id: 'updateSshKeys', request: 'PUT /v2/account/ssh-keys', body: { keys: ['not a key'] }, status: 422 },
  { id: 'updateSshKeys', request: 'PUT /v2/account/ssh-keys', body: {}, status: 422 },
  { id: 'listTemplates', request: 'GET /v2/templates', status: 200 },
  { id: 'createTemplate', request: 'POST /v2/templates', body: { name: 't', image }, status: 201 },
  {
    id: 'createTemplate',
    request: 'POST /v2/templates',
    body: {
      name: 't',
      image,
      mounts: { persistent: { size: 10, path: '/x' } },
      registry: 'reg-team',
      allowedCudaVersions: ['12.8'],
      public: true,
    },
    status: 201,
  },
  { id: 'createTemplate', request: 'POST /v2/templates', body: { name: 't', image, registry: 'no' }, status: 400 },
  { id: 'createTemplate', request: 'POST /v2/templates', body: { name: 't', image, ports: ['x'] }, status: 400 },
  { id: 'createTemplate', request: 'POST /v2/templates', body: { name: 't' }, status: 422 },
  {
    id: 'createTemplate',
    request: 'POST /v2/templates',
    body: { name: 't', image, mounts: { network: [] } },
    status: 422,
  },
  { id: 'getTemplate', request: 'GET /v2/templates/tpl-train', status: 200 },
  { id: 'getTemplate', request: 'GET /v2/templates/tpl-diffusion', status: 200 },
  { id: 'getTemplate', request: 'GET /v2/templates/none', status: 404 },
  { id: 'updateTemplate', request: 'PATCH /v2/templates/tpl-train', body: { name: 'n', env: {} }, status: 200 },
  { id: 'updateTemplate', request: 'PATCH /v2/templates/tpl-train', body: { registry: 'no' }, status: 400 },
  { id: 'updateTemplate', request: 'PATCH /v2/templates/tpl-ubuntu', body: { name: 'mine' }, status: 404 },
  { id: 'updateTemplate', request: 'PATCH /v2/templates/tpl-train', body: { name: '' }, status: 422 },
  { id: 'deleteTemplate', request: 'DELETE /v2/templates/tpl-train', status: 204 },
  {
    id: 'deleteTemplate',
    before: 'POST /v2/pods',
    beforeBody: { name: 'p', templateId: 'tpl-train', gpu },
    request: 'DELETE /v2/templates/tpl-train',
    status: 400,
  },
  { id: 'deleteTemplate', request: 'DELETE /v2/templates/tpl-ubuntu', status: 404 },
  { id: 'listPublicTemplates', request: 'GET /v2/catalog/templates', status: 200 },
  { id: 'listPublicTemplates', request: 'GET /v2/catalog/templates?source=community', status: 200 },
  { id: 'listPublicTemplates', request: 'GET /v2/catalog/templates?source=mine', status: 422 },
  { id: 'listRegistries', request: 'GET /v2/registries', status: 200 },
  {
    id: 'createRegistry',
    request: 'POST /v2/registries',
    body: { name: 'r', username: 'u', password: 'p' },
    status: 201,
  },
  { id: 'createRegistry', request: 'POST /v2/registries', body: '', status: 400 },
  { id: 'createRegistry', request: 'POST /v2/registries', body: { name: 'r' }, status: 422 },
  { id: 'getRegistry', request: 'GET /v2/registries/reg-team', status: 200 },
  { id: 'getRegistry', request: 'GET /v2/registries/none', status: 404 },
  {
    id: 'deleteRegistry',
    before: 'POST /v2/registries',
    beforeBody: { name: 'r', username: 'u', password: 'p' },
    request: 'DELETE /v2/registries/reg-000001',
    status: 204,
  },
  { id: 'deleteRegistry', request: 'DELETE /v2/registries/reg-team', status: 400 },
  { id: 'deleteRegistry', request: 'DELETE /v2/registries/none', status: 404 },
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
  { id: 'createCluster', request: 'POST /v2/clusters', body: { ...cluster, templateId: 'x' }, status: 422 },
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
  { id: 'listBilling', request: 'GET /v2/billing', status: 200 },
  { id: 'listBilling', request: 'GET /v2/billing?lastN=3&bucketSize=month', status: 200 },
  { id: 'listBilling', request: 'GET /v2/billing?lastN=3&startTime=2025-01-01T00:00:00Z', status: 400 },
  {
    id: 'listBilling',
    request: 'GET /v2/billing?startTime=2026-02-01T00:00:00Z&endTime=2026-01-01T00:00:00Z',
    status: 400,
  },
  { id: 'listBilling', request: 'GET /v2/billing?lastN=0', status: 422 },
  { id: 'listBilling', request: 'GET /v2/billing?bucketSize=decade', status: 422 },
  { id: 'listPodBilling', request: 'GET /v2/billing/pods?podId=pod-train&bucketSize=hour', status: 200 },
  { id: 'listPodBilling', request: 'GET /v2/billing/pods?podId=none', status: 200 },
  { id: 'listServerlessBilling', before: 'POST /v2/echo/run', request: 'GET /v2/billing/serverless', status: 200 },
  { id: 'listEndpointBilling', request: 'GET /v2/billing/endpoints?bucketSize=week', status: 200 },
  { id: 'listNetworkVolumeBilling', request: 'GET /v2/billing/network-volumes?bucketSize=year', status: 200 },
  { id: 'listClusterBilling', ...withCluster, request: 'GET /v2/billing/clusters', status: 200 },
];
