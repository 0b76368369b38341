import { recordsFrom, recordsOf } from '../../state/records.ts';
import type { PartCodec } from '../../state/file/codec.ts';
import {
  listRecorder,
  objectRecorder,
  recordRecorder,
  valueRecorder,
  type Recorder,
} from '../../state/file/recorder.ts';
import { recordMapRecorder, textRecordRecorder } from '../../state/file/record-map.ts';
import type { Delivery, EndpointQueue, Job, Queues, Timer } from './records.ts';
import { createTimerHeap } from './timer-heap.ts';
import { timersRecorder } from './timers-recorder.ts';

/** The queues in a state file of versions 3 to 5. Versions 3 and 4 had other names for some members. */
interface SavedQueues extends Partial<Omit<Queues, 'timers' | 'deliveries'>> {
  readonly timers?: readonly (Timer | (Omit<Timer, 'event'> & { readonly what: Timer['event'] }))[];
  readonly lanes?: Queues['byEndpoint'];
  readonly deliveries?: readonly Delivery[];
  readonly outbox?: readonly (Omit<Delivery, 'attempts'> & { readonly tries: number })[];
  readonly asOf?: number;
}

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
          return objectRecorder(recordRecorder);
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
    } = saved as SavedQueues;
    return {
      jobs: recordsFrom(Object.entries<Job>(jobs).map(([id, job]) => [id, decodeRecord(job)])),
      byEndpoint: recordsFrom(
        Object.entries<EndpointQueue>(byEndpoint).map(([id, queue]) => [
          id,
          { ...queue, workers: recordsOf(queue.workers) },
        ]),
      ),
      timers: createTimerHeap(timers.map(timerOf)),
      timersSet,
      sweepAt,
      deliveries: [...deliveries],
      awaited: recordsFrom(
        Object.entries<Queues['awaited'][string]>(awaited).map(([id, wait]) => [id, decodeRecord(wait)]),
      ),
      usage: recordsOf<Queues['usage'][string]>(usage),
      windows: recordsOf<Queues['windows'][string]>(windows),
    } satisfies Queues;
  },
};

function endpointMemberRecorder(name: string): Recorder {
  switch (name) {
    case 'waiting':
    case 'waitingLow':
    case 'ended':
      return listRecorder();
    case 'workers':
      return objectRecorder(recordRecorder);
    default:
      return valueRecorder();
  }
}

function timerOf(timer: NonNullable<SavedQueues['timers']>[number]): Timer {
  if (!('what' in timer)) return timer;
  const { what, ...rest } = timer;
  return { ...rest, event: what };
}
