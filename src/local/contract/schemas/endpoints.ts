import {
  closed,
  closedExtended,
  count,
  cudaVersion,
  extended,
  filledText,
  flag,
  float,
  list,
  nullable,
  object,
  oneOfWords,
  orNull,
  partial,
  positive,
  ref,
  text,
  time,
  timeOrNull,
  uri,
  whole,
  type Schemas,
} from './schema.ts';

/** The statuses of a build; those from COMPLETED on are final (additions 9). */
export const BUILD_STATUSES = [
  'PENDING',
  'BUILDING',
  'UPLOADING',
  'TESTING',
  'COMPLETED',
  'FAILED',
  'CANCELLED',
  'TEST_FAILED',
] as const;

export const BUILD_DETAILS: Schemas = {
  commitHash: orNull('string'),
  commitMessage: orNull('string'),
  branch: orNull('string'),
  commitDate: timeOrNull,
  imageName: orNull('string'),
  startedAt: timeOrNull,
  completedAt: timeOrNull,
  error: orNull('string'),
};

export const endpointsSchemas: Schemas = {
  FlashBoot: oneOfWords('OFF', 'FLASHBOOT', 'PRIORITY_FLASHBOOT'),
  EndpointType: oneOfWords('QUEUE', 'LOAD_BALANCER'),
  QueueBasedRequestUrls: closed({
    run: uri,
    runSync: uri,
    status: uri,
    stream: uri,
    cancel: uri,
    retry: uri,
    purgeQueue: uri,
    health: uri,
  }),
  LoadBalancingRequestUrls: closed({ base: uri, health: uri }),
  EndpointRequestUrls: { oneOf: [ref('QueueBasedRequestUrls'), ref('LoadBalancingRequestUrls')] },
  BaseEndpointGpuConfig: partial({
    pools: list(text, { minItems: 1 }),
    excludedTypes: list({ ...text, pattern: '^\\s*[^-\\s]' }, { uniqueItems: true }),
    count: { ...positive, default: 1 },
  }),
  EndpointGpuConfig: extended(
    'BaseEndpointGpuConfig',
    partial(
      { allowedCudaVersions: list(text), minCudaVersion: orNull('string') },
      { required: ['pools', 'allowedCudaVersions', 'minCudaVersion'] },
    ),
  ),
  CreateEndpointGpuConfig: closedExtended(
    'BaseEndpointGpuConfig',
    partial(
      {
        allowedCudaVersions: list(cudaVersion),
        minCudaVersion: cudaVersion,
      },
      { required: ['pools'] },
    ),
  ),
  UpdateEndpointGpuConfig: closedExtended(
    'BaseEndpointGpuConfig',
    partial(
      {
        allowedCudaVersions: list(cudaVersion),
        minCudaVersion: { ...text, pattern: '^$|^\\d+\\.\\d+$' },
      },
      { dependentRequired: { excludedTypes: ['pools'] } },
    ),
  ),
  EndpointWorkers: closed(
    {},
    {
      min: count,
      max: count,
      idleTimeout: { ...positive, maximum: 3600 },
    },
  ),
  QueueDelayScaling: closed({
    type: oneOfWords('QUEUE_DELAY'),
    queueDelay: { ...float, minimum: 0.5 },
  }),
  RequestCountScaling: closed({ type: oneOfWords('REQUEST_COUNT'), requestCount: positive }),
  EndpointScaling: {
    oneOf: [ref('QueueDelayScaling'), ref('RequestCountScaling')],
    discriminator: {
      propertyName: 'type',
      mapping: {
        QUEUE_DELAY: '#/components/schemas/QueueDelayScaling',
        REQUEST_COUNT: '#/components/schemas/RequestCountScaling',
      },
    },
  },
  Endpoint: extended(
    'ContainerConfig',
    object(
      {
        id: text,
        name: text,
        workers: { allOf: [ref('EndpointWorkers')], required: ['min', 'max'] },
        scaling: ref('EndpointScaling'),
        dataCenterIds: list(text),
        networkVolumes: list(text),
        timeout: whole,
        flashboot: ref('FlashBoot'),
        createdAt: time,
      },
      {
        type: ref('EndpointType'),
        requestUrls: ref('EndpointRequestUrls'),
        gpu: nullable(ref('EndpointGpuConfig')),
        cpu: list(ref('CpuConfig'), { minItems: 1 }),
      },
    ),
  ),
  ListEndpointsResponse: object({ endpoints: list(ref('Endpoint')), pagination: ref('Pagination') }),
  WorkerStatus: oneOfWords('RUNNING', 'IDLE', 'INITIALIZING', 'THROTTLED', 'UNHEALTHY'),
  Worker: object(
    { id: text, status: ref('WorkerStatus'), gpuCount: count, isStale: flag },
    {
      version: orNull('integer'),
      image: orNull('string'),
      uptimeSeconds: { type: ['integer', 'null'], minimum: 0 },
      gpuTypeId: orNull('string'),
      dataCenterId: orNull('string'),
      startedAt: timeOrNull,
    },
  ),
  WorkerSummary: object({
    running: count,
    idle: count,
    initializing: count,
    throttled: count,
    unhealthy: count,
    total: count,
  }),
  ListEndpointWorkersResponse: object(
    { workers: list(ref('Worker')), summary: ref('WorkerSummary') },
    { endpointVersion: orNull('integer') },
  ),
  ReleaseSource: oneOfWords('GIT_BUILD', 'MANUAL'),
  ReleaseDiffEntry: object({ field: text, old: {}, new: {} }),
  Release: object(
    {
      id: text,
      source: ref('ReleaseSource'),
      createdAt: time,
      workerCount: count,
      diff: list(ref('ReleaseDiffEntry')),
    },
    { version: orNull('integer'), buildId: orNull('string'), createdByUserId: orNull('string') },
  ),
  RolloutSummary: object({
    inProgress: flag,
    workersOnLatest: count,
    workersTotal: count,
    percentOnLatest: { ...count, maximum: 100 },
  }),
  ListEndpointReleasesResponse: object(
    { rollout: ref('RolloutSummary'), releases: list(ref('Release')), pagination: ref('Pagination') },
    { endpointVersion: orNull('integer') },
  ),
  BuildStatus: oneOfWords(...BUILD_STATUSES),
  Build: object({ id: text, status: ref('BuildStatus') }, BUILD_DETAILS),
  ListEndpointBuildsResponse: object({ builds: list(ref('Build')), pagination: ref('Pagination') }),
  CreateEndpointRequest: {
    allOf: [
      ref('ContainerConfig'),
      { if: { not: { required: ['templateId'] } }, then: { required: ['image'] } },
      partial(
        {
          gpu: ref('CreateEndpointGpuConfig'),
          name: filledText,
          scaling: ref('EndpointScaling'),
          type: { allOf: [ref('EndpointType')] },
          cpu: list(ref('CreateCpuConfig'), { minItems: 1, uniqueItems: true }),
          dataCenterIds: list(text),
          flashboot: { allOf: [ref('FlashBoot')], default: 'OFF' },
          networkVolumes: list(text),
          templateId: filledText,
          timeout: { ...whole, default: 300000 },
          workers: {
            allOf: [ref('EndpointWorkers')],
            properties: {
              min: { ...whole, default: 0 },
              max: { ...whole, default: 3 },
              idleTimeout: { ...whole, default: 10 },
            },
          },
        },
        { required: ['name', 'type', 'scaling'] },
      ),
    ],
    unevaluatedProperties: false,
    if: { required: ['type'], properties: { type: { const: 'LOAD_BALANCER' } } },
    then: { properties: { scaling: ref('RequestCountScaling') } },
  },
  UpdateEndpointRequest: closedExtended(
    'ContainerConfig',
    partial({
      cpu: list(ref('CreateCpuConfig'), { minItems: 1, uniqueItems: true }),
      dataCenterIds: list(text),
      flashboot: ref('FlashBoot'),
      gpu: ref('UpdateEndpointGpuConfig'),
      name: filledText,
      networkVolumes: list(text),
      scaling: ref('EndpointScaling'),
      templateId: text,
      timeout: whole,
      workers: ref('EndpointWorkers'),
    }),
  ),
};
