import { REPORTS, type Report } from './schemas/billing.ts';
import { BILLING, BUILD_PAGES, CPU_FILTERS, GPU_FILTERS, LOGS, PAGES, query } from './parameters.ts';
import { collection, EVENTS, row, type Row } from './row.ts';
import { flag, list, oneOfWords, ref, text } from './schemas/schema.ts';

/** The row of a report of billing. */
const billing = (path: string, { prefix, by }: Report): Row =>
  row('Billing', `GET /v2/billing${path}`, {
    parameters: [...BILLING, ...(by === undefined ? [] : [query(by.id, text)])],
    answers: { 200: `List${prefix}BillingResponse` },
  });

/** Every operation of the published contract, by its id. The code of each is in `src/local/resources`. */
export const ROWS = {
  // Account
  getSshKeys: row('Account', 'GET /v2/account/ssh-keys', { answers: { 200: 'SshKeys' } }),
  updateSshKeys: row('Account', 'PUT /v2/account/ssh-keys', {
    body: 'UpdateSshKeysRequest',
    answers: { 200: 'SshKeys' },
  }),

  ...collection(
    'Account',
    '/v2/account/secrets',
    ['Secret', 'Secrets'],
    { create: [400, 409], update: [400], delete: [] },
    [query('name', text)],
  ),

  // Pods
  ...collection(
    'Pods',
    '/v2/pods',
    ['Pod', 'Pods'],
    { create: [400, 402, 404, 413], update: [400, 409], delete: [409] },
    [query('includeClusterPods', { ...flag, default: false }), ...PAGES],
  ),
  getPodLogs: row('Pods', 'GET /v2/pods/{id}/logs', { parameters: LOGS, answers: { 200: EVENTS } }),
  podAction: row('Pods', 'POST /v2/pods/{id}/action', {
    body: 'PodActionRequest',
    answers: { 200: 'Pod', 204: null },
    refusals: [400, 409],
  }),

  // Clusters
  ...collection('Clusters', '/v2/clusters', ['Cluster', 'Clusters'], { create: [400], update: [400], delete: [] }),
  listClusterPods: row('Clusters', 'GET /v2/clusters/{id}/pods', {
    answers: { 200: 'ListPodsResponse' },
  }),

  // Serverless
  ...collection(
    'Serverless',
    '/v2/serverless',
    ['Endpoint', 'Endpoints'],
    { create: [400, 404], update: [400], delete: [] },
    PAGES,
  ),
  listEndpointWorkers: row('Serverless', 'GET /v2/serverless/{id}/workers', {
    answers: { 200: 'ListEndpointWorkersResponse' },
  }),
  listEndpointReleases: row('Serverless', 'GET /v2/serverless/{id}/releases', {
    parameters: PAGES,
    answers: { 200: 'ListEndpointReleasesResponse' },
  }),
  listEndpointBuilds: row('Serverless', 'GET /v2/serverless/{id}/builds', {
    parameters: BUILD_PAGES,
    answers: { 200: 'ListEndpointBuildsResponse' },
  }),
  getEndpointBuild: row('Serverless', 'GET /v2/serverless/{id}/builds/{buildId}', { answers: { 200: 'Build' } }),
  getWorkerLogs: row('Serverless', 'GET /v2/serverless/{id}/workers/{workerId}/logs', {
    parameters: LOGS,
    answers: { 200: EVENTS },
  }),

  // Templates
  ...collection(
    'Templates',
    '/v2/templates',
    ['Template', 'Templates'],
    { create: [400], update: [400], delete: [400] },
    PAGES,
  ),

  // Network Volumes
  ...collection('Network Volumes', '/v2/network-volumes', ['NetworkVolume', 'NetworkVolumes'], {
    create: [400],
    update: [400],
    delete: [],
  }),

  // Registries
  listRegistries: row('Registries', 'GET /v2/registries', { answers: { 200: 'ListRegistriesResponse' } }),
  createRegistry: row('Registries', 'POST /v2/registries', {
    body: 'CreateRegistryRequest',
    answers: { 201: 'Registry' },
    refusals: [400],
  }),
  getRegistry: row('Registries', 'GET /v2/registries/{id}', { answers: { 200: 'Registry' } }),
  deleteRegistry: row('Registries', 'DELETE /v2/registries/{id}', { answers: { 204: null }, refusals: [400] }),
  listDelegations: row('Registries', 'GET /v2/registries/delegations', {
    answers: { 200: 'ListDelegationsResponse' },
  }),
  createDelegation: row('Registries', 'POST /v2/registries/delegations', {
    body: 'CreateDelegationRequest',
    answers: { 201: 'EcrDelegation' },
    without422: true,
  }),
  revokeDelegation: row('Registries', 'DELETE /v2/registries/delegations/{id}', {
    answers: { 204: null },
  }),

  // Catalog
  listGpuTypes: row('Catalog', 'GET /v2/catalog/gpus', {
    parameters: GPU_FILTERS,
    answers: { 200: 'ListGpuTypesResponse' },
  }),
  getGpuType: row('Catalog', 'GET /v2/catalog/gpus/{id}', {
    parameters: GPU_FILTERS,
    answers: { 200: 'GpuType' },
  }),
  listCpuTypes: row('Catalog', 'GET /v2/catalog/cpus', {
    parameters: CPU_FILTERS,
    answers: { 200: 'ListCpuTypesResponse' },
  }),
  getCpuType: row('Catalog', 'GET /v2/catalog/cpus/{id}', {
    parameters: CPU_FILTERS,
    answers: { 200: 'CpuType' },
  }),
  listDataCenters: row('Catalog', 'GET /v2/catalog/datacenters', {
    parameters: [
      query('include', list(ref('DataCenterInclude'))),
      query('regions', list(ref('DataCenterRegion'))),
      query('networkVolumeTypes', list(ref('VolumeType'))),
      query('compliance', list(ref('Compliance'))),
      query('globalNetwork', flag),
    ],
    answers: { 200: 'ListDataCentersResponse' },
  }),
  getDataCenter: row('Catalog', 'GET /v2/catalog/datacenters/{id}', {
    parameters: [query('include', list(ref('DataCenterInclude')))],
    answers: { 200: 'DataCenter' },
  }),
  listPublicTemplates: row('Catalog', 'GET /v2/catalog/templates', {
    parameters: [query('source', { ...oneOfWords('official', 'verified', 'community'), default: 'official' })],
    answers: { 200: 'ListTemplatesResponse' },
  }),

  // Billing
  listBilling: billing('', REPORTS.summary),
  listPodBilling: billing('/pods', REPORTS.pods),
  listServerlessBilling: billing('/serverless', REPORTS.serverless),
  listEndpointBilling: billing('/endpoints', REPORTS.endpoints),
  listNetworkVolumeBilling: billing('/network-volumes', REPORTS.volumes),
  listClusterBilling: billing('/clusters', REPORTS.clusters),
} as const satisfies Readonly<Record<string, Row>>;

export type OperationId = keyof typeof ROWS;
