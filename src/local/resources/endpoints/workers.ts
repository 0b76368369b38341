import type { Json } from '../../../core/json.ts';
import { queueOf, workersIn } from '../../queue/state/endpoint-queue.ts';
import type { Worker, WorkerStatus } from '../../queue/state/records.ts';
import type { State } from '../../state/state.ts';
import type { EndpointRecord } from '../../model/endpoints/record.ts';

/** An endpoint's active workers, and their number by status. The local service has no throttled or unhealthy workers. */
export function workersDocument(state: State, endpoint: EndpointRecord, now: number): Json {
  const workers = workersIn(queueOf(state, endpoint.id));
  const inStatus = (wanted: WorkerStatus): number => workers.filter(({ status }) => status === wanted).length;
  return {
    endpointVersion: endpoint.version,
    summary: {
      running: inStatus('RUNNING'),
      idle: inStatus('IDLE'),
      initializing: inStatus('INITIALIZING'),
      throttled: 0,
      unhealthy: 0,
      total: workers.length,
    },
    workers: workers.map((worker) => workerDocument(worker, endpoint, now)),
  };
}

const workerDocument = (
  { id, status, version, image, hardware, startedAt }: Worker,
  endpoint: EndpointRecord,
  now: number,
): Json => ({
  id,
  status,
  isStale: version < endpoint.version,
  version,
  image,
  gpuCount: hardware.gpu?.count ?? 0,
  gpuTypeId: hardware.gpu?.id ?? null,
  dataCenterId: hardware.dataCenterId,
  uptimeSeconds: Math.max(0, Math.floor((now - startedAt) / 1000)),
  startedAt: new Date(startedAt).toISOString(),
});
