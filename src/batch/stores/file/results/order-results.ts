import { crc32 } from 'node:zlib';
import type { DurableFiles } from '../../../../core/context.ts';
import { localFile } from '../../../../core/failure.ts';
import { orderedPath, sortingPaths } from '../journal/file-names.ts';
import type { JournalRecord } from '../journal/record.ts';
import { writeSyncedFile } from '../../../bytes/write-file.ts';
import {
  mergeRuns,
  resultLines,
  SORT_LIMITS,
  sortIntoRuns,
  type ResultLine,
  type SortedChunk,
} from './external-sort.ts';
import type { ResultsExtent } from './results-file.ts';

/**
 * Sorts the results file by item; when an item has several lines, the last one is kept, and lines of items that were
 * sent again without an end (`isCurrent` is false) are left out. This is an external merge sort that keeps 8 MiB of
 * lines in memory; results that are nearly in order need one pass. It needs as much disk space as the results, and
 * twice that when they are far from ordered. The sorted file is complete and the journal has its length before it
 * replaces the results file, so that a crash leaves one complete file. Fails with local-file (14), also when the file
 * is not what was written, and with the signal's reason. In these cases the results file is not changed.
 */
export async function orderResults(
  durable: DurableFiles,
  path: string,
  content: ResultsExtent,
  writeRecord: (record: JournalRecord) => Promise<void>,
  isCurrent: (item: number) => boolean,
  signal: AbortSignal,
  limits = SORT_LIMITS,
): Promise<void> {
  let [from, to] = sortingPaths(path);
  try {
    let sorted = await writeRuns(
      durable,
      from,
      sortIntoRuns(currentLines(verifiedLines(durable, path, content, signal), isCurrent), limits.heldBytes),
    );
    while (sorted.runs.length > 1) {
      sorted = await writeRuns(durable, to, mergeRuns(durable, from, sorted.runs, limits.fanIn, signal));
      [from, to] = [to, from];
      await durable.remove(to);
    }
    if (signal.aborted) throw signal.reason;
    const ordered = orderedPath(path);
    await durable.replace(from, ordered);
    await writeRecord({ kind: 'ordered', bytes: sorted.bytes, checksum: sorted.checksum });
    await durable.replace(ordered, path);
  } catch (error) {
    await removeSortingFiles(durable, path).catch(() => undefined);
    throw error;
  }
}

/** Removes the temporary files of an interrupted sort. */
export async function removeSortingFiles(durable: DurableFiles, path: string): Promise<void> {
  for (const name of sortingPaths(path)) await durable.remove(name);
}

async function* currentLines(
  groups: ReturnType<typeof resultLines>,
  isCurrent: (item: number) => boolean,
): ReturnType<typeof resultLines> {
  function* current(lines: Iterable<ResultLine>): Generator<ResultLine> {
    for (const line of lines) if (isCurrent(line.item)) yield line;
  }
  for await (const lines of groups) yield current(lines);
}

/** A file of sorted runs. */
interface SortedRuns {
  /** The offset at which each run ends. */
  readonly runs: readonly number[];
  readonly bytes: number;
  readonly checksum: number;
}

async function writeRuns(durable: DurableFiles, path: string, chunks: AsyncIterable<SortedChunk>): Promise<SortedRuns> {
  const runs: number[] = [];
  let [bytes, checksum] = [0, 0];
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      bytes += chunk.bytes.byteLength;
      checksum = crc32(chunk.bytes, checksum);
      yield chunk.bytes;
      if (chunk.endsRun) runs.push(bytes);
    }
  }
  await writeSyncedFile(durable, path, counted());
  return { runs, bytes, checksum };
}

/** Returns the lines of the results. Fails with local-file (14) at the end when the file is not what was written. */
async function* verifiedLines(
  durable: DurableFiles,
  path: string,
  { resultBytes, checksum }: ResultsExtent,
  signal: AbortSignal,
): ReturnType<typeof resultLines> {
  let [bytes, sum] = [0, 0];
  async function* checksummed(): AsyncGenerator<Uint8Array> {
    for await (const chunk of durable.read(path, 0)) {
      bytes += chunk.byteLength;
      sum = crc32(chunk, sum);
      yield chunk;
    }
  }
  yield* resultLines(checksummed(), signal);
  if (bytes !== resultBytes || sum !== checksum)
    throw localFile(
      `the results file ${path} was changed by another program while the batch ran`,
      'The file was not changed and not sorted. The journal has the state of the batch.',
    );
}
