import type { Json } from '../../../core/json.ts';
import { queueOf, workersIn } from '../../queue/state/endpoint-queue.ts';
import type { Worker, WorkerStatus } from '../../queue/state/records.ts';
import { isThrottled } from '../../model/endpoints/placement.ts';
import type { State } from '../../state/state.ts';
import type { EndpointRecord } from '../../model/endpoints/record.ts';
import type { EpochMs } from '../../../core/unit-types.ts';

type ShownStatus = WorkerStatus | 'THROTTLED';

/**
 * An endpoint's active workers, and their number by status. Last, and not in the specification, the workers that have
 * ended and whose logs can still be read, newest first.
 */
export function workersDocument(state: State, endpoint: EndpointRecord, now: EpochMs): Json {
  const queue = queueOf(state, endpoint.id);
  const workers = workersIn(queue);
  const inStatus = (wanted: ShownStatus): number =>
    workers.filter((worker) => shownStatus(state, worker) === wanted).length;
  return {
    endpointVersion: endpoint.version,
    summary: {
      running: inStatus('RUNNING'),
      idle: inStatus('IDLE'),
      initializing: inStatus('INITIALIZING'),
      throttled: inStatus('THROTTLED'),
      unhealthy: inStatus('UNHEALTHY'),
      total: workers.length,
    },
    workers: workers.map((worker) => workerDocument(worker, shownStatus(state, worker), endpoint, now)),
    ended: queue.ended.map(({ id, endedAt = now }) => ({ id, endedAt: new Date(endedAt).toISOString() })),
  };
}

/** A worker that waits, and whose hardware is taken by others, is THROTTLED. */
const shownStatus = (state: State, { status, hardware }: Worker): ShownStatus =>
  (status === 'IDLE' || status === 'INITIALIZING') && isThrottled(state, hardware) ? 'THROTTLED' : status;

const workerDocument = (
  { id, version, image, hardware, startedAt }: Worker,
  status: ShownStatus,
  endpoint: EndpointRecord,
  now: EpochMs,
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
