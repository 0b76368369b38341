import type { DurableFiles } from '../../core/context.ts';
import { type Failure, localFile } from '../../core/failure.ts';
import { itemsLeft } from '../model/item-states.ts';
import type { RunEnd } from '../model/run-end.ts';
import type { OpenBatch } from './open-batch.ts';
import { checksumOf } from './results-file.ts';
import { orderResults } from './stored-results.ts';

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
    if (itemsLeft(end.counts) > 0) return end;
    const { resultBytes, checksum } = batch.results.extent();
    if ((await checksumOf(durable, path, resultBytes, interrupt)) !== checksum) throw changedWhileItRan(path);
    const written = { path, resultBytes, states: batch.states };
    if (needsSort(batch, end)) await orderResults(durable, written, (record) => batch.journal.write(record), interrupt);
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

const changedWhileItRan = (path: string): Failure =>
  localFile(
    `the results file ${path} was changed by another program while the batch ran`,
    'Its journal has the state of the batch; which results are intact is unknown.',
  );
