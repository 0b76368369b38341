import type { DurableFiles } from '../../../../core/context.ts';
import { localFile } from '../../../../core/failure.ts';
import { berth, sentence } from '../../../../core/message.ts';
import { orderedPath } from '../journal/file-names.ts';
import type { JournalState } from '../journal/replay.ts';
import { checksumOf } from './results-file.ts';
import type { ResultsSource } from './stored-results.ts';

/**
 * Returns where the results are that the journal of a batch records; undefined when the file is missing or contains
 * other results. When a process was killed after sorting the results and before the rename, the sorted ones are in
 * another file in the same directory. Fails as reading does, and with the signal's reason.
 */
export async function intactResults(
  durable: DurableFiles,
  path: string,
  { resultBytes, checksum, states, hasRerunItems, endsWithOrdered }: JournalState,
  signal?: AbortSignal,
): Promise<ResultsSource | undefined> {
  for (const candidate of [path, ...(endsWithOrdered ? [orderedPath(path)] : [])]) {
    const size = await durable.size(candidate);
    if (size === undefined || size < resultBytes) continue;
    // Journals of an earlier version have no CRC-32.
    const isIntact = checksum === undefined || (await checksumOf(durable, candidate, resultBytes, signal)) === checksum;
    if (isIntact) return { path: candidate, resultBytes, states, hasRerunItems };
  }
  return undefined;
}

/** The results are not what the batch wrote: exit 14. */
export const resultsChanged = (path: string): Error =>
  localFile(
    `the results file ${path} is missing, shorter or different from what its journal records`,
    sentence`Restore it as it was. The counts alone are in the journal: ${berth`jobs batch status`}`,
  );
