import { recordsFrom, recordsOf } from '../../state/records.ts';
import { jsonMember, type PartCodec } from '../../state/file/codec.ts';
import type { Delivery, EndpointQueue, Job, Queues, Timer } from './records.ts';

/** Versions 3 and 4 of the state file had other names for some members. */
interface SavedQueues extends Partial<Omit<Queues, 'timers' | 'deliveries'>> {
  readonly timers?: readonly (Timer | (Omit<Timer, 'event'> & { readonly what: Timer['event'] }))[];
  readonly lanes?: Queues['byEndpoint'];
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
      byEndpoint: recordsFrom(
        Object.entries<EndpointQueue>(byEndpoint).map(([id, queue]) => [
          id,
          { ...queue, workers: recordsOf(queue.workers) },
        ]),
      ),
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

function replaceRecords({ jobs, awaited }: Queues, replace: <R extends object>(record: R) => R): void {
  for (const [id, job] of Object.entries<Job>(jobs)) jobs[id] = replace(job);
  for (const [id, wait] of Object.entries<Queues['awaited'][string]>(awaited))
    if (wait.last !== undefined) awaited[id] = { ...wait, last: replace(wait.last) };
}
