import type { DurableFiles } from '../../../src/core/context.ts';
import type { BatchHeader } from '../../../src/batch/stores/file/journal/record.ts';
import { createBatch, type OpenBatch, withNewPlace } from '../../../src/batch/stores/file/open-batch.ts';

/** Begins a batch with this header, as the store of files does. `copy` writes the copy of an input. */
export const beginFiles = (
  durable: DurableFiles,
  path: string,
  header: BatchHeader,
  copy?: () => Promise<void>,
): Promise<OpenBatch> =>
  withNewPlace(durable, path, copy !== undefined, async (release) => {
    await copy?.();
    return await createBatch(durable, path, header, release);
  });
