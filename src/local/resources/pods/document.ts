import type { Json } from '../../../core/json.ts';
import type { EpochMs } from '../../../core/unit-types.ts';
import type { AddressOf } from '../../http/operation.ts';
import { decodeCommand } from '../../model/container.ts';
import { gpuById } from '../../model/hardware.ts';
import type { PodRecord, PodUse } from '../../model/pods.ts';
import { ACTIONS, isReachable, startedAt, statusAt } from './transitions.ts';

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

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return value;
}

/** USD. */
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
