import { crc32 } from 'node:zlib';
import type { DurableFiles } from '../../../core/context.ts';
import { localFile } from '../../../core/failure.ts';
import type { JournalRecord } from '../journal/record.ts';
import type { ResultsExtent } from './results-file.ts';
import { merged, resultLines, SORT_LIMITS, sortedRuns, type Piece } from './external-sort.ts';
import { writeWhole } from '../write-file.ts';

/** The results in their new order, until they take the place of the old ones. */
export const orderedPath = (results: string): string => `${results}.ordered`;

/** Where results lie while they are sorted: read from one, written to the other. */
export const sortingPaths = (results: string): readonly [string, string] => [
  `${results}.sorting-0`,
  `${results}.sorting-1`,
];

/**
 * Puts the results, which hold so much, in the order of the input; of an item that has several lines the last is kept. An
 * external merge sort: 8 MiB of lines are held at a time, and results that come about in the order of the input take one
 * pass. It needs as much disk as the results have, and twice that where they are far from their order. Whatever ends the
 * process in between, one whole file is there: the journal says first how long the new one is. Fails with local-file
 * (14), also where the results are not what was written, and with the interrupt; the results are as they were then.
 */
export async function orderResults(
  durable: DurableFiles,
  path: string,
  holds: ResultsExtent,
  note: (record: JournalRecord) => Promise<void>,
  interrupt: AbortSignal,
  limits = SORT_LIMITS,
): Promise<void> {
  let [from, to] = sortingPaths(path);
  try {
    let sorted = await writeRuns(
      durable,
      from,
      sortedRuns(asWritten(durable, path, holds, interrupt), limits.heldBytes),
    );
    while (sorted.runs.length > 1) {
      const merging = merged(durable, from, sorted.runs, limits.fanIn, interrupt);
      sorted = await writeRuns(durable, to, merging);
      [from, to] = [to, from];
      await durable.remove(to);
    }
    if (interrupt.aborted) throw interrupt.reason;
    const aside = orderedPath(path);
    await durable.replace(from, aside);
    await note({ kind: 'ordered', bytes: sorted.bytes, checksum: sorted.checksum });
    await durable.replace(aside, path);
  } catch (error) {
    await removeSorting(durable, path).catch(() => undefined);
    throw error;
  }
}

/** Removes what a sort that was cut off left. */
export async function removeSorting(durable: DurableFiles, path: string): Promise<void> {
  for (const name of sortingPaths(path)) await durable.remove(name);
}

/** What lies in a file of sorted runs: where each ends, and length and CRC-32 of all. */
interface Sorted {
  readonly runs: readonly number[];
  readonly bytes: number;
  readonly checksum: number;
}

async function writeRuns(durable: DurableFiles, path: string, pieces: AsyncIterable<Piece>): Promise<Sorted> {
  const runs: number[] = [];
  let [bytes, checksum] = [0, 0];
  async function* written(): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      bytes += piece.bytes.byteLength;
      checksum = crc32(piece.bytes, checksum);
      yield piece.bytes;
      if (piece.endsRun) runs.push(bytes);
    }
  }
  await writeWhole(durable, path, written());
  return { runs, bytes, checksum };
}

/** The lines of the results. Fails with local-file (14) at their end where they are not what was written. */
async function* asWritten(
  durable: DurableFiles,
  path: string,
  { resultBytes, checksum }: ResultsExtent,
  interrupt: AbortSignal,
): ReturnType<typeof resultLines> {
  let [bytes, sum] = [0, 0];
  async function* passing(): AsyncGenerator<Uint8Array> {
    for await (const piece of durable.read(path)) {
      bytes += piece.byteLength;
      sum = crc32(piece, sum);
      yield piece;
    }
  }
  yield* resultLines(passing(), interrupt);
  if (bytes !== resultBytes || sum !== checksum)
    throw localFile(
      `the results file ${path} was changed by another program while the batch ran`,
      'It was left as it is, and not put in order. Its journal says how the batch stands.',
    );
}
