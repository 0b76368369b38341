import {
  closed,
  flag,
  list,
  nullable,
  number,
  object,
  oneOfWords,
  orNull,
  ref,
  text,
  time,
  whole,
  type Schemas,
} from './schema.ts';

/** The published schemas of serverless endpoints, names as on the wire. */
export const endpointsSchemas: Schemas = {
  FlashBoot: oneOfWords('OFF', 'FLASHBOOT', 'PRIORITY_FLASHBOOT'),
  EndpointType: oneOfWords('QUEUE', 'LOAD_BALANCER'),
  QueueBasedRequestUrls: closed(['run', 'runSync', 'status', 'stream', 'cancel', 'retry', 'purgeQueue', 'health'], {
    run: { ...text, format: 'uri' },
    runSync: { ...text, format: 'uri' },
    status: { ...text, format: 'uri' },
    stream: { ...text, format: 'uri' },
    cancel: { ...text, format: 'uri' },
    retry: { ...text, format: 'uri' },
    purgeQueue: { ...text, format: 'uri' },
    health: { ...text, format: 'uri' },
  }),
  LoadBalancingRequestUrls: closed(['base', 'health'], {
    base: { ...text, format: 'uri' },
    health: { ...text, format: 'uri' },
  }),
  EndpointRequestUrls: { oneOf: [ref('QueueBasedRequestUrls'), ref('LoadBalancingRequestUrls')] },
  BaseEndpointGpuConfig: object([], {
    pools: list(text, { minItems: 1 }),
    excludedTypes: list({ ...text, pattern: '^\\s*[^-\\s]' }, { uniqueItems: true }),
    count: { ...whole, minimum: 1, default: 1 },
  }),
  EndpointGpuConfig: {
    allOf: [
      ref('BaseEndpointGpuConfig'),
      object(['pools', 'allowedCudaVersions', 'minCudaVersion'], {
        allowedCudaVersions: list(text),
        minCudaVersion: orNull('string'),
      }),
    ],
  },
  CreateEndpointGpuConfig: {
    allOf: [
      ref('BaseEndpointGpuConfig'),
      object(['pools'], {
        allowedCudaVersions: list({ ...text, pattern: '^\\d+\\.\\d+$' }),
        minCudaVersion: { ...text, pattern: '^\\d+\\.\\d+$' },
      }),
    ],
    unevaluatedProperties: false,
  },
  UpdateEndpointGpuConfig: {
    allOf: [
      ref('BaseEndpointGpuConfig'),
      object(
        [],
        {
          allowedCudaVersions: list({ ...text, pattern: '^\\d+\\.\\d+$' }),
          minCudaVersion: { ...text, pattern: '^$|^\\d+\\.\\d+$' },
        },
        { dependentRequired: { excludedTypes: ['pools'] } },
      ),
    ],
    unevaluatedProperties: false,
  },
  EndpointWorkers: closed([], {
    min: { ...whole, minimum: 0 },
    max: { ...whole, minimum: 0 },
    idleTimeout: { ...whole, minimum: 1, maximum: 3600 },
  }),
  QueueDelayScaling: closed(['type', 'queueDelay'], {
    type: oneOfWords('QUEUE_DELAY'),
    queueDelay: { ...number, format: 'float', minimum: 0.5 },
  }),
  RequestCountScaling: closed(['type', 'requestCount'], {
    type: oneOfWords('REQUEST_COUNT'),
    requestCount: { ...whole, minimum: 1 },
  }),
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
  Endpoint: {
    allOf: [
      ref('ContainerConfig'),
      object(
        ['id', 'name', 'workers', 'scaling', 'dataCenterIds', 'networkVolumes', 'timeout', 'flashboot', 'createdAt'],
        {
          id: text,
          name: text,
          type: ref('EndpointType'),
          requestUrls: ref('EndpointRequestUrls'),
          gpu: nullable(ref('EndpointGpuConfig')),
          cpu: list(ref('CpuConfig'), { minItems: 1 }),
          workers: { allOf: [ref('EndpointWorkers')], required: ['min', 'max'] },
          scaling: ref('EndpointScaling'),
          dataCenterIds: list(text),
          networkVolumes: list(text),
          timeout: whole,
          flashboot: ref('FlashBoot'),
          createdAt: time,
        },
      ),
    ],
  },
  ListEndpointsResponse: object(['endpoints'], { endpoints: list(ref('Endpoint')) }),
  WorkerStatus: oneOfWords('RUNNING', 'IDLE', 'INITIALIZING', 'THROTTLED', 'UNHEALTHY'),
  Worker: object(['id', 'status', 'gpuCount', 'isStale'], {
    id: text,
    status: ref('WorkerStatus'),
    isStale: flag,
    version: orNull('integer'),
    gpuCount: { ...whole, minimum: 0 },
    image: orNull('string'),
    uptimeSeconds: { type: ['integer', 'null'], minimum: 0 },
    gpuTypeId: orNull('string'),
    dataCenterId: orNull('string'),
    startedAt: { type: ['string', 'null'], format: 'date-time' },
  }),
  WorkerSummary: object(['running', 'idle', 'initializing', 'throttled', 'unhealthy', 'total'], {
    running: { ...whole, minimum: 0 },
    idle: { ...whole, minimum: 0 },
    initializing: { ...whole, minimum: 0 },
    throttled: { ...whole, minimum: 0 },
    unhealthy: { ...whole, minimum: 0 },
    total: { ...whole, minimum: 0 },
  }),
  ListEndpointWorkersResponse: object(['workers', 'summary'], {
    workers: list(ref('Worker')),
    summary: ref('WorkerSummary'),
    endpointVersion: orNull('integer'),
  }),
  ReleaseSource: oneOfWords('GIT_BUILD', 'MANUAL'),
  ReleaseDiffEntry: object(['field', 'old', 'new'], { field: text, old: {}, new: {} }),
  Release: object(['id', 'source', 'createdAt', 'workerCount', 'diff'], {
    id: text,
    version: orNull('integer'),
    source: ref('ReleaseSource'),
    buildId: orNull('string'),
    createdByUserId: orNull('string'),
    workerCount: { ...whole, minimum: 0 },
    createdAt: time,
    diff: list(ref('ReleaseDiffEntry')),
  }),
  RolloutSummary: object(['inProgress', 'workersOnLatest', 'workersTotal', 'percentOnLatest'], {
    inProgress: flag,
    workersOnLatest: { ...whole, minimum: 0 },
    workersTotal: { ...whole, minimum: 0 },
    percentOnLatest: { ...whole, minimum: 0, maximum: 100 },
  }),
  ListEndpointReleasesResponse: object(['rollout', 'releases'], {
    endpointVersion: orNull('integer'),
    rollout: ref('RolloutSummary'),
    releases: list(ref('Release')),
  }),
  CreateEndpointRequest: {
    allOf: [
      ref('ContainerConfig'),
      { if: { not: { required: ['templateId'] } }, then: { required: ['image'] } },
      object(['name', 'type', 'scaling'], {
        gpu: ref('CreateEndpointGpuConfig'),
        name: { ...text, minLength: 1 },
        scaling: ref('EndpointScaling'),
        type: { allOf: [ref('EndpointType')] },
        cpu: list(ref('CreateCpuConfig'), { minItems: 1, uniqueItems: true }),
        dataCenterIds: list(text),
        flashboot: { allOf: [ref('FlashBoot')], default: 'OFF' },
        networkVolumes: list(text),
        templateId: { ...text, minLength: 1 },
        timeout: { ...whole, default: 300000 },
        workers: {
          allOf: [ref('EndpointWorkers')],
          properties: {
            min: { ...whole, default: 0 },
            max: { ...whole, default: 3 },
            idleTimeout: { ...whole, default: 10 },
          },
        },
      }),
    ],
    unevaluatedProperties: false,
    if: { required: ['type'], properties: { type: { const: 'LOAD_BALANCER' } } },
    then: { properties: { scaling: ref('RequestCountScaling') } },
  },
  UpdateEndpointRequest: {
    allOf: [
      ref('ContainerConfig'),
      object([], {
        cpu: list(ref('CreateCpuConfig'), { minItems: 1, uniqueItems: true }),
        dataCenterIds: list(text),
        flashboot: ref('FlashBoot'),
        gpu: ref('UpdateEndpointGpuConfig'),
        name: { ...text, minLength: 1 },
        networkVolumes: list(text),
        scaling: ref('EndpointScaling'),
        templateId: text,
        timeout: whole,
        workers: ref('EndpointWorkers'),
      }),
    ],
    unevaluatedProperties: false,
  },
};
