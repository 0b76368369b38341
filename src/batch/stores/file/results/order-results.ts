import { crc32 } from 'node:zlib';
import type { DurableFiles } from '../../../../core/context.ts';
import { writeSyncedFile } from '../../../bytes/write-file.ts';
import { orderedPath } from '../journal/file-names.ts';
import type { JournalRecord } from '../journal/record.ts';
import { resultsInOrder, type WrittenResults } from './stored-results.ts';

const LINE_FEED = Buffer.from('\n');

/**
 * Sorts the results file by item; when an item has several lines, the last one is kept, and lines of items that were sent
 * again without an end are left out. Needs as much disk space as the results; memory as `resultsInOrder` does, which is fast
 * because results are nearly in order, or in a few parts that are. The sorted file is complete and the journal has its length
 * before it replaces the results file, so that a crash leaves one complete file. Fails with local-file (14), and with the
 * signal's reason; the results file is not changed then.
 */
export async function orderResults(
  durable: DurableFiles,
  results: WrittenResults,
  writeRecord: (record: JournalRecord) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  let [bytes, checksum] = [0, 0];
  async function* sorted(): AsyncGenerator<Uint8Array> {
    for await (const lines of resultsInOrder(durable, results, signal)) {
      const chunk = Buffer.concat(lines.flatMap((line) => [line.bytes, LINE_FEED]));
      bytes += chunk.byteLength;
      checksum = crc32(chunk, checksum);
      yield chunk;
    }
  }
  const ordered = orderedPath(results.path);
  await writeSyncedFile(durable, ordered, sorted());
  await writeRecord({ kind: 'ordered', bytes, checksum });
  await durable.replace(ordered, results.path);
}
