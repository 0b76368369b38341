import { queuesOf, type EndpointQueue, type Worker } from '../../../src/local/queue/state/records.ts';
import type { State } from '../../../src/local/state/state.ts';

/** A state as a document of version 3, 4 or 5, the only line of its file. */
export function oldDocument(version: 3 | 4 | 5, state: State): string {
  const { asOf, wallAt, processedTo, since, generation, clockOffsetMs, serial, parts } = state;
  const { delegations, queue: _queue, ...others } = JSON.parse(JSON.stringify(parts)) as Record<string, unknown>;
  const { changed: _changed, deliveries, byEndpoint, timers, ...members } = queuesOf(state);
  const queue = { ...members, deliveries, timers: timers.all(), byEndpoint: mapValues(byEndpoint, oldEndpointQueue) };
  const fields = { version, since, generation, clockOffsetMs, asOf, wallAt, serial };
  if (version === 5) return JSON.stringify({ ...fields, stamp: 'x', processedTo, delegations, ...others, queue });
  const { deliveries: outbox, byEndpoint: lanes, ...rest } = queue;
  return JSON.stringify({
    ...fields,
    ...others,
    ...(version === 4 && { stamp: 'x', queueAsOf: processedTo }),
    shelves: delegations === undefined ? {} : { delegations },
    queue: {
      ...rest,
      ...(version === 3 && { asOf: processedTo }),
      lanes,
      outbox: outbox.map(({ attempts, ...delivery }) => ({ ...delivery, tries: attempts })),
      timers: timers.all().map(({ event, ...timer }) => ({ ...timer, what: event })),
    },
  });
}

/** The queue of an endpoint as it was before version 6: waiting jobs were lists of ids, and a worker had one job. */
function oldEndpointQueue({ waiting, waitingLow, inProgress, workers, ended, counts }: EndpointQueue): object {
  const oldWorker = ({ jobIds, ...worker }: Worker): object => ({
    ...worker,
    ...(jobIds[0] === undefined ? {} : { jobId: jobIds[0] }),
  });
  return {
    waiting: waiting.ids.slice(waiting.head),
    waitingLow: waitingLow.ids.slice(waitingLow.head),
    inProgress,
    workers: mapValues(workers, oldWorker),
    ended: ended.map(oldWorker),
    counts,
  };
}

const mapValues = <T>(object: Readonly<Record<string, T>>, map: (value: T) => object): object =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value)]));
