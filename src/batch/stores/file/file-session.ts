import { certainMs } from '../../../queue/not-there-yet.ts';
import { timeToLive } from '../../../queue/submission.ts';
import { type BatchInputs, nameOfInputs, openInputs } from '../../read/inputs.ts';
import type { PlannedRange } from '../../read/range.ts';
import type { Session, StorePorts } from '../../model/store.ts';
import { fileRecords } from './file-records.ts';
import { finishBatch } from './finish-batch.ts';
import type { OpenBatch } from './open-batch.ts';
import type { BatchHeader } from './journal/record.ts';

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
      resubmitted: batch.resubmitted,
      unpublished: 0,
      retryableBefore: batch.failed.length,
    }),
  };
}

/** Expired jobs that were submitted after this date may be at the service all the same. Milliseconds since the epoch. */
export const expiredSince = ({ clock }: StorePorts, { extras }: Pick<BatchHeader, 'extras'>): number =>
  // eslint-disable-next-line no-restricted-syntax -- a date of the journal
  clock.now() - certainMs({ ttlMs: timeToLive(extras) });
