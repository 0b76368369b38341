import type { EventRecord } from './event-record.ts';
import type { KnownJob } from './run-records.ts';
import type { EpochMs } from '../../core/unit-types.ts';

/** An item that was sent and has no recorded end. */
export type OpenItem =
  | ({ readonly state: 'sending' } & Pick<KnownJob, 'id'>)
  | ({ readonly state: 'unknown' } & Pick<KnownJob, 'id'>)
  | ({ readonly state: 'submitted' } & Omit<KnownJob, 'item'>);

/** The date of a submission where none is recorded: 1970, so that the job is old. */
export const LONG_AGO: EpochMs = 0;

/** One for all items without a label: a journal has millions of them. */
const SENDING: OpenItem = { state: 'sending', id: undefined };

/** Returns an open item after one more record; undefined when it has ended or waits again. */
export function afterRecord(before: OpenItem | undefined, { event, data }: EventRecord): OpenItem | undefined {
  const { kind } = event;
  if (kind === 'send') return data.id === undefined ? SENDING : { ...SENDING, id: data.id };
  if (kind === 'lose') return { state: 'unknown', id: before?.id };
  if (kind !== 'accept' && kind !== 'retry' && kind !== 'find') return undefined;
  const retriesBefore = before?.state === 'submitted' ? before.retries : 0;
  return {
    ...{ state: 'submitted', id: before?.id ?? data.id, job: event.job },
    ...{ submittedAt: data.at ?? LONG_AGO, retries: kind === 'retry' ? retriesBefore + 1 : 0 },
  };
}

/** The jobs of the open items that the service has. */
export const jobsOf = (open: ReadonlyMap<number, OpenItem>): readonly KnownJob[] =>
  [...open].flatMap(([item, each]) => {
    if (each.state !== 'submitted') return [];
    const { state: _, ...job } = each;
    return [{ item, ...job }];
  });

/** Returns the events that lead to an open item: `afterRecord` of all of them is that item again. */
export function eventsTo(item: number, open: OpenItem): readonly EventRecord[] {
  const sent: EventRecord = { item, event: { kind: 'send' }, data: { id: open.id } };
  if (open.state === 'sending') return [sent];
  if (open.state === 'unknown') return [sent, { item, event: { kind: 'lose' }, data: {} }];
  const { job, submittedAt: at, retries } = open;
  const again: EventRecord = { item, event: { kind: 'retry', job }, data: { at } };
  return [sent, { ...again, event: { kind: 'accept', job } }, ...Array.from({ length: retries }, () => again)];
}
