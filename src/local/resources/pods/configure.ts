import { isDeepStrictEqual } from 'node:util';
import type { EpochMs } from '../../../core/unit-types.ts';
import { badRequest, notFound } from '../../contract/problem.ts';
import type { ServiceSettings } from '../../http/operation.ts';
import { newContainer } from '../../model/container.ts';
import { dataCenterById, gpuById } from '../../model/hardware.ts';
import { type Membership, type MountsRecord, type PodRecord, pods, storageEvent } from '../../model/pods.ts';
import { sshKeys } from '../../model/records.ts';
import { bootEnvironment } from '../../model/secrets.ts';
import type { TemplateRecord } from '../../model/templates.ts';
import { volumes } from '../../model/volumes.ts';
import { findPlacement, type HardwareBody } from './placement.ts';
import { type BootNote, launchedAt, launchEvent, restartChanged } from './transitions.ts';
import { checkContainer, type ContainerBody, containerWith, resolveTemplate } from '../templates.ts';
import { nextId, type State } from '../../state/state.ts';

interface MountsBody {
  readonly persistent?: { readonly size: number; readonly path: string };
  readonly network?: readonly { readonly volumeId: string; readonly path: string }[];
}

/** Throws the 400 Problem of specification 2.3 and 2.4, 404 for an unknown volume. Of a pod that is there only paths and sizes change. */
function mountsOf(state: State, mounts: MountsBody = {}, pod: MountedPod): MountsRecord {
  const { persistent, network } = mounts;
  const { mounts: present } = pod;
  if (persistent !== undefined && network !== undefined)
    throw badRequest('at most one of persistent and network may be mounted');
  if (persistent !== undefined) {
    if (pod.cpu !== undefined) throw badRequest('a persistent mount is not allowed on a CPU pod');
    if (present !== undefined && present.persistent === undefined) throw fixedKind('a persistent mount');
    const least = present?.persistent?.size ?? 0;
    if (persistent.size < least) throw badRequest(`a persistent mount only grows: it has ${String(least)} GB`);
    return { persistent: { ...persistent } };
  }
  if (network === undefined) return present ?? {};
  const [wanted] = network;
  if (present !== undefined) {
    if (wanted === undefined) throw badRequest('clearing mounts is unsupported');
    const volumeId = present.network?.[0]?.volumeId;
    if (volumeId === undefined) throw fixedKind('a network mount');
    if (volumeId !== wanted.volumeId) throw badRequest('the volume of a network mount is fixed at creation');
    return { network: [{ ...wanted }] };
  }
  if (wanted === undefined) return {};
  if (volumes.get(state, wanted.volumeId) === undefined) throw notFound(`network volume ${wanted.volumeId} not found`);
  if (pod.cloud !== 'SECURE') throw badRequest('network volumes are available only on the SECURE cloud');
  return { network: [{ ...wanted }] };
}

/** `mounts` is absent of a new one. */
interface MountedPod {
  readonly cloud: PodRecord['cloud'];
  readonly cpu?: unknown;
  readonly mounts?: MountsRecord;
}

const fixedKind = (what: string) => badRequest(`${what} cannot be added: the mount kind is fixed at creation`);

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

interface PodGroup {
  readonly copies: number;
  readonly membership: Membership;
}

/** Throws the 400, 404 and 422 Problems of contract rules, Pods. */
export function createPod(
  state: State,
  now: EpochMs,
  request: CreatePodBody,
  settings: ServiceSettings,
  group?: PodGroup,
): PodRecord {
  const { body: filled, template } = resolveTemplate(state, request, 'pod');
  const body = template === undefined ? filled : withTemplate(filled, template);
  const { cloud = 'SECURE', globalNetworking = false } = body;
  checkContainer(state, body);
  checkVariables(body.env);
  const mounts = mountsOf(state, body.mounts, { cloud, cpu: body.cpu });
  const volume = mounts.network?.[0]?.volumeId;
  const placement = findPlacement(state, {
    ...body,
    cloud,
    dataCenterIds: body.dataCenterIds ?? [],
    volumeDataCenter: volume === undefined ? undefined : volumes.get(state, volume)?.dataCenter,
    globalNetworking,
    copies: group?.copies ?? 1,
  });
  // A GPU count has a default (specification 2.2), a disk has none. The members of a cluster are not created by a client.
  if (template === undefined && body.disk === undefined && group === undefined)
    throw badRequest('template id or pod configuration parameters are missing: disk');
  const id = nextId(state, 'pod');
  const pod: PodRecord = {
    id,
    name: body.name,
    ...containerWith(newContainer(), body),
    env: { ...injectedEnv(state, id, body), ...body.env },
    mounts,
    ...placement,
    cloud,
    template: template?.id ?? null,
    locked: false,
    globalNetworking: { wanted: globalNetworking, active: globalNetworking },
    createdAt: now,
    startedBefore: null,
    life: launchedAt({ image: body.image ?? '' }, now),
    history: [],
    ...(group === undefined ? {} : { cluster: group.membership }),
  };
  pod.history.push(storageEvent(pod, now), { ...launchEvent(pod, now), ...bootNote(state, settings, pod) });
  return pods.put(state, pod);
}

/** CPU pods do not get the persistent mount and the CUDA constraint (contract rules, Pods). */
function withTemplate(body: CreatePodBody, template: TemplateRecord): CreatePodBody {
  const { mounts, startSsh, startJupyter, allowedCudaVersions } = template;
  const filled = { startSsh, startJupyter, ...body };
  const { gpu } = body;
  if (gpu === undefined) return filled;
  const constrained = gpu.allowedCudaVersions !== undefined || gpu.minCudaVersion !== undefined;
  return { mounts, ...filled, gpu: constrained ? gpu : { ...gpu, allowedCudaVersions } };
}

/** A changed container or mount restarts a running pod (additions 5). Throws 400, 404, 422 Problems. */
export function updatePod(
  state: State,
  pod: PodRecord,
  request: UpdatePodBody,
  now: EpochMs,
  settings: ServiceSettings,
): void {
  const { body } = resolveTemplate(state, request, 'pod');
  checkContainer(state, body);
  checkVariables(body.env);
  if (body.globalNetworking === true) checkGlobalNetworking(pod);
  const mounts = mountsOf(state, body.mounts, pod);
  const before = storageEvent(pod, now);
  const configured = containerWith(pod, body);
  const restarts = !isDeepStrictEqual([configured, mounts], [containerWith(pod, {}), pod.mounts]);
  Object.assign(pod, {
    ...configured,
    name: body.name ?? pod.name,
    mounts,
    locked: body.locked ?? pod.locked,
    globalNetworking: { ...pod.globalNetworking, wanted: body.globalNetworking ?? pod.globalNetworking.wanted },
  } satisfies Partial<Record<keyof PodRecord, unknown>>);
  const storage = storageEvent(pod, now);
  if (!isDeepStrictEqual(storage, before)) pod.history.push(storage);
  if (restarts) restartChanged(pod, now, bootNote(state, settings, pod));
}

/** How many variables a pod has at most (contract rules, Pods). */
const MAX_VARIABLES = 50;

function checkVariables(env: Readonly<Record<string, string>> = {}): void {
  if (Object.keys(env).length > MAX_VARIABLES)
    throw badRequest(`env: a pod has at most ${String(MAX_VARIABLES)} variables`);
}

/** Notes which secrets a start finds, never their values. */
export function bootNote(
  state: State,
  { secretPrefix }: Pick<ServiceSettings, 'secretPrefix'>,
  { env }: PodRecord,
): BootNote {
  const { fromSecrets, unresolved } = bootEnvironment(state, secretPrefix, env);
  return {
    ...(fromSecrets.length > 0 ? { fromSecrets } : {}),
    ...(unresolved.length > 0 ? { unresolved } : {}),
    ...(env['PUBLIC_KEY'] === undefined ? {} : { sshKeys: [...sshKeys.of(state)] }),
  };
}

function checkGlobalNetworking(pod: PodRecord): void {
  if (pod.gpu === undefined || gpuById(pod.gpu.id)?.manufacturer !== 'NVIDIA')
    throw badRequest('global networking needs an NVIDIA GPU');
  if (dataCenterById(pod.dataCenterId)?.globalNetwork !== true)
    throw badRequest(`data center ${pod.dataCenterId} has no global networking`);
}

const injectedEnv = (state: State, id: string, body: CreatePodBody): Record<string, string> => ({
  ...(body.startSsh === true && sshKeys.of(state).length > 0 ? { PUBLIC_KEY: sshKeys.of(state).join('\n') } : {}),
  ...(body.startJupyter === true ? { JUPYTER_PASSWORD: `jupyter-${id}` } : {}),
});
