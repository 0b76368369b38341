import type { Json } from '../../../core/json.ts';
import { gpuById } from '../../model/catalog/hardware.ts';
import { decodeCommand } from '../../model/command.ts';
import type { AddressOf } from '../../http/call/operation.ts';
import type { PodRecord } from '../../model/pods/record.ts';
import { globalIp, publicIp, publicPort, runtimeAt } from './runtime.ts';
import { ACTIONS, isReachable, startedAt, statusAt } from './transitions.ts';
import type { EpochMs } from '../../../core/unit-types.ts';

/** A pod in an answer (specification 2.1). */
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
    cost: status === 'EXITED' || status === 'TERMINATED' ? 0 : pod.price,
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

/** The vCPUs and the memory (GB) of a GPU pod are those of its machine, over all its GPUs (additions 8). */
function gpuDocument({ id, count }: NonNullable<PodRecord['gpu']>): Json {
  const { vcpuPerGpu = 1, ramGbPerGpu = 1 } = gpuById(id)?.machine ?? {};
  return { id, count, vcpuCount: count * vcpuPerGpu, memory: count * ramGbPerGpu };
}

/**
 * SSH needs a key in the container; direct access also needs the published SSH port (contract rules, Pods), and a pod that
 * can be reached.
 */
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
