import type { Json } from '../../../core/json.ts';
import type { AddressOf } from '../../http/call/operation.ts';
import type { PodRecord, PodUse } from '../../model/pods/record.ts';
import { isReachable, startedAt } from './transitions.ts';
import type { EpochMs } from '../../../core/unit-types.ts';

/** A container's live metrics, computed from its id and the time; null unless it can be reached (specification 2.2). */
export function runtimeAt(pod: PodRecord, now: EpochMs, ssh: ReturnType<AddressOf>): Json {
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

/** What was set of a pod's use and still counts; what was not set varies. */
const useAt = ({ use = {} }: PodRecord, now: EpochMs): PodUse =>
  use.until !== undefined && use.until <= now ? {} : use;

/**
 * A published port. One of type http is proxied: its address is in a private block and cannot be reached (additions 6).
 * Others are mapped to a port of the host.
 */
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

export const globalIp = (pod: PodRecord): string =>
  `10.0.${String(hash(pod.id) % 256)}.${String(1 + (hash(`${pod.id}/ip`) % 254))}`;

/** A percentage that changes slowly around a mean value. */
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
