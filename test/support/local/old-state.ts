import type { EndpointQueue, Queues, Worker } from '../../../src/local/queue/state/records.ts';
import type { SavedState } from '../../../src/local/state/file/versions.ts';

/** A saved state as berth wrote it before version 6. */
export function asVersion(version: number, saved: SavedState): object {
  const { stamp, processedTo, delegations, queue, ...rest } = saved;
  const { byEndpoint, changed: _changed, deliveries, timers, ...others } = queue as Queues;
  const lanes = Object.fromEntries(Object.entries(byEndpoint).map(([id, lane]) => [id, asOldQueue(lane)]));
  if (version === 5)
    return {
      ...rest,
      ...(delegations === undefined ? {} : { delegations }),
      version,
      stamp,
      processedTo,
      queue: { ...others, byEndpoint: lanes, deliveries, timers },
    };
  return {
    ...rest,
    version,
    ...(version === 4 && { stamp, queueAsOf: processedTo }),
    shelves: delegations === undefined ? {} : { delegations },
    queue: {
      ...others,
      ...(version === 3 && { asOf: processedTo }),
      lanes,
      outbox: [],
      timers: timers.map(({ event, ...timer }) => ({ ...timer, what: event })),
    },
  };
}

/** The queue of an endpoint as it was before version 6: waiting jobs were lists of ids, and a worker had one job. */
function asOldQueue({ waiting, waitingLow, inProgress, workers, ended, counts }: EndpointQueue): object {
  const asOldWorker = ({ jobIds, ...worker }: Worker): object => ({
    ...worker,
    ...(jobIds[0] === undefined ? {} : { jobId: jobIds[0] }),
  });
  return {
    waiting: waiting.ids.slice(waiting.head),
    waitingLow: waitingLow.ids.slice(waitingLow.head),
    inProgress,
    workers: Object.fromEntries(Object.entries(workers).map(([id, worker]) => [id, asOldWorker(worker)])),
    ended: ended.map(asOldWorker),
    counts,
  };
}
