import type { Json } from '../../../core/json.ts';
import type { EpochMs, Milliseconds } from '../../../core/unit-types.ts';
import { conflict } from '../../contract/problem.ts';
import type { AddressOf } from '../../http/operation.ts';
import { decodeCommand, doesNotStart } from '../../model/container.ts';
import { gpuById } from '../../model/hardware.ts';
import type { PodEvent, PodRecord, PodUse, Stage } from '../../model/pods.ts';

type Launch = Extract<PodEvent, { kind: 'launch' }>;

type PodStatus = 'PROVISIONING' | 'STARTING' | 'RUNNING' | 'EXITED' | 'ERROR' | 'TERMINATED';
export type PodAction = 'start' | 'stop' | 'restart' | 'terminate';

export const PROVISIONING_MS: Milliseconds = 2000;
export const STARTING_MS = 3000;

/** Which actions a status allows (contract rules, Pods). */
export const ACTIONS: Readonly<Record<PodStatus, readonly PodAction[]>> = {
  PROVISIONING: ['stop', 'terminate'],
  STARTING: ['stop', 'terminate'],
  RUNNING: ['stop', 'restart', 'terminate'],
  EXITED: ['start', 'terminate'],
  ERROR: ['start', 'terminate'],
  TERMINATED: [],
};

export function statusAt(pod: PodRecord, now: EpochMs): PodStatus {
  const { life } = pod;
  switch (life.kind) {
    case 'launched':
      if (now < life.at + PROVISIONING_MS) return 'PROVISIONING';
      if (now < runningSince(life.at)) return 'STARTING';
      return life.fails === true ? 'ERROR' : 'RUNNING';
    case 'held':
      return life.status;
    case 'exited':
      return 'EXITED';
    case 'error':
      return 'ERROR';
    case 'terminated':
      return 'TERMINATED';
  }
}

/** How long a RUNNING pod cannot be reached yet: it has no metrics and no direct SSH (additions 6). */
const UNREACHABLE_MS: Milliseconds = 2000;

export const isReachable = (pod: PodRecord, now: EpochMs): boolean =>
  statusAt(pod, now) === 'RUNNING' && now >= (startedAt(pod, now) ?? now) + UNREACHABLE_MS;

export const startedAt = (pod: PodRecord, now: EpochMs): EpochMs | null =>
  pod.life.kind === 'launched' && statusAt(pod, now) === 'RUNNING' ? runningSince(pod.life.at) : pod.startedBefore;

const runningSince = (launchedAt: number): number => launchedAt + PROVISIONING_MS + STARTING_MS;

export type BootNote = Pick<Launch, 'fromSecrets' | 'unresolved' | 'sshKeys'>;

/** Throws the 409 Problem when the status or the lock does not allow it (contract rules, Pods). */
export function applyAction(pod: PodRecord, action: PodAction, now: EpochMs, note: BootNote = {}): void {
  const status = statusAt(pod, now);
  if (!ACTIONS[status].includes(action)) throw conflict(`a pod that is ${status} cannot ${action}`);
  if (pod.locked && (action === 'stop' || action === 'restart'))
    throw conflict(`the pod is locked: it cannot ${action}`);
  pod.startedBefore = startedAt(pod, now);
  switch (action) {
    case 'start':
      launch(pod, now);
      pod.history.push({ ...launchEvent(pod, now), ...note });
      return;
    case 'restart':
      relaunch(pod, now, note);
      return;
    case 'stop':
      pod.life = { kind: 'exited', at: now };
      pod.history.push({ kind: 'stop', at: now });
      return;
    case 'terminate':
      // A persistent mount is deleted, a network volume is detached.
      pod.mounts = {};
      pod.life = { kind: 'terminated', at: now };
      pod.history.push({ kind: 'terminate', at: now });
      return;
  }
}

/** What is outside its mounts is lost (additions 5). Others take the change at their next start. */
export function restartChanged(pod: PodRecord, now: EpochMs, note: BootNote): void {
  const status = statusAt(pod, now);
  if (pod.life.kind !== 'launched' || (status !== 'RUNNING' && status !== 'STARTING')) return;
  pod.startedBefore = startedAt(pod, now);
  relaunch(pod, now, { ...note, changed: true });
}

/** The pod keeps its machine: only the container is started again. */
function relaunch(pod: PodRecord, now: EpochMs, note: Partial<Launch>): void {
  launch(pod, now - PROVISIONING_MS);
  pod.history.push({ ...launchEvent(pod, now), ...note, restart: true });
}

function launch(pod: PodRecord, at: number): void {
  pod.globalNetworking = { ...pod.globalNetworking, active: pod.globalNetworking.wanted };
  pod.life = launchedAt(pod, at);
}

export const launchedAt = ({ image }: Pick<PodRecord, 'image'>, at: number): Stage => ({
  kind: 'launched',
  at,
  ...failing(image),
});

export const launchEvent = ({ image }: Pick<PodRecord, 'image'>, at: number): Launch => ({
  kind: 'launch',
  at,
  image,
  ...failing(image),
});

const failing = (image: string): { readonly fails?: true } => (doesNotStart(image) ? { fails: true } : {});

/** Computed from its id and the time; null unless it can be reached (specification 2.2). */
function runtimeAt(pod: PodRecord, now: EpochMs, ssh: ReturnType<AddressOf>): Json {
  if (!isReachable(pod, now)) return null;
  const started = startedAt(pod, now) ?? now;
  const use = useAt(pod, now);
  return {
    uptime: Math.floor((now - started) / 1000),
    gpus: Array.from({ length: pod.withoutGpu === true ? 0 : (pod.gpu?.count ?? 0) }, (_, index) => ({
      util: use.gpu ?? wave(`${pod.id}/gpu/${String(index)}`, now, 78, 18),
      memoryUtil: wave(`${pod.id}/memory/${String(index)}`, now, 62, 6),
    })),
    cpu: { util: use.cpu ?? wave(`${pod.id}/cpu`, now, 34, 25) },
    memory: { util: use.memory ?? wave(`${pod.id}/ram`, now, 48, 9) },
    ports: pod.ports.map((port) => portOf(pod, port, ssh)),
  };
}

/** What was not set varies. */
const useAt = ({ use = {} }: PodRecord, now: EpochMs): PodUse =>
  use.until !== undefined && use.until <= now ? {} : use;

/** http is proxied: a private address that cannot be reached (additions 6). Others map to a host port. */
function portOf(pod: PodRecord, port: string, ssh: ReturnType<AddressOf>): Json {
  const [number = '', type = 'tcp'] = port.split('/');
  const real = port === '22/tcp' ? ssh : undefined;
  return {
    private: Number(number),
    public: type === 'http' ? null : (real?.port ?? publicPort(pod, port)),
    type,
    ip: type === 'http' ? proxyIp(pod) : (real?.host ?? publicIp(pod)),
  };
}

export const publicPort = (pod: PodRecord, port: string): number => 10_000 + (hash(`${pod.id}/${port}`) % 50_000);

/** An address from a block that is reserved for documentation. */
export const publicIp = (pod: PodRecord): string => `203.0.113.${String(1 + (hash(pod.id) % 254))}`;

/** An address in 100.64.0.0/10, the block of carrier-grade NAT. */
const proxyIp = (pod: PodRecord): string =>
  `100.${String(64 + (hash(pod.id) % 64))}.${String(hash(`${pod.id}/proxy`) % 256)}.${String(1 + (hash(`${pod.id}/host`) % 254))}`;

const globalIp = (pod: PodRecord): string =>
  `10.0.${String(hash(pod.id) % 256)}.${String(1 + (hash(`${pod.id}/ip`) % 254))}`;

function wave(seed: string, now: EpochMs, mean: number, amplitude: number): number {
  const phase = (hash(seed) % 1000) / 1000 + now / 240_000;
  return Math.min(100, Math.max(0, Math.round(mean + amplitude * Math.sin(phase * 2 * Math.PI))));
}

function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return value;
}

export const hourlyCost = (pod: PodRecord, now: EpochMs): number =>
  ['EXITED', 'TERMINATED'].includes(statusAt(pod, now)) ? 0 : pod.price;

export function podDocument(pod: PodRecord, now: EpochMs, addressOf: AddressOf): Json {
  const status = statusAt(pod, now);
  const started = startedAt(pod, now);
  const address = addressOf(pod.id, started);
  const { id, name, image, args, disk, ports, env, registry, mounts, gpu, cpu, cluster } = pod;
  const { cloud, dataCenterId, cudaVersion, template, locked } = pod;
  return {
    id,
    name,
    status,
    actions: ACTIONS[status],
    image,
    args,
    ...decodeCommand(args),
    disk,
    ports,
    env,
    registry,
    mounts: { ...mounts },
    gpu: pod.withoutGpu === true ? undefined : gpu && gpuDocument(gpu),
    cpu,
    cloud,
    dataCenterId,
    cudaVersion,
    template,
    cost: hourlyCost(pod, now),
    locked,
    cluster: cluster && { ...cluster },
    globalNetworking: pod.globalNetworking.active
      ? { enabled: true, ip: globalIp(pod), internalDns: `${pod.id}.pods.internal` }
      : { enabled: false },
    ssh: sshOf(pod, status === 'RUNNING', isReachable(pod, now), address),
    runtime: runtimeAt(pod, now, address),
    createdAt: new Date(pod.createdAt).toISOString(),
    startedAt: started === null ? null : new Date(started).toISOString(),
  };
}

/** vCPUs and memory (GB) of its machine, over all its GPUs (additions 8). */
function gpuDocument({ id, count }: NonNullable<PodRecord['gpu']>): Json {
  const { vcpuPerGpu = 1, ramGbPerGpu = 1 } = gpuById(id)?.machine ?? {};
  return { id, count, vcpuCount: count * vcpuPerGpu, memory: count * ramGbPerGpu };
}

/** Needs a key in the container; direct access also the published port (contract rules, Pods). */
function sshOf(pod: PodRecord, running: boolean, reachable: boolean, address: ReturnType<AddressOf>): Json {
  const ready = running && pod.env['PUBLIC_KEY'] !== undefined;
  const { host, port } = address ?? { host: publicIp(pod), port: publicPort(pod, '22/tcp') };
  return {
    proxy: ready ? sshEndpoint('ssh.local.invalid', 22, pod.id) : null,
    direct:
      ready && reachable && pod.ports.includes('22/tcp') && address !== null ? sshEndpoint(host, port, 'root') : null,
  };
}

const sshEndpoint = (host: string, port: number, username: string): Json => ({
  host,
  port,
  username,
  command: `ssh ${username}@${host}${port === 22 ? '' : ` -p ${String(port)}`}`,
});
