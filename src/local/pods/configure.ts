import { dataCenterById, gpuById } from '../catalog/data.ts';
import { badRequest, notFound } from '../problem.ts';
import { nextId, type State } from '../state.ts';
import { mountsForCreate, mountsForPatch, type MountsBody } from './mounts.ts';
import { place, type HardwareBody } from './placement.ts';
import type { PodRecord } from './record.ts';

/** The container configuration that pods share with templates and endpoints, as a body carries it. */
interface ContainerBody {
  readonly image?: string;
  readonly args?: string;
  readonly disk?: number;
  readonly ports?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly registry?: string | null;
  readonly mounts?: MountsBody;
  readonly templateId?: string;
  readonly globalNetworking?: boolean;
}

export interface CreatePodBody extends ContainerBody, HardwareBody {
  readonly name: string;
  readonly cloud?: 'SECURE' | 'COMMUNITY';
  readonly dataCenterIds?: readonly string[];
  readonly startSsh?: boolean;
  readonly startJupyter?: boolean;
}

export interface UpdatePodBody extends ContainerBody {
  readonly name?: string;
  readonly locked?: boolean;
}

const DEFAULT_DISK_GB = 20;

/** A new pod, PROVISIONING. Throws the 400 and 404 Problems of contract rules, Pods. */
export function createPod(state: State, now: number, body: CreatePodBody): PodRecord {
  const { cloud = 'SECURE', globalNetworking = false } = body;
  refuseUnknown(state, body);
  const mounts = mountsForCreate(state, body.mounts ?? {}, { isCpu: body.cpu !== undefined, cloud });
  const volume = mounts.network?.[0]?.volumeId;
  const placement = place({
    ...body,
    cloud,
    dataCenterIds: body.dataCenterIds ?? [],
    volumeDataCenter: volume === undefined ? undefined : state.volumes[volume]?.dataCenter,
    globalNetworking,
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
    template: null,
    locked: false,
    globalNetworking: { wanted: globalNetworking, active: globalNetworking },
    createdAt: now,
    startedBefore: null,
    life: { kind: 'launched', at: now },
  };
  state.pods[id] = pod;
  return pod;
}

/** Changes what a PATCH names and nothing else. Throws the 400 and 404 Problems of contract rules, Pods. */
export function updatePod(state: State, pod: PodRecord, body: UpdatePodBody): void {
  refuseUnknown(state, body);
  if (body.globalNetworking === true) refuseGlobalNetworking(pod);
  const mounts = mountsForPatch(pod, body.mounts);
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
}

function refuseUnknown(state: State, body: ContainerBody): void {
  if (body.templateId !== undefined) throw notFound(`template ${body.templateId} not found`);
  if (typeof body.registry === 'string' && !Object.hasOwn(state.registries, body.registry))
    throw notFound(`registry ${body.registry} not found`);
  const odd = body.ports?.find((port) => !isPort(port));
  if (odd !== undefined) throw badRequest(`ports: ${JSON.stringify(odd)} is not of the form port/protocol`);
}

function refuseGlobalNetworking(pod: PodRecord): void {
  if (pod.gpu === undefined || gpuById(pod.gpu.id)?.manufacturer !== 'NVIDIA')
    throw badRequest('global networking needs an NVIDIA GPU');
  if (dataCenterById(pod.dataCenterId)?.globalNetwork !== true)
    throw badRequest(`data center ${pod.dataCenterId} has no global networking`);
}

const injected = (state: State, id: string, body: CreatePodBody): Record<string, string> => ({
  ...(body.startSsh === true ? { PUBLIC_KEY: state.sshKeys.join('\n') } : {}),
  ...(body.startJupyter === true ? { JUPYTER_PASSWORD: `jupyter-${id}` } : {}),
});

function isPort(port: string): boolean {
  const number = /^(\d{1,5})\/(tcp|udp|http)$/.exec(port)?.[1];
  return number !== undefined && Number(number) >= 1 && Number(number) <= 65_535;
}
