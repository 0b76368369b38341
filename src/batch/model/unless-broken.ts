import { EXIT } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import type { BatchStatus, ListedBatch } from './store.ts';

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
