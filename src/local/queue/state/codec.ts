import { recordsFrom, recordsOf } from '../../state/records.ts';
import type { PartCodec } from '../../state/file/codec.ts';
import { listRecorder } from '../../state/file/list-recorder.ts';
import { recordMapRecorder, textRecordRecorder } from '../../state/file/record-map.ts';
import { checked } from '../../state/file/saved-forms.ts';
import { objectRecorder, replacedRecorder, valueRecorder, type Recorder } from '../../state/file/recorder.ts';
import { workersIn } from './endpoint-queue.ts';
import {
  newEndpointQueue,
  newWaitingLine,
  type EndpointQueue,
  type Queues,
  type Timer,
  type Worker,
} from './records.ts';
import { TimerHeap } from './timer-heap.ts';
import { isSavedQueues, type SavedEndpointQueue, type SavedQueues, type SavedWorker } from './older-queues.ts';
import { timersRecorder } from './timers-recorder.ts';
import { waitingLineRecorder } from './waiting-line-recorder.ts';

/** Saves the queues: what there may be many of is not compared as a whole, and long texts are in files of their own. */
export const queuesCodec: PartCodec = {
  name: 'queue',
  recorder: (texts) =>
    objectRecorder((name) => {
      switch (name) {
        case 'jobs':
          return recordMapRecorder(texts);
        case 'timers':
          return timersRecorder();
        case 'byEndpoint':
          return objectRecorder(() => objectRecorder(endpointMemberRecorder));
        case 'deliveries':
          return listRecorder();
        case 'awaited':
          return objectRecorder((id) => textRecordRecorder(texts, `awaited ${id}`));
        case 'usage':
        case 'windows':
          return objectRecorder(() => replacedRecorder());
        default:
          return valueRecorder();
      }
    }),
  decode: (saved, decodeRecord) => {
    const {
      jobs = {},
      lanes = {},
      byEndpoint = lanes,
      timers = [],
      timersSet = 0,
      sweepAt = 0,
      outbox = [],
      deliveries = outbox.map(({ tries, ...delivery }) => ({ ...delivery, attempts: tries })),
      awaited = {},
      usage = {},
      windows = {},
    } = checked<SavedQueues>(saved, isSavedQueues);
    return {
      jobs: recordsFrom(Object.entries(jobs).map(([id, job]) => [id, decodeRecord(job)])),
      byEndpoint: recordsFrom(Object.entries(byEndpoint).map(([id, queue]) => [id, endpointQueueOf(queue)])),
      // Older versions looked at every endpoint at every request.
      changed: Object.keys(byEndpoint),
      timers: new TimerHeap(timers.map(timerOf)),
      timersSet,
      sweepAt,
      deliveries: [...deliveries],
      awaited: recordsFrom(Object.entries(awaited).map(([id, wait]) => [id, decodeRecord(wait)])),
      usage: recordsOf(usage),
      windows: recordsOf(windows),
    } satisfies Queues;
  },
};

/** A member that is not named here is compared as JSON text. */
function endpointMemberRecorder(name: string): Recorder {
  switch (name) {
    case 'waiting':
    case 'waitingLow':
      return waitingLineRecorder();
    case 'ended':
      return listRecorder();
    case 'workers':
      return objectRecorder(workerRecorder);
    default:
      return valueRecorder();
  }
}

const workerRecorder = (): Recorder =>
  replacedRecorder(
    objectRecorder((name) => (name === 'runs' || name === 'printed' ? listRecorder() : valueRecorder())),
  );

function endpointQueueOf({ waiting, waitingLow, workers, ended = [], ...rest }: SavedEndpointQueue): EndpointQueue {
  const queue: EndpointQueue = {
    ...newEndpointQueue(),
    ...rest,
    waiting: newWaitingLine(waiting),
    waitingLow: newWaitingLine(waitingLow),
    workers: recordsFrom(Object.entries(workers).map(([id, worker]) => [id, workerOf(worker)])),
    ended: ended.map(workerOf),
  };
  const workerCounts = { INITIALIZING: 0, IDLE: 0, RUNNING: 0, UNHEALTHY: 0 };
  for (const { status } of workersIn(queue)) workerCounts[status] += 1;
  return { ...queue, workerCounts };
}

const workerOf = ({ jobId, ...rest }: SavedWorker): Worker => ({
  ...rest,
  jobIds: jobId === undefined ? [] : [jobId],
});

function timerOf(timer: NonNullable<SavedQueues['timers']>[number]): Timer {
  if (!('what' in timer)) return timer;
  const { what, ...rest } = timer;
  return { ...rest, event: what };
}
