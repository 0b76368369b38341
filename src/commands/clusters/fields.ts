/** The fields of clusters. */
import { CONTAINER_FIELDS, CREATED_AT, createOnly, NAME_FLAG } from '../../cli/container.ts';
import { pick } from '../../cli/resource/arguments.ts';
import { DATA_CENTERS, GPUS, TEMPLATES, VOLUMES } from '../../cli/resource/collections.ts';
import { defineTable, type Fields } from '../../cli/resource/fields.ts';
import { networkMount } from '../pods/pod-cells.ts';
import { type Json, objectAt } from '../../core/json.ts';
import { text } from '../../output/cells.ts';

/** Contract rules, Clusters. */
export const MIN_PODS = 2;
export const MAX_PODS = 250;

const TYPES = ['APPLICATION', 'TRAINING', 'SLURM', 'RAY'] as const;

const OF_CONTAINER = ['image', 'args', 'entrypoint', 'cmd', 'command', 'disk', 'port', 'env', 'envFrom'] as const;
const CONTAINER = Object.fromEntries(OF_CONTAINER.map((key) => [key, createOnly(CONTAINER_FIELDS[key])]));

const SWITCH = { type: 'flag', writeOnly: true } as const;

const FIELDS = {
  id: { path: 'id' },
  name: { path: 'name', write: NAME_FLAG },
  type: {
    path: 'type',
    values: TYPES,
    create: {
      choice: 'what it is for',
      choices: TYPES,
      ask: { kind: 'pick', question: 'Type', choices: async () => TYPES.map((value) => ({ name: value, value })) },
    },
  },
  compute: { path: 'compute', type: 'object', show: compute, create: 'accepted' },
  gpu: {
    path: 'compute.gpuTypeId',
    create: {
      text: 'the GPU type of every pod',
      metavar: 'GPU',
      complete: GPUS,
      ask: pick(GPUS, 'CLUSTER'),
    },
  },
  gpuCount: {
    path: 'compute.gpuCountPerPod',
    type: 'count',
    create: {
      count: 'GPUs of each pod',
      least: 1,
      ask: { kind: 'text', question: 'GPUs of each pod', answer: 'a number of GPUs' },
    },
  },
  pods: {
    path: 'compute.podCount',
    type: 'count',
    create: {
      count: `pods, ${MIN_PODS} to ${MAX_PODS}`,
      least: Number.MIN_SAFE_INTEGER,
      ask: { kind: 'text', question: `Pods (${MIN_PODS} to ${MAX_PODS})`, answer: 'a number of pods' },
    },
  },
  templateUsed: { path: 'template' },
  template: {
    path: 'templateId',
    writeOnly: true,
    create: {
      text: 'the container of every pod: a pod template, by id or name',
      metavar: 'TEMPLATE',
      complete: TEMPLATES,
    },
  },
  dataCenterId: { path: 'dataCenterId', label: 'data center' },
  podTotal: { path: 'pods.total', type: 'count' },
  podStatuses: {
    path: 'pods.byStatus',
    type: 'object',
    label: 'status',
    show: podStatuses,
    column: { header: 'PODS' },
  },
  networkCidr: { path: 'network.cidr' },
  networkVxlanId: { path: 'network.vxlanId', label: 'vxlan id' },
  networkVxlanPort: { path: 'network.vxlanPort', label: 'vxlan port' },
  primaryPod: { path: 'primary.podId', label: 'pod' },
  primaryStatus: { path: 'primary.status', type: 'status' },
  primarySsh: { path: 'primary.sshEndpoint', label: 'ssh' },
  createdAt: CREATED_AT,
  ...CONTAINER,
  dataCenter: {
    path: 'dataCenterIds',
    type: 'list',
    writeOnly: true,
    create: { list: 'data centers it may be placed in', metavar: 'DC', complete: DATA_CENTERS },
  },
  mounts: { path: 'mounts', type: 'object', writeOnly: true, create: 'accepted' },
  networkVolume: {
    path: 'mounts.network',
    type: 'objects',
    writeOnly: true,
    create: {
      text: 'network volume for every pod, by id or name',
      metavar: 'VOLUME[:PATH]',
      complete: VOLUMES,
      value: (given: string): Json => networkMount(given, undefined),
    },
  },
  startSsh: { ...SWITCH, path: 'startSsh', create: { on: 'start an SSH server in every pod' } },
  startJupyter: { ...SWITCH, path: 'startJupyter', create: { on: 'start Jupyter in every pod' } },
} as const satisfies Fields;

export const CLUSTER_TABLE = defineTable({
  noun: ['cluster', 'clusters'],
  fields: FIELDS,
  table: ['id', 'name', 'type', 'compute', 'podStatuses', 'dataCenterId', 'createdAt'],
  detail: [
    { fields: ['id', 'name', 'type', 'compute', 'dataCenterId', 'templateUsed', 'createdAt'] },
    { title: 'pods', fields: ['podTotal', 'podStatuses'] },
    { title: 'primary', fields: ['primaryPod', 'primaryStatus', 'primarySsh'] },
    { title: 'network', fields: ['networkCidr', 'networkVxlanId', 'networkVxlanPort'] },
  ],
});

/** `GPU-80G x8 on 2 pods`. */
export function compute(row: Json): string | undefined {
  const each = objectAt(row, 'compute');
  return each === undefined
    ? undefined
    : `${text(each, 'gpuTypeId')} x${text(each, 'gpuCountPerPod')} on ${text(each, 'podCount')} pods`;
}

function podStatuses(row: Json): readonly string[] {
  const counts = objectAt(row, 'pods.byStatus') ?? {};
  return Object.entries(counts).flatMap(([name, count]) => (count === 0 ? [] : [`${text(counts, name)} ${name}`]));
}
