/** How the fields of an endpoint are shown that take more than their own value. */

import {
  CONTAINER_FIELDS,
  CONTAINER_MEMBERS,
  CONTAINER_SECTION,
  CREATED_AT,
  CUDA_FORM,
  NAME_FLAG,
} from '../../cli/container.ts';
import { pick } from '../../cli/resource/arguments.ts';
import {
  CPUS,
  DATA_CENTERS,
  ENDPOINTS as COLLECTION,
  GPUS,
  POOLS,
  TEMPLATES,
  VOLUMES,
} from '../../cli/resource/collections.ts';
import { defineTable, type Fields, memberLabel } from '../../cli/resource/fields.ts';
import { resource } from '../../cli/resource/targets.ts';
import { usage } from '../../core/failure.ts';
import { isObject, itemsAt, type Json, memberAt, objectAt, stringAt } from '../../core/json.ts';
import { json, list, text } from '../../output/cells.ts';
import type { Section, Shown } from '../../output/view.ts';

type Lines = Section['lines'];

function workers(row: Json): Shown {
  const [min, max] = [text(row, 'workers.min'), text(row, 'workers.max')];
  return min === max ? min : `${min} to ${max}`;
}

/** `4 s delay`, `5 requests`. */
function scaling(row: Json): Shown {
  const type = stringAt(row, 'scaling.type');
  if (type === 'QUEUE_DELAY') return `${text(row, 'scaling.queueDelay')} s delay`;
  if (type === 'REQUEST_COUNT') return `${text(row, 'scaling.requestCount')} requests`;
  return json(row, 'scaling');
}

function hardware(row: Json): Shown {
  if (!isObject(memberAt(row, 'gpu'))) return itemsAt(row, 'cpu').map(cpu);
  const count = text(row, 'gpu.count');
  return list(row, 'gpu.pools').join(', ') + (count === '' || count === '1' ? '' : ` x${count}`);
}

function cpu(item: Json): string {
  const memory = text(item, 'memory');
  return `${text(item, 'id')} ${text(item, 'vcpuCount')} vCPU${memory === '' ? '' : ` ${memory} GB`}`;
}

function hardwareLines(row: Json): Lines {
  const gpu = objectAt(row, 'gpu');
  if (gpu === undefined) return [{ label: 'cpu', value: hardware(row) }];
  return [
    { label: 'gpu pools', value: list(gpu, 'pools') },
    { label: 'excluded types', value: list(gpu, 'excludedTypes') },
    { label: 'gpus a worker', value: text(gpu, 'count') },
    { label: 'cuda', value: cuda(gpu) },
  ];
}

function cuda(gpu: Json): Shown {
  const minimum = text(gpu, 'minCudaVersion');
  return minimum === '' ? list(gpu, 'allowedCudaVersions') : `${minimum} or newer`;
}

/** The two types of endpoint have different addresses. */
const requestUrls = (row: Json): Lines =>
  Object.keys(objectAt(row, 'requestUrls') ?? {}).map((name) => ({
    label: memberLabel(name),
    value: text(row, `requestUrls.${name}`),
  }));

const TYPES = ['QUEUE', 'LOAD_BALANCER'] as const;
const FLASHBOOT = ['OFF', 'FLASHBOOT', 'PRIORITY_FLASHBOOT'] as const;

const FIELDS = {
  id: { path: 'id' },
  name: { path: 'name', write: NAME_FLAG },
  type: {
    path: 'type',
    values: TYPES,
    create: { choice: 'jobs from a queue, or requests spread over workers (default QUEUE)', choices: TYPES },
  },
  ...CONTAINER_FIELDS,
  template: {
    path: 'templateId',
    writeOnly: true,
    write: {
      text: 'template to start from, by id or name',
      metavar: 'TEMPLATE',
      complete: TEMPLATES,
      ask: pick(TEMPLATES),
    },
  },
  hardware: { show: hardware, lines: hardwareLines },
  gpuPool: {
    path: 'gpu.pools',
    type: 'list',
    write: {
      list: 'pools of GPU types that workers may run on',
      metavar: 'POOL',
      complete: POOLS,
      ask: pick(POOLS, 'SERVERLESS'),
    },
  },
  excludeGpu: {
    path: 'gpu.excludedTypes',
    type: 'list',
    write: { list: 'GPU types of these pools to leave out', metavar: 'GPU', complete: GPUS },
  },
  gpuCount: {
    path: 'gpu.count',
    type: 'count',
    write: { count: 'GPUs a worker', least: 1 },
  },
  cuda: {
    path: 'gpu.allowedCudaVersions',
    type: 'list',
    form: CUDA_FORM,
    write: { list: 'only with one of these CUDA versions', metavar: 'VERSION' },
  },
  minCuda: {
    path: 'gpu.minCudaVersion',
    form: CUDA_FORM,
    write: { text: 'only with this CUDA version or a newer one', metavar: 'VERSION' },
  },
  cpu: {
    path: 'cpu',
    type: 'objects',
    write: {
      list: 'CPU flavors that workers may run on, each with its vCPUs',
      metavar: 'FLAVOR:VCPUS',
      complete: CPUS,
      value: cpuFlavors,
    },
  },
  cpuId: { path: 'cpu.id', write: 'accepted' },
  vcpuCount: { path: 'cpu.vcpuCount', type: 'count', write: 'accepted' },
  cpuMemory: { path: 'cpu.memory', type: 'gigabytes' },
  workers: { path: 'workers', type: 'object', show: workers, write: 'accepted' },
  workerCount: { label: 'count', show: workers },
  workersMin: {
    path: 'workers.min',
    type: 'count',
    write: { count: 'the least number of workers', least: 0 },
  },
  workersMax: {
    path: 'workers.max',
    type: 'count',
    write: { count: 'the largest number of workers', least: 0 },
  },
  idleTimeout: {
    path: 'workers.idleTimeout',
    type: 'seconds',
    write: {
      duration: 'how long an idle worker stays',
      bare: 's',
      value: (milliseconds: number): Json => milliseconds / 1000,
    },
  },
  scaling: {
    path: 'scaling',
    type: 'object',
    show: scaling,
    write: 'accepted',
  },
  queueDelay: {
    type: 'seconds',
    write: {
      duration: 'grow when a job waits this long',
      bare: 's',
      path: 'scaling',
      value: (given: number): Json => ({ type: 'QUEUE_DELAY', queueDelay: given / 1000 }),
    },
  },
  requestCount: {
    type: 'count',
    write: {
      count: 'grow at this many requests a worker',
      least: 1,
      path: 'scaling',
      value: (requestCount: number): Json => ({ type: 'REQUEST_COUNT', requestCount }),
    },
  },
  executionTimeout: {
    path: 'timeout',
    type: 'milliseconds',
    label: 'execution timeout',
    write: { duration: 'how long one job may run; a new endpoint has 5m', bare: 's' },
  },
  flashboot: {
    path: 'flashboot',
    values: FLASHBOOT,
    write: { choice: 'how fast workers start', choices: FLASHBOOT },
  },
  dataCenter: {
    path: 'dataCenterIds',
    type: 'list',
    label: 'data centers',
    write: { list: 'data centers it may run in', metavar: 'DC', complete: DATA_CENTERS },
  },
  networkVolume: {
    path: 'networkVolumes',
    type: 'list',
    write: { list: 'network volumes, by id or name: one in each data center', metavar: 'VOLUME', complete: VOLUMES },
  },
  requestUrls: { path: 'requestUrls', type: 'object', lines: requestUrls },
  createdAt: CREATED_AT,
} as const satisfies Fields;

export const ENDPOINT_TABLE = defineTable({
  noun: ['endpoint', 'endpoints'],
  fields: FIELDS,
  table: ['id', 'name', 'type', 'workers', 'scaling', 'createdAt'],
  wide: ['hardware', 'image'],
  detail: [
    { fields: ['id', 'name', 'type', 'createdAt', 'flashboot', 'executionTimeout'] },
    { title: 'workers', fields: ['workerCount', 'idleTimeout', 'scaling'] },
    { title: 'hardware', fields: ['hardware'] },
    { title: 'places', fields: ['dataCenter', 'networkVolume'] },
    CONTAINER_SECTION,
    { title: 'requests', fields: ['requestUrls'] },
  ],
  members: [
    ...['id', 'name', 'type'],
    ...CONTAINER_MEMBERS,
    ...['gpu', 'cpu', 'dataCenterIds'],
    ...['networkVolumes', 'flashboot', 'requestUrls', 'workers', 'scaling', 'timeout', 'createdAt'],
  ],
});

export const ENDPOINTS = resource(COLLECTION, ENDPOINT_TABLE);

/** `cpu-general:4`: a flavor and its vCPUs. Usage (2). */
function cpuFlavors(given: readonly string[]): Json {
  return given.map((each) => {
    const [, id = '', count = ''] = /^(.+):(\d+)$/.exec(each) ?? [];
    if (id === '') throw usage(`--cpu takes FLAVOR:VCPUS, not ${JSON.stringify(each)}`, '--cpu cpu-general:4');
    return { id, vcpuCount: Number(count) };
  });
}
