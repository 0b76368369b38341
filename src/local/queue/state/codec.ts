import { recordsFrom, recordsOf } from '../../state/records.ts';
import { jsonMember, type PartCodec } from '../../state/file/codec.ts';
import { workersIn } from './endpoint-queue.ts';
import {
  newEndpointQueue,
  newWaitingLine,
  type Delivery,
  type EndpointQueue,
  type Job,
  type Queues,
  type Timer,
  type WaitingLine,
  type Worker,
} from './records.ts';

/** The queue of an endpoint in a file. Up to version 5, waiting jobs were lists of ids, and a worker had one job. */
type SavedEndpointQueue = Partial<Omit<EndpointQueue, 'waiting' | 'waitingLow' | 'workers' | 'ended'>> & {
  readonly waiting: WaitingLine | readonly string[];
  readonly waitingLow: WaitingLine | readonly string[];
  readonly workers: Readonly<Record<string, SavedWorker>>;
  readonly ended?: readonly SavedWorker[];
};
type SavedWorker = Omit<Worker, 'jobIds'> & { readonly jobIds?: readonly string[]; readonly jobId?: string };

/** Versions 3 and 4 of the state file had other names for some members. */
interface SavedQueues extends Partial<Omit<Queues, 'timers' | 'deliveries' | 'byEndpoint'>> {
  readonly timers?: readonly (Timer | (Omit<Timer, 'event'> & { readonly what: Timer['event'] }))[];
  readonly byEndpoint?: Readonly<Record<string, SavedEndpointQueue>>;
  readonly lanes?: Readonly<Record<string, SavedEndpointQueue>>;
  readonly deliveries?: readonly Delivery[];
  readonly outbox?: readonly (Omit<Delivery, 'attempts'> & { readonly tries: number })[];
  readonly asOf?: number;
}

/** Saves the queues: the text of a job's record is encoded once, and its long texts are stored in files of their own. */
export const queuesCodec: PartCodec<unknown> = {
  name: 'queue',
  encode: (queues, textOf) => {
    const { jobs, awaited, ...rest } = queues as Queues;
    const jobMembers = Object.values(jobs).map((job) => jsonMember(job.id, textOf(job)));
    const awaitedMembers = Object.entries(awaited).map(([id, { last, ...wait }]) =>
      jsonMember(
        id,
        last === undefined
          ? JSON.stringify(wait)
          : `{${jsonMember('last', textOf(last))},${JSON.stringify(wait).slice(1)}`,
      ),
    );
    return `{"jobs":{${jobMembers.join(',')}},"awaited":{${awaitedMembers.join(',')}},${JSON.stringify(rest).slice(1)}`;
  },
  decode: (saved, fromFile) => {
    const {
      jobs = {},
      lanes = {},
      byEndpoint = lanes,
      // Older versions looked at every endpoint at every request.
      changed = Object.keys(byEndpoint),
      timers = [],
      timersSet = 0,
      sweepAt = 0,
      outbox = [],
      deliveries = outbox.map(({ tries, ...delivery }) => ({ ...delivery, attempts: tries })),
      awaited = {},
      usage = {},
      windows = {},
    } = saved as SavedQueues;
    const queues: Queues = {
      jobs: recordsOf<Job>(jobs),
      byEndpoint: recordsFrom(Object.entries(byEndpoint).map(([id, queue]) => [id, endpointQueueOf(queue)])),
      changed: [...changed],
      timers: timers.map((timer) => {
        if (!('what' in timer)) return timer;
        const { what, ...rest } = timer;
        return { ...rest, event: what };
      }),
      timersSet,
      sweepAt,
      deliveries: [...deliveries],
      awaited: recordsOf<Queues['awaited'][string]>(awaited),
      usage: recordsOf<Queues['usage'][string]>(usage),
      windows: recordsOf<Queues['windows'][string]>(windows),
    };
    replaceRecords(queues, fromFile);
    return queues;
  },
  replaceRecords: (queues, replace) => {
    replaceRecords(queues as Queues, replace);
  },
};

function endpointQueueOf({ waiting, waitingLow, workers, ended = [], ...rest }: SavedEndpointQueue): EndpointQueue {
  const queue: EndpointQueue = {
    ...newEndpointQueue(),
    ...rest,
    waiting: lineOf(waiting),
    waitingLow: lineOf(waitingLow),
    workers: recordsFrom(Object.entries(workers).map(([id, worker]) => [id, workerOf(worker)])),
    ended: ended.map(workerOf),
  };
  const workerCounts = { INITIALIZING: 0, IDLE: 0, RUNNING: 0, UNHEALTHY: 0 };
  for (const { status } of workersIn(queue)) workerCounts[status] += 1;
  return { ...queue, workerCounts };
}

const lineOf = (saved: WaitingLine | readonly string[]): WaitingLine =>
  'ids' in saved ? saved : newWaitingLine(saved);

const workerOf = ({ jobId, jobIds = jobId === undefined ? [] : [jobId], ...rest }: SavedWorker): Worker => ({
  ...rest,
  jobIds,
});

function replaceRecords({ jobs, awaited }: Queues, replace: <R extends object>(record: R) => R): void {
  for (const [id, job] of Object.entries<Job>(jobs)) jobs[id] = replace(job);
  for (const [id, wait] of Object.entries<Queues['awaited'][string]>(awaited))
    if (wait.last !== undefined) awaited[id] = { ...wait, last: replace(wait.last) };
}
