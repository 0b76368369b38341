import { usage } from '../../core/failure.ts';
import { isObject, memberAt, objectOf, type Json, type JsonObject } from '../../core/json.ts';
import { option } from '../../cli/parse/params.ts';
import type { Members } from '../../cli/resource/body.ts';
import { pickGpu, pickTemplate } from '../shared/pickers.ts';
import { CONTAINER_ACCEPTS, CONTAINER_MEMBERS } from '../shared/container.ts';

/** Where a mount goes unless said otherwise: the usual place of a workspace (specification 2.4). */
const MOUNT_PATH = '/workspace';

const name = {
  param: option.text('what to call it', { metavar: 'NAME', ask: { kind: 'text', question: 'Name' } }),
  path: 'name',
};

const persistentSize = 'GB of storage on the host, at least 10, lost when the host fails (deprecated)';
const mountPath = option.text('where the mount is in the container (default /workspace)', { metavar: 'PATH' });

/** Flags of `pods create`, in the order help shows them. */
export const CREATE_MEMBERS = {
  name,
  ...CONTAINER_MEMBERS,
  gpu: {
    param: option.text('the GPU type, as in berth catalog gpus', { metavar: 'GPU', ask: pickGpu('POD') }),
    path: 'gpu.id',
  },
  gpuCount: { param: option.count('how many GPUs (default 1)', 1), path: 'gpu.count' },
  cuda: {
    param: option.list('only on machines with one of these CUDA versions', { metavar: '12.4,12.8' }),
    path: 'gpu.allowedCudaVersions',
  },
  minCuda: {
    param: option.text('only on machines with this CUDA version or a newer one', { metavar: 'VERSION' }),
    path: 'gpu.minCudaVersion',
  },
  cpu: {
    param: option.text('in place of a GPU: the CPU flavor, as in berth catalog cpus', { metavar: 'CPU' }),
    path: 'cpu.id',
  },
  vcpu: { param: option.count('how many vCPUs: a power of two, at least 2', 0), path: 'cpu.vcpuCount' },
  cloud: { param: option.choice('where (default SECURE)', ['SECURE', 'COMMUNITY']), path: 'cloud' },
  dataCenter: { param: option.list('in one of these data centers', { metavar: 'DC' }), path: 'dataCenterIds' },
  template: {
    param: option.text('begin with this template, by id or name', { metavar: 'TEMPLATE', ask: pickTemplate(false) }),
    path: 'templateId',
  },
  networkVolume: {
    param: option.text('mount a network volume, by id or name', { metavar: 'VOLUME[:PATH]' }),
    path: 'mounts.network',
    value: networkMount,
  },
  persistentSize: {
    param: option.count(persistentSize, 0, { metavar: 'GB' }),
    path: 'mounts.persistent',
    value: (size: number, before: Json | undefined): Json => ({ path: MOUNT_PATH, ...objectOf(before), size }),
  },
  mountPath: { param: mountPath, path: 'mounts', value: pathOfMount },
  globalNetworking: { param: option.on('a private address across data centers'), path: 'globalNetworking' },
  startSsh: { param: option.on("let the account's SSH keys in"), path: 'startSsh' },
  startJupyter: { param: option.on('start a notebook server, with a password of its own'), path: 'startJupyter' },
} as const satisfies Members;

/** What a create takes (contract, CreatePodRequest). */
export const CREATE_ACCEPTS = [
  'name',
  ...CONTAINER_ACCEPTS,
  'gpu.id',
  'gpu.count',
  'gpu.allowedCudaVersions',
  'gpu.minCudaVersion',
  'cpu.id',
  'cpu.vcpuCount',
  'cloud',
  'dataCenterIds',
  'templateId',
  'mounts',
  'globalNetworking',
  'startSsh',
  'startJupyter',
] as const;

/** What of a pod cannot be written (specification 2.1; contract, Pod). */
export const PRINTS = [
  ...['status', 'actions', 'cpu.memory', 'dataCenterId', 'cudaVersion', 'ssh', 'cluster', 'template', 'cost', 'locked'],
  ...['runtime', 'startedAt'],
] as const;

const isOn = (word: string): Json => word === 'on';

/** Flags of `pods update`. */
export const UPDATE_MEMBERS = {
  name: { ...name, param: option.text('another name', { metavar: 'NAME' }) },
  ...CONTAINER_MEMBERS,
  template: {
    param: option.text('apply this template once, by id or name', { metavar: 'TEMPLATE' }),
    path: 'templateId',
  },
  persistentSize: {
    param: option.count('GB of its persistent mount', 0, { metavar: 'GB' }),
    path: 'mounts.persistent',
    value: (size: number, before: Json | undefined): Json => ({ ...objectOf(before), size }),
  },
  mountPath: {
    param: option.text('where its mount is in the container', { metavar: 'PATH' }),
    path: 'mounts',
    // The service takes a mount only whole: the rest of it comes from the pod as it is.
    value: (_path: string, before: Json | undefined): Json => before ?? {},
  },
  globalNetworking: {
    param: option.choice('a private address across data centers, from the next start', ['on', 'off']),
    path: 'globalNetworking',
    value: isOn,
  },
  locked: { param: option.choice('refuse to be stopped or restarted', ['on', 'off']), path: 'locked', value: isOn },
} as const satisfies Members;

/** What a change does not take: what cannot be written, and what is for good. */
export const UPDATE_PRINTS = [...PRINTS, 'gpu', 'cpu', 'cloud', 'dataCenterIds', 'startSsh', 'startJupyter'] as const;

/** What a change takes (contract, UpdatePodRequest). */
export const UPDATE_ACCEPTS = [
  'name',
  ...CONTAINER_ACCEPTS,
  'mounts',
  'locked',
  'globalNetworking',
  'templateId',
] as const;

/** `VOLUME`, or `VOLUME:/PATH`; a mount that is there already keeps its path. Fails with usage (2). */
function networkMount(given: string, before: Json | undefined): Json {
  const at = given.indexOf(':/');
  const volumeId = at < 0 ? given : given.slice(0, at);
  if (volumeId === '') throw usage('--network-volume is empty');
  const path = at < 0 ? (memberAt(before, '0.path') ?? MOUNT_PATH) : given.slice(at + 1);
  return [{ volumeId, path }];
}

/** The mount with its path. Fails with usage (2) where there is nothing to mount. */
function pathOfMount(path: string, before: Json | undefined): Json {
  const mounts = withPath(objectOf(before) ?? {}, path);
  if (mounts === undefined)
    throw usage('--mount-path needs something to mount', 'Name it with --network-volume or --persistent-size.');
  return mounts;
}

/** Mounts with another path; undefined where there are none. */
export function withPath(mounts: JsonObject, path: string): JsonObject | undefined {
  const network = memberAt(mounts, 'network.0');
  if (isObject(network)) return { ...mounts, network: [{ ...network, path }] };
  const persistent = objectOf(mounts['persistent']);
  return persistent === undefined ? undefined : { ...mounts, persistent: { ...persistent, path } };
}
