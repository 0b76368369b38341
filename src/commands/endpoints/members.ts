import { usage } from '../../core/failure.ts';
import type { Json } from '../../core/json.ts';
import { option } from '../../cli/parse/params.ts';
import type { Members } from '../../cli/resource/body.ts';
import { pickPool, pickTemplate } from '../shared/pickers.ts';
import { CONTAINER_MEMBERS } from '../shared/container.ts';

/** Milliseconds to the whole seconds that the service takes. Fails with usage (2). */
function seconds(given: number): Json {
  if (given % 1000 !== 0) throw usage('--idle-timeout is counted in whole seconds');
  return given / 1000;
}

/** `cpu-general:4` to a flavor and its vCPUs. Fails with usage (2). */
const cpus = (given: readonly string[]): Json =>
  given.map((each) => {
    const [, id = '', count = ''] = /^(.+):(\d+)$/.exec(each) ?? [];
    if (id === '') throw usage(`--cpu takes FLAVOR:VCPUS, not ${JSON.stringify(each)}`, '--cpu cpu-general:4');
    return { id, vcpuCount: Number(count) };
  });

/** What can be changed of an endpoint. */
export const ENDPOINT_MEMBERS = {
  name: {
    param: option.text('what to call it', { metavar: 'NAME', ask: { kind: 'text', question: 'Name' } }),
    path: 'name',
  },
  ...CONTAINER_MEMBERS,
  template: {
    param: option.text('template to start from, by id or name', { metavar: 'TEMPLATE', ask: pickTemplate(true) }),
    path: 'templateId',
  },
  gpuPool: {
    param: option.list('pools of GPU types that workers may run on', { metavar: 'POOL', ask: pickPool }),
    path: 'gpu.pools',
  },
  excludeGpu: {
    param: option.list('GPU types of these pools to leave out', { metavar: 'GPU' }),
    path: 'gpu.excludedTypes',
  },
  gpuCount: { param: option.count('GPUs a worker', 1), path: 'gpu.count' },
  cuda: {
    param: option.list('only with one of these CUDA versions', { metavar: 'VERSION' }),
    path: 'gpu.allowedCudaVersions',
  },
  minCuda: {
    param: option.text('only with this CUDA version or a newer one', { metavar: 'VERSION' }),
    path: 'gpu.minCudaVersion',
  },
  cpu: {
    param: option.list('CPU flavors that workers may run on, each with its vCPUs', { metavar: 'FLAVOR:VCPUS' }),
    path: 'cpu',
    value: cpus,
  },
  workersMin: { param: option.count('workers that are always there', 0), path: 'workers.min' },
  workersMax: { param: option.count('workers there are at most', 0), path: 'workers.max' },
  idleTimeout: {
    param: option.duration('how long an idle worker stays', 's'),
    path: 'workers.idleTimeout',
    value: seconds,
  },
  queueDelay: {
    param: option.duration('grow when a job waits this long', 's'),
    path: 'scaling',
    value: (given: number): Json => ({ type: 'QUEUE_DELAY', queueDelay: given / 1000 }),
  },
  requestCount: {
    param: option.count('grow at this many requests a worker', 1),
    path: 'scaling',
    value: (requestCount: number): Json => ({ type: 'REQUEST_COUNT', requestCount }),
  },
  executionTimeout: {
    param: option.duration('how long one job may run', 's'),
    path: 'timeout',
  },
  flashboot: {
    param: option.choice('how fast workers start', ['OFF', 'FLASHBOOT', 'PRIORITY_FLASHBOOT']),
    path: 'flashboot',
  },
  dataCenter: { param: option.list('data centers it may run in', { metavar: 'DC' }), path: 'dataCenterIds' },
  networkVolume: {
    param: option.list('network volumes, by id or name: one in each data center', { metavar: 'VOLUME' }),
    path: 'networkVolumes',
  },
} as const satisfies Members;

const { name, ...others } = ENDPOINT_MEMBERS;

/** A create also says what kind it is. */
export const CREATE_MEMBERS = {
  name,
  type: {
    param: option.choice('jobs from a queue, or requests spread over workers (default QUEUE)', [
      'QUEUE',
      'LOAD_BALANCER',
    ]),
    path: 'type',
  },
  ...others,
} as const satisfies Members;
