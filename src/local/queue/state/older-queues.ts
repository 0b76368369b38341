import { isListOf, isMapOf, isNumber, isObjectWith, isOptional, isText } from '../../state/file/saved-forms.ts';
import type { Awaited, Delivery, EndpointQueue, Job, RequestWindow, Timer, Usage, Worker } from './records.ts';
import { isEvent, isTimer } from './timers-recorder.ts';

/** The queue of an endpoint in a file of version 3 to 5: waiting jobs were lists of ids, and a worker had one job. */
export type SavedEndpointQueue = Partial<Omit<EndpointQueue, 'waiting' | 'waitingLow' | 'workers' | 'ended'>> & {
  readonly waiting: readonly string[];
  readonly waitingLow: readonly string[];
  readonly workers: Readonly<Record<string, SavedWorker>>;
  readonly ended?: readonly SavedWorker[];
};
export type SavedWorker = Omit<Worker, 'jobIds'> & { readonly jobId?: string };

type OldDelivery = Omit<Delivery, 'attempts'> & { readonly tries: number };
type OldTimer = Omit<Timer, 'event'> & { readonly what: Timer['event'] };

/** The queues in a file of version 3 to 5. Versions 3 and 4 had other names for some members. */
export interface SavedQueues {
  readonly jobs?: Readonly<Record<string, Job>>;
  readonly byEndpoint?: Readonly<Record<string, SavedEndpointQueue>>;
  readonly lanes?: Readonly<Record<string, SavedEndpointQueue>>;
  readonly timers?: readonly (Timer | OldTimer)[];
  readonly timersSet?: number;
  readonly sweepAt?: number;
  readonly deliveries?: readonly Delivery[];
  readonly outbox?: readonly OldDelivery[];
  readonly awaited?: Readonly<Record<string, Awaited>>;
  readonly usage?: Readonly<Record<string, Usage[]>>;
  readonly windows?: Readonly<Record<string, RequestWindow>>;
}

const isSavedWorker = isObjectWith<SavedWorker>({ id: isText, jobId: isOptional(isText) });

const isSavedEndpointQueue = isObjectWith<SavedEndpointQueue>({
  waiting: isListOf(isText),
  waitingLow: isListOf(isText),
  workers: isMapOf(isSavedWorker),
  ended: isOptional(isListOf(isSavedWorker)),
});

const isOldTimer = isObjectWith<OldTimer>({ at: isNumber, order: isNumber, what: isEvent });

/** Whether a parsed value has the form of saved queues. Of jobs, deliveries and other records the members are not checked. */
export const isSavedQueues = isObjectWith<SavedQueues>({
  jobs: isOptional(isMapOf(isObjectWith<Job>({ id: isText }))),
  byEndpoint: isOptional(isMapOf(isSavedEndpointQueue)),
  lanes: isOptional(isMapOf(isSavedEndpointQueue)),
  timers: isOptional(isListOf((value) => isTimer(value) || isOldTimer(value))),
  timersSet: isOptional(isNumber),
  sweepAt: isOptional(isNumber),
  deliveries: isOptional(isListOf(isObjectWith<Delivery>({}))),
  outbox: isOptional(isListOf(isObjectWith<OldDelivery>({ tries: isNumber }))),
  awaited: isOptional(isMapOf(isObjectWith<Awaited>({}))),
  usage: isOptional(isMapOf(isListOf(isObjectWith<Usage>({})))),
  windows: isOptional(isMapOf(isObjectWith<RequestWindow>({}))),
});
