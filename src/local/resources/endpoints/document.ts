import type { Json } from '../../../core/json.ts';
import { decodeCommand } from '../../model/command.ts';
import type { EndpointRecord } from '../../model/endpoints/record.ts';

/** An endpoint in an answer. Its request URLs start with `origin`. */
export function endpointDocument(endpoint: EndpointRecord, origin: string): Json {
  const { id, name, type, container, gpu, cpu, workers, scaling, timeoutMs, flashboot, createdAt } = endpoint;
  return {
    id,
    name,
    type,
    ...container,
    ...decodeCommand(container.args),
    gpu: gpu && { ...gpu },
    cpu: cpu?.map((flavor) => ({ ...flavor })),
    dataCenterIds: endpoint.dataCenterIds,
    networkVolumes: endpoint.networkVolumes,
    flashboot,
    requestUrls: urlsOf(type, `${origin}/v2/${encodeURIComponent(id)}`),
    workers: hasIdleTimeout(endpoint) ? { ...workers } : { min: workers.min, max: workers.max },
    scaling: { ...scaling },
    timeout: timeoutMs,
    createdAt: new Date(createdAt).toISOString(),
  };
}

/** A QUEUE endpoint with REQUEST_COUNT scaling has no idle timeout (contract rules, Serverless endpoints). */
export const hasIdleTimeout = ({ type, scaling }: Pick<EndpointRecord, 'type' | 'scaling'>): boolean =>
  !(type === 'QUEUE' && scaling.type === 'REQUEST_COUNT');

const urlsOf = (type: EndpointRecord['type'], base: string): Json =>
  type === 'LOAD_BALANCER'
    ? { base, health: `${base}/ping` }
    : {
        run: `${base}/run`,
        runSync: `${base}/runsync`,
        status: `${base}/status`,
        stream: `${base}/stream`,
        cancel: `${base}/cancel`,
        retry: `${base}/retry`,
        purgeQueue: `${base}/purge-queue`,
        health: `${base}/health`,
      };
