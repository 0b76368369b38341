import { type BatchInputs, nameOfInputs, openInputs } from '../../read/inputs.ts';
import type { PlannedRange } from '../../read/range.ts';
import { expiredSince } from '../../model/expired-since.ts';
import type { Session, StorePorts } from '../../model/store.ts';
import { resultLine } from '../../model/result-line.ts';
import type { RunRecords } from '../../model/run-records.ts';
import { finishBatch } from './finish-batch.ts';
import type { OpenBatch } from './open-batch.ts';
import { replayJournal } from './journal/replay.ts';

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

/** Works on a batch whose files are open and whose lock is held. */
export function fileSession(
  ports: StorePorts,
  path: string,
  batch: OpenBatch,
  inputs: BatchInputs & { readonly ranges: readonly PlannedRange[] },
): Session {
  const { clock, durable, signal } = ports;
  const { states } = batch;
  const ranges = inputs.ranges.values();
  return {
    input: nameOfInputs(inputs.sources.map(({ name, address }) => name ?? address)),
    extras: inputs.extras,
    // eslint-disable-next-line no-restricted-syntax -- a date, for the journal
    records: fileRecords(batch, () => clock.now()),
    claims: {
      claim: async () => {
        const { value } = ranges.next();
        return value === undefined ? 'finished' : { row: value, isLost: () => false };
      },
      changed: async () => undefined,
    },
    inputs: openInputs(ports, inputs),
    before: states.counts(),
    notes: batch.repairs,
    recordPrice: ({ low, high }) => {
      const known = batch.workerPrice;
      if (known?.low === low && known.high === high) return;
      // A failed write stops the batch at the next record.
      batch.journal.write({ kind: 'price', perHour: { low, high } }).catch(() => undefined);
    },
    finish: (end) => finishBatch(durable, path, batch, end, signal),
    close: () => batch.close(),
    account: async ({ counts }) => ({
      counts,
      unknownItems: [...states.items('unknown')],
      expiredItems: [...states.items('expired')],
      // As a resume finds them. The times of the submissions are in the journal alone.
      expiredMayBeThere:
        counts.expired > 0 &&
        (await replayJournal(durable, path, { expiredSince: expiredSince(clock, inputs.extras) }).then(
          ({ expired }) => expired.length > 0,
          () => false,
        )),
      resubmitted: batch.resubmitted,
      unpublished: 0,
      retryableBefore: batch.failed.length,
    }),
  };
}
