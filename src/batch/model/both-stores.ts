import { usage, Failure } from '../../core/failure.ts';
import type { StoredFile, BatchStatus, ListedBatch } from './store.ts';
import { EXIT } from '../../core/exit-codes.ts';

/**
 * Fails with usage (2) when the files that a batch has now are not those that were shown to the user: it was worked on since
 * then, or another batch was begun in its place.
 */
export function requireSameFiles(name: string, shown: readonly StoredFile[], now: readonly StoredFile[]): void {
  if (linesOf(shown) === linesOf(now)) return;
  throw usage(
    `the files of the batch ${name} are not those that were listed: it was worked on, or another batch took its place`,
    'Nothing was removed. Give the same command again to see what there is now.',
  );
}

const linesOf = (files: readonly StoredFile[]): string =>
  files
    .map(({ address, bytes }) => `${address} ${String(bytes)}`)
    .sort()
    .join('\n');

/** Reads the state of a batch of a list; one that is broken or was removed is no reason to leave out the others. */
export async function unlessBroken(name: string, read: () => Promise<BatchStatus>): Promise<ListedBatch> {
  try {
    return await read();
  } catch (failure) {
    if (failure instanceof Failure && (failure.exit === EXIT.localFile || failure.exit === EXIT.notFound))
      return { name, failure };
    throw failure;
  }
}

/** What was done about `--resubmit`: one sentence. `mayHaveRun`: some items expired, or are unknown. */
export function describeResubmitted(count: number, onlyError: string | undefined, mayHaveRun: boolean): string {
  const which = onlyError === undefined ? '' : ' with this error';
  if (count === 0) return `no item to send again${which}`;
  const items = count === 1 ? `1 item${which} is` : `${String(count)} items${which} are`;
  return `${items} sent again${mayHaveRun ? ': some may run twice' : ''}`;
}
