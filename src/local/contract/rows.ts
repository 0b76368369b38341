import { type Report, REPORTS } from './schemas/billing.ts';
import {
  count,
  cudaVersion,
  filledText,
  flag,
  list,
  oneOfWords,
  positive,
  ref,
  type Schema,
  text,
  time,
  whole,
} from './schemas/schema.ts';

/** What a key may do. Specification 5 does not name scopes: these are the local service's own. */
export type Scope = 'read' | 'write' | 'jobs' | 'control' | 'worker';

/** `worker` is the worker protocol, which has keys of its own. */
export type ServiceKind = 'base' | 'queue' | 'rest' | 'control' | 'worker';

export interface Row {
  readonly service: ServiceKind;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly scope: Scope;
  /** The group in the published contract; operations without it are not published (queue, rest, control, worker). */
  readonly tag?: string;
  /** Without it the operation takes no body. */
  readonly body?: string | Schema;
  readonly parameters?: readonly Parameter[];
  /** Status to its schema, by name or as the schema; null for no body. */
  readonly answers?: Readonly<Record<string, string | Schema | null>>;
}

export const EVENTS = 'text/event-stream';

interface RowOptions {
  readonly body?: string;
  readonly parameters?: NonNullable<Row['parameters']>;
  readonly answers: Readonly<Record<number, string | null>>;
  /** Besides 401, 403, 429; with an id in the path 404; with a body or pages 422. */
  readonly refusals?: readonly number[];
  /** The contract names no 422 for it, though it has a body. */
  readonly without422?: boolean;
}

function row(
  tag: string,
  request: string,
  { body, parameters, answers, refusals = [], without422 = false }: RowOptions,
): Row {
  const [method, path] = request.split(' ') as [Row['method'], string];
  const isChecked = body !== undefined || parameters?.some(({ name }) => name === 'cursor') === true;
  const statuses = [
    401,
    403,
    ...(path.includes('{id}') ? [404] : []),
    ...(isChecked && !without422 ? [422] : []),
    ...refusals,
    429,
  ];
  const errors = Object.fromEntries(statuses.map((status) => [status, 'ErrorResponse']));
  return {
    service: 'base',
    method,
    path,
    scope: method === 'GET' ? 'read' : 'write',
    tag,
    ...(body === undefined ? {} : { body }),
    ...(parameters === undefined ? {} : { parameters }),
    answers: { ...answers, ...errors, default: 'ErrorResponse' },
  };
}

type CollectionId<One extends string, Many extends string> =
  `list${Many}` | `${'create' | 'get' | 'update' | 'delete'}${One}`;

/** Schema names come from the members: `Pod`, `CreatePodRequest`, `ListPodsResponse`. */
function collection<One extends string, Many extends string>(
  tag: string,
  path: string,
  [one, many]: readonly [One, Many],
  refusals: Readonly<Record<'create' | 'update' | 'delete', readonly number[]>>,
  parameters?: RowOptions['parameters'],
): Readonly<Record<CollectionId<One, Many>, Row>> {
  const ofOne = `${path}/{id}`;
  return {
    [`list${many}`]: row(tag, `GET ${path}`, {
      answers: { 200: `List${many}Response` },
      ...(parameters === undefined ? {} : { parameters }),
    }),
    [`create${one}`]: row(tag, `POST ${path}`, {
      body: `Create${one}Request`,
      answers: { 201: one },
      refusals: refusals.create,
    }),
    [`get${one}`]: row(tag, `GET ${ofOne}`, { answers: { 200: one } }),
    [`update${one}`]: row(tag, `PATCH ${ofOne}`, {
      body: `Update${one}Request`,
      answers: { 200: one },
      refusals: refusals.update,
    }),
    [`delete${one}`]: row(tag, `DELETE ${ofOne}`, { answers: { 204: null }, refusals: refusals.delete }),
  } as Record<CollectionId<One, Many>, Row>;
}

interface Parameter {
  readonly in: 'query' | 'header';
  readonly name: string;
  readonly schema: Schema;
}

const query = (name: string, schema: Schema): Parameter => ({ in: 'query', name, schema });

const include = query('include', list(ref('CatalogInclude'), { maxItems: 1 }));

const GPU_FILTERS: readonly Parameter[] = [
  include,
  query('product', list(ref('Product'))),
  query('count', { ...positive, default: 1 }),
  query('cloud', ref('GpuCloudFilter')),
  query('countryCodes', list({ ...text, pattern: '^[A-Z]{2}$' })),
  query('cudaVersions', list(cudaVersion)),
  query('minCudaVersion', { ...text, pattern: '^\\d+(\\.\\d+)?$' }),
];

const CPU_FILTERS: readonly Parameter[] = [
  include,
  query('product', list(ref('CpuProduct'))),
  query('vcpuCount', { ...whole, minimum: 2 }),
];

const LOGS: readonly Parameter[] = [
  query('source', ref('LogSource')),
  query('tail', { ...count, maximum: 5000, default: 100 }),
  query('since', time),
  { in: 'header', name: 'Last-Event-ID', schema: time },
];

const cursor = query('cursor', filledText);

/** The parameters of a list that comes in pages (additions 1). */
const PAGES: readonly Parameter[] = [cursor, query('limit', { ...positive, maximum: 1000 })];

const BUILD_PAGES: readonly Parameter[] = [cursor, query('limit', { ...positive, maximum: 100 })];

const BILLING: readonly Parameter[] = [
  query('startTime', time),
  query('endTime', time),
  query('bucketSize', ref('BillingBucketSize')),
  query('lastN', positive),
];

const billing = (path: string, { prefix, by }: Report): Row =>
  row('Billing', `GET /v2/billing${path}`, {
    parameters: [...BILLING, ...(by === undefined ? [] : [query(by.id, text)])],
    answers: { 200: `List${prefix}BillingResponse` },
  });

/** Every operation of the published contract, by its id. The code of each is in `src/local/resources`. */
export const ROWS = {
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

  ...collection('Clusters', '/v2/clusters', ['Cluster', 'Clusters'], { create: [400], update: [400], delete: [] }),
  listClusterPods: row('Clusters', 'GET /v2/clusters/{id}/pods', {
    answers: { 200: 'ListPodsResponse' },
  }),

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

  ...collection(
    'Templates',
    '/v2/templates',
    ['Template', 'Templates'],
    { create: [400], update: [400], delete: [400] },
    PAGES,
  ),

  ...collection('Network Volumes', '/v2/network-volumes', ['NetworkVolume', 'NetworkVolumes'], {
    create: [400],
    update: [400],
    delete: [],
  }),

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

  listBilling: billing('', REPORTS.summary),
  listPodBilling: billing('/pods', REPORTS.pods),
  listServerlessBilling: billing('/serverless', REPORTS.serverless),
  listEndpointBilling: billing('/endpoints', REPORTS.endpoints),
  listNetworkVolumeBilling: billing('/network-volumes', REPORTS.volumes),
  listClusterBilling: billing('/clusters', REPORTS.clusters),
} as const satisfies Readonly<Record<string, Row>>;

export type OperationId = keyof typeof ROWS;
