import { isDeepStrictEqual } from 'node:util';
import { dataCenterById, gpuById } from '../../model/catalog/hardware.ts';
import { badRequest } from '../../contract/problem.ts';
import { nextId, type State } from '../../state/state.ts';
import { refuseContainer, resolveTemplate, type ContainerBody } from '../templates/resolve.ts';
import type { TemplateRecord } from '../../model/templates/record.ts';
import { mountsForCreate, mountsForPatch, type MountsBody } from './mounts.ts';
import { place, type HardwareBody } from './placement.ts';
import type { Membership, PodEvent, PodRecord } from '../../model/pods/record.ts';

interface PodBody extends ContainerBody {
  readonly mounts?: MountsBody;
  readonly templateId?: string;
  readonly globalNetworking?: boolean;
}

export interface CreatePodBody extends PodBody, HardwareBody {
  readonly name: string;
  readonly cloud?: 'SECURE' | 'COMMUNITY';
  readonly dataCenterIds?: readonly string[];
  readonly startSsh?: boolean;
  readonly startJupyter?: boolean;
}

export interface UpdatePodBody extends PodBody {
  readonly name?: string;
  readonly locked?: boolean;
}

/** What a pod is one of. */
interface Among {
  /** There must be room for so many like it. */
  readonly copies: number;
  readonly membership: Membership;
}

const DEFAULT_DISK_GB = 20;

/** A new pod, PROVISIONING. Throws the 400, 404 and 422 Problems of contract rules, Pods. */
export function createPod(state: State, now: number, asked: CreatePodBody, among?: Among): PodRecord {
  const { body: filled, template } = resolveTemplate(state, asked, 'pod');
  const body = template === undefined ? filled : withTemplate(filled, template);
  const { cloud = 'SECURE', globalNetworking = false } = body;
  refuseContainer(state, body);
  const mounts = mountsForCreate(state, body.mounts ?? {}, { isCpu: body.cpu !== undefined, cloud });
  const volume = mounts.network?.[0]?.volumeId;
  const placement = place({
    ...body,
    cloud,
    dataCenterIds: body.dataCenterIds ?? [],
    volumeDataCenter: volume === undefined ? undefined : state.volumes[volume]?.dataCenter,
    globalNetworking,
    copies: among?.copies ?? 1,
  });
  const id = nextId(state, 'pod');
  const pod: PodRecord = {
    id,
    name: body.name,
    image: body.image ?? '',
    args: body.args ?? '',
    disk: body.disk ?? DEFAULT_DISK_GB,
    ports: [...(body.ports ?? [])],
    env: { ...injected(state, id, body), ...body.env },
    registry: body.registry ?? null,
    mounts,
    ...placement,
    cloud,
    template: template?.id ?? null,
    locked: false,
    globalNetworking: { wanted: globalNetworking, active: globalNetworking },
    createdAt: now,
    startedBefore: null,
    life: { kind: 'launched', at: now },
    history: [],
    ...(among === undefined ? {} : { cluster: among.membership }),
  };
  pod.history.push(storageOf(pod, now), { kind: 'launch', at: now, image: pod.image });
  state.pods[id] = pod;
  return pod;
}

/**
 * What a new pod takes of its template beyond the container, where its body does not say. CPU pods take neither the
 * persistent mount nor the CUDA constraint (contract rules, Pods).
 */
function withTemplate(body: CreatePodBody, template: TemplateRecord): CreatePodBody {
  const { mounts, startSsh, startJupyter, allowedCudaVersions } = template;
  const filled = { startSsh, startJupyter, ...body };
  const { gpu } = body;
  if (gpu === undefined) return filled;
  const constrained = gpu.allowedCudaVersions !== undefined || gpu.minCudaVersion !== undefined;
  return { mounts, ...filled, gpu: constrained ? gpu : { ...gpu, allowedCudaVersions } };
}

/**
 * Changes what a PATCH names and nothing else; of a template it takes the container alone, once: what kind of storage a
 * pod has is fixed at creation, and so is the template it names. Throws the 400, 404 and 422 Problems of contract rules,
 * Pods.
 */
export function updatePod(state: State, pod: PodRecord, asked: UpdatePodBody, now: number): void {
  const { body } = resolveTemplate(state, asked, 'pod');
  refuseContainer(state, body);
  if (body.globalNetworking === true) refuseGlobalNetworking(pod);
  const mounts = mountsForPatch(pod, body.mounts);
  const stored = storageOf(pod, now);
  Object.assign(pod, {
    name: body.name ?? pod.name,
    image: body.image ?? pod.image,
    args: body.args ?? pod.args,
    disk: body.disk ?? pod.disk,
    ports: body.ports ?? pod.ports,
    env: body.env ?? pod.env,
    registry: body.registry === undefined ? pod.registry : body.registry,
    mounts,
    locked: body.locked ?? pod.locked,
    globalNetworking: { ...pod.globalNetworking, wanted: body.globalNetworking ?? pod.globalNetworking.wanted },
  } satisfies Partial<Record<keyof PodRecord, unknown>>);
  const storage = storageOf(pod, now);
  if (!isDeepStrictEqual(storage, stored)) pod.history.push(storage);
}

/** What a pod stores from a moment on. */
export const storageOf = ({ disk, mounts }: Pick<PodRecord, 'disk' | 'mounts'>, at: number): PodEvent => ({
  kind: 'storage',
  at,
  disk,
  persistent: mounts.persistent?.size ?? 0,
});

function refuseGlobalNetworking(pod: PodRecord): void {
  if (pod.gpu === undefined || gpuById(pod.gpu.id)?.manufacturer !== 'NVIDIA')
    throw badRequest('global networking needs an NVIDIA GPU');
  if (dataCenterById(pod.dataCenterId)?.globalNetwork !== true)
    throw badRequest(`data center ${pod.dataCenterId} has no global networking`);
}

const injected = (state: State, id: string, body: CreatePodBody): Record<string, string> => ({
  ...(body.startSsh === true && state.sshKeys.length > 0 ? { PUBLIC_KEY: state.sshKeys.join('\n') } : {}),
  ...(body.startJupyter === true ? { JUPYTER_PASSWORD: `jupyter-${id}` } : {}),
});
