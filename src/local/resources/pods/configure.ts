import { isDeepStrictEqual } from 'node:util';
import { dataCenterById, gpuById } from '../../model/catalog/hardware.ts';
import { badRequest } from '../../contract/problem.ts';
import { pods } from '../../model/pods/seed.ts';
import { sshKeys } from '../../model/ssh-keys.ts';
import { volumes } from '../../model/volumes.ts';
import { nextId, type State } from '../../state/state.ts';
import { newContainer } from '../../model/container.ts';
import { checkContainer, containerWith, resolveTemplate, type ContainerBody } from '../templates/resolve.ts';
import type { TemplateRecord } from '../../model/templates/record.ts';
import { mountsForCreate, mountsForPatch, type MountsBody } from './mounts.ts';
import { launchedAt, launchEvent, restartChanged, type BootNote } from './transitions.ts';
import type { ServiceSettings } from '../../http/call/settings.ts';
import { bootEnvironment } from '../../model/secrets.ts';
import { findPlacement, type HardwareBody } from './placement.ts';
import { storageEvent, type Membership, type PodRecord } from '../../model/pods/record.ts';
import type { EpochMs } from '../../../core/unit-types.ts';

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

/** The group of pods that a pod is created for. */
interface PodGroup {
  /** How many such pods the data center must have room for. */
  readonly copies: number;
  readonly membership: Membership;
}

/** Creates a pod; its status is PROVISIONING. Throws the 400, 404 and 422 Problems of contract rules, Pods. */
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
  const mounts = mountsForCreate(state, body.mounts ?? {}, { isCpu: body.cpu !== undefined, cloud });
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

/**
 * Fills in what a body does not name from the template, besides the container. CPU pods do not get the persistent mount and
 * the CUDA constraint (contract rules, Pods).
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
 * Changes what a PATCH names and nothing else; a changed container or mount of a running pod restarts it (additions 5). From a template it takes the container only, once: the kind of storage and
 * the template of a pod are fixed at creation. Throws the 400, 404 and 422 Problems of contract rules, Pods.
 */
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
  const mounts = mountsForPatch(pod, body.mounts);
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

/** What a start of the pod's container finds: secrets, whose values stay where they are, and SSH keys where it takes any. */
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

/** The environment variables that the service adds. */
const injectedEnv = (state: State, id: string, body: CreatePodBody): Record<string, string> => ({
  ...(body.startSsh === true && sshKeys.of(state).length > 0 ? { PUBLIC_KEY: sshKeys.of(state).join('\n') } : {}),
  ...(body.startJupyter === true ? { JUPYTER_PASSWORD: `jupyter-${id}` } : {}),
});
