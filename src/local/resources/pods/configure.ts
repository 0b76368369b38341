import { isDeepStrictEqual } from 'node:util';
import type { EpochMs } from '../../../core/unit-types.ts';
import { badRequest, NO_ROOM, notFound } from '../../contract/problem.ts';
import type { ServiceSettings } from '../../http/operation.ts';
import { type MountsRecord, newContainer, type TemplateRecord } from '../../model/container.ts';
import {
  compareVersions,
  cpusOf,
  DATA_CENTERS,
  dataCenterById,
  flavorFor,
  gpuById,
  gpusOf,
  meetsCuda,
} from '../../model/hardware.ts';
import { type Membership, type PodRecord, pods, storageEvent } from '../../model/pods.ts';
import { bootEnvironment, sshKeys, volumes } from '../../model/records.ts';
import { checkContainer, type ContainerBody, containerWith, resolveTemplate } from '../templates.ts';
import { type BootNote, launchedAt, launchEvent, restartChanged } from './document.ts';
import { nextId, type State } from '../../state/state.ts';

interface PodBody extends ContainerBody {
  readonly mounts?: MountsRecord;
  readonly templateId?: string;
  readonly globalNetworking?: boolean;
}

export interface CreatePodBody extends PodBody {
  readonly name: string;
  readonly gpu?: {
    readonly id: string;
    readonly count?: number;
    readonly allowedCudaVersions?: readonly string[];
    readonly minCudaVersion?: string;
    /** GB and vCPUs for each GPU: filters of the machine. */
    readonly minRamPerGpu?: number;
    readonly minVcpuCountPerGpu?: number;
  };
  readonly cpu?: { readonly id: string; readonly vcpuCount: number };
  readonly cloud?: PodRecord['cloud'];
  readonly dataCenterIds?: readonly string[];
  readonly startSsh?: boolean;
  readonly startJupyter?: boolean;
}

export interface UpdatePodBody extends PodBody {
  readonly name?: string;
  readonly locked?: boolean;
}

type Placement = Pick<PodRecord, 'gpu' | 'cpu' | 'dataCenterId' | 'cudaVersion' | 'price'>;

/** Throws the 400 Problem when there is none (contract rules, Pods). */
function findPlacement(state: State, body: CreatePodBody, volume: string | undefined, copies: number): Placement {
  const { gpu, cpu, cloud = 'SECURE', globalNetworking = false } = body;
  if ((gpu === undefined) === (cpu === undefined)) throw badRequest('exactly one of gpu and cpu is required');
  if (cpu !== undefined) {
    const { id, vcpuCount } = cpu;
    const { stock, ramGbPerVcpu, price } = flavorFor(cpusOf(state), id, vcpuCount);
    if (cloud !== 'SECURE') throw badRequest('CPU pods are available only on the SECURE cloud');
    if (globalNetworking) throw badRequest('global networking needs an NVIDIA GPU');
    return {
      cpu: { id, vcpuCount, memory: vcpuCount * ramGbPerVcpu },
      dataCenterId: chooseDataCenter(state, body, volume, stock, vcpuCount, copies),
      cudaVersion: null,
      price: roundPrice(price.securePerVcpu * vcpuCount),
    };
  }
  const { id = '', count = 1, allowedCudaVersions = [], minCudaVersion } = gpu ?? {};
  const type = gpusOf(state).find((known) => known.id === id);
  if (type === undefined) throw badRequest(`unknown GPU type ${id}`);
  if (allowedCudaVersions.length > 0 && minCudaVersion !== undefined)
    throw badRequest('gpu.allowedCudaVersions and gpu.minCudaVersion exclude each other');
  const ofCloud = cloud === 'SECURE' ? 'secure' : 'community';
  if (count > type.maxCount[ofCloud])
    throw badRequest(`at most ${String(type.maxCount[ofCloud])} of ${id} are offered on the ${cloud} cloud`);
  if (globalNetworking && type.manufacturer !== 'NVIDIA') throw badRequest('global networking needs an NVIDIA GPU');
  const { vcpuPerGpu, ramGbPerGpu } = type.machine;
  if (ramGbPerGpu < (gpu?.minRamPerGpu ?? 0) || vcpuPerGpu < (gpu?.minVcpuCountPerGpu ?? 0))
    throw badRequest(
      `${NO_ROOM.tooSmall}: ${id} has ${String(ramGbPerGpu)} GB and ${String(vcpuPerGpu)} vCPUs for each GPU`,
    );
  const versions = type.cudaVersions
    .filter((version) => meetsCuda(version, allowedCudaVersions, minCudaVersion))
    .sort(compareVersions);
  if (versions.length === 0 && (allowedCudaVersions.length > 0 || minCudaVersion !== undefined))
    throw badRequest(`no machine with ${id} has such a CUDA version`);
  return {
    gpu: { id, count },
    dataCenterId: chooseDataCenter(state, body, volume, type.stock, count, copies),
    cudaVersion: versions.at(-1) ?? null,
    price: roundPrice(type.price[ofCloud] * count),
  };
}

function chooseDataCenter(
  state: State,
  { dataCenterIds = [], globalNetworking = false }: CreatePodBody,
  volume: string | undefined,
  stock: Readonly<Record<string, number>>,
  need: number,
  copies: number,
): string {
  const ofVolume = volumes.get(state, volume ?? '')?.dataCenter;
  const unknown = dataCenterIds.find((id) => dataCenterById(id) === undefined);
  if (unknown !== undefined) throw badRequest(`unknown data center ${unknown}`);
  const found = DATA_CENTERS.find(
    ({ id, globalNetwork }) =>
      (dataCenterIds.length === 0 || dataCenterIds.includes(id)) &&
      (ofVolume === undefined || ofVolume === id) &&
      (!globalNetworking || globalNetwork) &&
      (stock[id] ?? 0) >= need * copies,
  );
  if (found !== undefined) return found.id;
  const conditions = [
    ...(dataCenterIds.length > 0 ? [`in ${dataCenterIds.join(', ')}`] : []),
    ...(ofVolume === undefined ? [] : [`where the network volume is (${ofVolume})`]),
    ...(globalNetworking ? ['with global networking'] : []),
  ];
  const isSomeFree = Object.values(stock).some((free) => free > 0);
  const why = conditions.length > 0 ? NO_ROOM.nowhere : isSomeFree ? NO_ROOM.tooLittle : NO_ROOM.none;
  const what = copies === 1 ? 'the pod' : `a group of ${String(copies)} pods`;
  throw badRequest(`${why}: ${[`${what} cannot be placed`, ...conditions].join(' ')}`);
}

/** Rounds to a hundredth of a cent, so that no floating-point errors are shown. */
const roundPrice = (dollars: number): number => Math.round(dollars * 10_000) / 10_000;

/** Throws 400 of specification 2.3 and 2.4, 404 for an unknown volume. */
function newMounts(state: State, { mounts = {}, cloud = 'SECURE', cpu }: CreatePodBody): MountsRecord {
  checkKind(mounts, cpu);
  const [wanted] = mounts.network ?? [];
  if (wanted === undefined) return mounts.persistent === undefined ? {} : mounts;
  if (volumes.get(state, wanted.volumeId) === undefined) throw notFound(`network volume ${wanted.volumeId} not found`);
  if (cloud !== 'SECURE') throw badRequest('network volumes are available only on the SECURE cloud');
  return mounts;
}

/** Only paths and sizes change. Throws 400 of specification 2.3 and 2.4. */
function changedMounts(asked: MountsRecord = {}, { cpu, mounts }: PodRecord): MountsRecord {
  checkKind(asked, cpu);
  const { persistent, network } = asked;
  if (persistent !== undefined) {
    if (mounts.persistent === undefined) throw fixedKind('a persistent mount');
    const least = mounts.persistent.size;
    if (persistent.size < least) throw badRequest(`a persistent mount only grows: it has ${String(least)} GB`);
    return { persistent };
  }
  if (network === undefined) return mounts;
  const [[wanted], [present] = []] = [network, mounts.network];
  if (wanted === undefined) throw badRequest('clearing mounts is unsupported');
  if (present === undefined) throw fixedKind('a network mount');
  if (present.volumeId !== wanted.volumeId) throw badRequest('the volume of a network mount is fixed at creation');
  return { network };
}

function checkKind({ persistent, network }: MountsRecord, cpu: unknown): void {
  if (persistent === undefined) return;
  if (network !== undefined) throw badRequest('at most one of persistent and network may be mounted');
  if (cpu !== undefined) throw badRequest('a persistent mount is not allowed on a CPU pod');
}

const fixedKind = (what: string) => badRequest(`${what} cannot be added: the mount kind is fixed at creation`);

/** Throws the 400, 404 and 422 Problems of contract rules, Pods. `group` is given for members of a cluster. */
export function createPod(
  state: State,
  now: EpochMs,
  request: CreatePodBody,
  settings: ServiceSettings,
  group?: { readonly copies: number; readonly membership: Membership },
): PodRecord {
  const { body: filled, template } = resolveTemplate(state, request, 'pod');
  const body = template === undefined ? filled : withTemplate(filled, template);
  const { cloud = 'SECURE', globalNetworking = false } = body;
  checkContainer(state, body);
  checkVariables(body.env);
  const mounts = newMounts(state, body);
  const placement = findPlacement(state, body, mounts.network?.[0]?.volumeId, group?.copies ?? 1);
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
  const { name = pod.name, locked = pod.locked, globalNetworking = pod.globalNetworking.wanted } = body;
  checkContainer(state, body);
  checkVariables(body.env);
  if (body.globalNetworking === true) checkGlobalNetworking(pod);
  const mounts = changedMounts(body.mounts, pod);
  const before = storageEvent(pod, now);
  const configured = containerWith(pod, body);
  const restarts = !isDeepStrictEqual([configured, mounts], [containerWith(pod, {}), pod.mounts]);
  pod.globalNetworking.wanted = globalNetworking;
  Object.assign(pod, { ...configured, name, mounts, locked });
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

function checkGlobalNetworking({ gpu, dataCenterId }: PodRecord): void {
  if (gpuById(gpu?.id ?? '')?.manufacturer !== 'NVIDIA') throw badRequest('global networking needs an NVIDIA GPU');
  if (dataCenterById(dataCenterId)?.globalNetwork !== true)
    throw badRequest(`data center ${dataCenterId} has no global networking`);
}

const injectedEnv = (state: State, id: string, body: CreatePodBody): Record<string, string> => ({
  ...(body.startSsh === true && sshKeys.of(state).length > 0 ? { PUBLIC_KEY: sshKeys.of(state).join('\n') } : {}),
  ...(body.startJupyter === true ? { JUPYTER_PASSWORD: `jupyter-${id}` } : {}),
});
