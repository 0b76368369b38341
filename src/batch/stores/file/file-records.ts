import { resultLine } from '../../model/result-line.ts';
import type { RunRecords } from '../../model/run-records.ts';
import type { OpenBatch } from './open-batch.ts';

/** The parts of an open batch that its records are kept in. */
type BatchFiles = Pick<OpenBatch, 'states' | 'jobIds' | 'journal' | 'results' | 'jobs' | 'failed' | 'expired'>;

/** Returns the records that are kept in the files of a batch. `now` returns the date, in milliseconds since the epoch. */
export function fileRecords(
  { states, jobIds, journal, results, jobs, ...earlier }: BatchFiles,
  now: () => number,
): RunRecords {
  const record: RunRecords['record'] = (item, event, data = {}) => {
    if (!states.apply(item, event)) throw new Error(`item ${item} is ${states.stateOf(item)} and cannot ${event.kind}`);
    return journal.write({ kind: 'event', item, event, data });
  };
  return {
    states,
    failed: earlier.failed,
    expired: earlier.expired,
    open: ({ onJobs }) => {
      onJobs(jobs);
    },
    tenureOf: () => 0,
    maySend: () => true,
    record,
    forgetIntent: (item) => {
      states.apply(item, { kind: 'withdraw' });
    },
    saveResult: async (owner, document, event) => {
      const extent = await results.append(resultLine(owner, document));
      await record(owner.item, event, { ...extent, at: now() });
    },
    addJobId: (id) => jobIds.add(id),
    idle: async () => {
      await Promise.all([journal.idle(), results.idle()]);
    },
  };
}
