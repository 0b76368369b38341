import type { DurableFiles } from '../../../core/context.ts';
import { localFile } from '../../../core/failure.ts';
import { hasResult } from '../../model/item-state-machine.ts';
import type { OpenBatch } from './open-batch.ts';
import { orderResults } from './results/order-results.ts';
import { checksumOf, type ResultsExtent } from './results/results-file.ts';
import type { RunEnd } from '../../model/run-records.ts';

/**
 * Checks the files of a batch after its run. When every item has ended, also sorts the results by item if the batch is
 * ordered, or if items that had ended ran again, so that each item has one line. Returns how the batch ended: a file
 * error (14) or an interrupt is the reason in its `stopped`.
 */
export async function finishBatch(
  durable: DurableFiles,
  path: string,
  batch: OpenBatch,
  end: RunEnd,
  interrupt: AbortSignal,
): Promise<RunEnd> {
  if (end.stopped?.failure !== undefined) return end;
  try {
    await batch.journal.check();
    await batch.results.check();
    const { counts } = end;
    if (counts.waiting + counts.inFlight > 0) return end;
    if (needsSort(batch, end))
      await orderResults(
        durable,
        path,
        batch.results.extent(),
        (record) => batch.journal.write(record),
        (item) => hasResult(batch.states.stateOf(item)),
        interrupt,
      );
    else await verifyResults(durable, path, batch.results.extent(), interrupt);
    return end;
  } catch (failure) {
    if (interrupt.aborted && failure === interrupt.reason)
      return { ...end, stopped: { reason: 'interrupt' }, unordered: needsSort(batch, end) };
    return { ...end, stopped: { reason: 'error', failure } };
  }
}

function needsSort({ header, hasRerunItems, sortedBytes, results }: OpenBatch, { rerunCount }: RunEnd): boolean {
  const wanted = header.ordered || hasRerunItems || rerunCount > 0;
  return wanted && sortedBytes !== results.extent().resultBytes;
}

/** Compares the results with what was written. Fails with local-file (14), and with the signal's reason. */
async function verifyResults(
  durable: DurableFiles,
  path: string,
  { resultBytes, checksum }: ResultsExtent,
  signal: AbortSignal,
): Promise<void> {
  if ((await checksumOf(durable, path, resultBytes, signal)) !== checksum)
    throw localFile(
      `the results file ${path} was changed by another program while the batch ran`,
      'Its journal has the state of the batch; which results are intact is unknown.',
    );
}
