import {
  CONTAINER_FIELDS,
  CONTAINER_MEMBERS,
  CONTAINER_SECTION,
  CREATED_AT,
  NAME_FLAG,
  ON_OFF,
} from '../../cli/container.ts';
import { pick } from '../../cli/resource/arguments.ts';
import {
  CLOUDS,
  CPUS,
  DATA_CENTERS,
  GPUS,
  PODS as COLLECTION,
  REGISTRIES,
  TEMPLATES,
  VOLUMES,
} from '../../cli/resource/collections.ts';
import { defineTable, type Fields, onOneLine } from '../../cli/resource/fields.ts';
import { type Resource, resource } from '../../cli/resource/targets.ts';
import * as show from './pod-cells.ts';
import { DEADLINE_VARIABLES, storedDeadline } from '../../guard/deadline.ts';
import { type Json, memberAt } from '../../core/json.ts';
import { text } from '../../output/cells.ts';

/** Specification 3.1. */
export const STATUSES = ['PROVISIONING', 'STARTING', 'RUNNING', 'EXITED', 'ERROR', 'TERMINATED'] as const;

/** Specification 2.1 to 2.3; contract, Pod, CreatePodRequest and UpdatePodRequest. */
const FIELDS = {
  id: { path: 'id' },
  name: { path: 'name', create: NAME_FLAG, update: { text: 'another name', metavar: 'NAME' } },
  status: { path: 'status', type: 'status', values: STATUSES },
  actions: { path: 'actions', type: 'list', show: onOneLine('actions') },
  ...CONTAINER_FIELDS,
  hardware: { show: show.hardware, lines: show.hardwareLines },
  gpu: {
    path: 'gpu.id',
    create: {
      list: 'GPU type; repeat for fallbacks (see berth catalog gpus)',
      metavar: 'GPU',
      complete: GPUS,
      ask: pick(GPUS, 'POD'),
      value: (given: readonly string[]): Json => given[0] ?? null,
    },
  },
  gpuCount: {
    path: 'gpu.count',
    type: 'count',
    create: { count: 'how many GPUs (default 1)', least: 1 },
  },
  minRamPerGpu: {
    path: 'gpu.minRamPerGpu',
    type: 'gigabytes',
    writeOnly: true,
    create: { count: 'only on machines with this much RAM for each GPU', least: 1, metavar: 'GB' },
  },
  minVcpuPerGpu: {
    path: 'gpu.minVcpuCountPerGpu',
    type: 'count',
    writeOnly: true,
    create: { count: 'only on machines with so many vCPUs for each GPU', least: 1 },
  },
  cuda: {
    path: 'gpu.allowedCudaVersions',
    type: 'list',
    writeOnly: true,
    create: { list: 'only on machines with one of these CUDA versions', metavar: '12.4,12.8' },
  },
  minCuda: {
    path: 'gpu.minCudaVersion',
    writeOnly: true,
    create: { text: 'only on machines with this CUDA version or a newer one', metavar: 'VERSION' },
  },
  cpu: {
    path: 'cpu.id',
    create: {
      text: 'CPU flavor instead of a GPU (see berth catalog cpus)',
      metavar: 'CPU',
      ask: pick(CPUS, 'POD'),
      complete: CPUS,
    },
  },
  vcpu: {
    path: 'cpu.vcpuCount',
    type: 'count',
    create: { count: 'how many vCPUs: a power of two, at least 2', least: 0 },
  },
  cpuMemory: { path: 'cpu.memory', type: 'gigabytes' },
  gpuVcpus: { path: 'gpu.vcpuCount', type: 'count', column: { header: 'VCPU', show: show.machineVcpus } },
  gpuMemory: { path: 'gpu.memory', type: 'gigabytes', column: { header: 'RAM GB', show: show.machineMemory } },
  cloud: { path: 'cloud', values: CLOUDS, create: { choice: 'where (default SECURE)', choices: CLOUDS } },
  dataCenterId: { path: 'dataCenterId', label: 'data center', column: { dropFirst: true } },
  dataCenter: {
    path: 'dataCenterIds',
    type: 'list',
    writeOnly: true,
    create: { list: 'in one of these data centers', metavar: 'DC', complete: DATA_CENTERS },
  },
  cudaVersion: { path: 'cudaVersion', label: 'cuda' },
  templateUsed: { path: 'template' },
  template: {
    path: 'templateId',
    writeOnly: true,
    create: {
      text: 'begin with this template, by id or name',
      metavar: 'TEMPLATE',
      complete: TEMPLATES,
      ask: pick(TEMPLATES),
    },
    update: { text: 'apply this template once, by id or name', metavar: 'TEMPLATE', complete: TEMPLATES },
  },
  stopAfter: {
    writeOnly: true,
    write: {
      text: 'a guard stops it this long after each start, or then',
      metavar: 'TIME|DATE',
      path: `env.${DEADLINE_VARIABLES.stop}`,
      value: (given: string): Json => storedDeadline(given, '--stop-after'),
    },
  },
  terminateAfter: {
    writeOnly: true,
    write: {
      text: 'a guard terminates it this long after its creation (2d), or then',
      metavar: 'TIME|DATE',
      path: `env.${DEADLINE_VARIABLES.terminate}`,
      value: (given: string): Json => storedDeadline(given, '--terminate-after'),
    },
  },
  deadline: { show: show.deadline, lines: show.deadlineLines, column: { cutLast: true } },
  mounts: { path: 'mounts', type: 'object', lines: show.mountLines, write: 'accepted' },
  networkVolume: {
    path: 'mounts.network',
    type: 'objects',
    create: {
      text: 'mount a network volume, by id or name',
      metavar: 'VOLUME[:PATH]',
      complete: VOLUMES,
      value: show.networkMount,
    },
  },
  persistentSize: {
    path: 'mounts.persistent',
    type: 'object',
    create: {
      count: 'GB of storage on the host, at least 10 (deprecated)',
      least: 10,
      metavar: 'GB',
      value: show.newPersistentMount,
    },
    update: { count: 'GB of its persistent mount', least: 0, metavar: 'GB', value: show.resizedMount },
  },
  mountPath: {
    create: {
      text: 'where the mount is in the container (default /workspace)',
      metavar: 'PATH',
      path: 'mounts',
      value: show.movedMount,
    },
    update: {
      text: 'where its mount is in the container',
      metavar: 'PATH',
      path: 'mounts',
      // The service replaces the complete mount: `update` adds the other members from the pod.
      value: (_path: string, before: Json | undefined): Json => before ?? {},
    },
  },
  cost: { path: 'cost', type: 'dollars', lines: show.hourlyCost, column: { header: 'COST/H' } },
  cluster: { path: 'cluster.id' },
  clusterRank: { path: 'cluster.rank', type: 'count' },
  clusterRole: { path: 'cluster.role' },
  clusterIp: { path: 'cluster.ip' },
  globalNetworking: {
    // An answer has an object here, a body has true or false (specification 2.2).
    path: 'globalNetworking',
    type: 'object',
    label: 'global',
    show: show.globalNetwork,
    create: { on: 'a private address across data centers' },
    update: { choice: 'a private address across data centers, from the next start', ...ON_OFF },
  },
  networkEnabled: { path: 'globalNetworking.enabled', type: 'flag' },
  networkIp: { path: 'globalNetworking.ip' },
  networkName: { path: 'globalNetworking.internalDns' },
  locked: {
    path: 'locked',
    type: 'flag',
    column: { show: show.locked, dropFirst: true },
    update: { choice: 'refuse to be stopped, restarted or terminated', ...ON_OFF },
  },
  ssh: { path: 'ssh', type: 'object', lines: show.sshLines },
  startSsh: {
    path: 'startSsh',
    type: 'flag',
    writeOnly: true,
    create: { on: "let the account's SSH keys in" },
  },
  startJupyter: {
    path: 'startJupyter',
    type: 'flag',
    writeOnly: true,
    create: { on: 'start a notebook server, with a password of its own' },
  },
  runtime: { path: 'runtime', type: 'object', lines: show.runtimeLines },
  uptime: { path: 'runtime.uptime', type: 'seconds' },
  runtimeGpus: { path: 'runtime.gpus', type: 'objects' },
  runtimeCpu: { path: 'runtime.cpu.util', type: 'percent' },
  runtimeMemory: { path: 'runtime.memory.util', type: 'percent' },
  runtimePorts: { path: 'runtime.ports', type: 'objects' },
  createdAt: CREATED_AT,
  startedAt: { path: 'startedAt', type: 'time', label: 'started', show: (row) => text(row, 'startedAt') },
} as const satisfies Fields;

export const POD_TABLE = defineTable({
  noun: ['pod', 'pods'],
  fields: FIELDS,
  table: ['id', 'name', 'status', 'hardware', 'cost', 'dataCenterId', 'createdAt', 'locked', 'deadline'],
  wide: ['uptime', 'cloud', 'gpuVcpus', 'gpuMemory', 'image'],
  detail: [
    {
      fields: [
        'id',
        'name',
        'status',
        'actions',
        'cost',
        'createdAt',
        'startedAt',
        'deadline',
        'locked',
        'templateUsed',
      ],
    },
    { title: 'hardware', fields: ['hardware', 'cloud', 'dataCenterId', 'cudaVersion'] },
    { title: 'runtime', fields: ['runtime'] },
    CONTAINER_SECTION,
    { title: 'mounts', fields: ['mounts'] },
    { title: 'network', fields: ['globalNetworking', 'ssh'] },
    { title: 'cluster', fields: ['cluster', 'clusterRank', 'clusterRole', 'clusterIp'] },
  ],
  members: [
    ...['id', 'name', 'status', 'actions'],
    ...CONTAINER_MEMBERS,
    ...['mounts', 'gpu', 'cpu'],
    ...['cloud', 'dataCenterId', 'cudaVersion', 'template', 'cost', 'locked', 'cluster', 'globalNetworking', 'ssh'],
    ...['runtime', 'createdAt', 'startedAt'],
  ],
});

export const PODS: Resource<'pod'> = resource(COLLECTION, POD_TABLE);

export const isLocked = (pod: Json): boolean => memberAt(pod, 'locked') === true;

/** Ids for which names work too (contract rules, Pods). */
export const REFERENCES = {
  templateId: TEMPLATES,
  registry: REGISTRIES,
  'mounts.network.0.volumeId': VOLUMES,
} as const;
