import type { ItemRecord } from './item-record.ts';
import type { KnownJob } from './run-records.ts';

/** An item that was sent and has no recorded end; without a job it is not submitted. */
export interface OpenItem extends Omit<KnownJob, 'item'> {
  readonly state: 'sending' | 'submitted' | 'unknown';
}

const NO_JOB = { job: '', submittedAt: 0, retries: 0 } as const;
/** One for all items without a label: a journal has millions of them. */
const SENDING: OpenItem = { state: 'sending', id: undefined, ...NO_JOB };

/** Returns an open item after one more record; undefined when it has ended or waits again. */
export function afterRecord(before: OpenItem | undefined, { event, data }: ItemRecord): OpenItem | undefined {
  const { kind } = event;
  if (kind === 'send') return data.id === undefined ? SENDING : { ...SENDING, id: data.id };
  if (kind === 'lose') return { state: 'unknown', id: before?.id, ...NO_JOB };
  if (kind !== 'accept' && kind !== 'retry' && kind !== 'find') return undefined;
  const retries = kind === 'retry' ? (before?.retries ?? 0) + 1 : 0;
  return { state: 'submitted', id: before?.id ?? data.id, job: event.job, submittedAt: data.at ?? 0, retries };
}

/** The jobs of the open items that the service has. */
export const jobsOf = (open: ReadonlyMap<number, OpenItem>): readonly KnownJob[] =>
  [...open].flatMap(([item, { state, ...job }]) => (state === 'submitted' ? [{ item, ...job }] : []));

/** Returns the events that lead to an open item: `afterRecord` of all of them is that item again. */
export function eventsTo(item: number, { state, id, job, submittedAt: at, retries }: OpenItem): readonly ItemRecord[] {
  const sent: ItemRecord = { item, event: { kind: 'send' }, data: { id } };
  if (state === 'sending') return [sent];
  if (state === 'unknown') return [sent, { item, event: { kind: 'lose' }, data: {} }];
  const again: ItemRecord = { item, event: { kind: 'retry', job }, data: { at } };
  return [sent, { ...again, event: { kind: 'accept', job } }, ...Array.from({ length: retries }, () => again)];
}
