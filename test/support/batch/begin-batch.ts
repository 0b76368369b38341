import type { DurableFiles } from '../../../src/core/context.ts';
import { type BatchHeader, encodeRecord, type JournalRecord, VERSION } from '../../../src/batch/store/record.ts';
import { createBatch, type OpenBatch, withNewPlace } from '../../../src/batch/store/open-batch.ts';

/** The header of a batch of this many items. */
export const headerOf = (planned: number, more: Partial<BatchHeader> = {}): BatchHeader => ({
  version: VERSION,
  endpoint: 'echo',
  endpointId: 'echo',
  service: 'a script',
  input: { inputs: [] },
  extras: '',
  settings: {},
  planned,
  invalid: 0,
  ordered: false,
  createdAt: 0,
  ...more,
});

/** Begins a batch with this header, as `beginBatch` does. `copy` writes the copy of an input. */
export const beginFiles = (
  durable: DurableFiles,
  path: string,
  header: BatchHeader,
  copy?: () => Promise<void>,
): Promise<OpenBatch> =>
  withNewPlace(durable, path, async (release) => {
    await copy?.();
    return await createBatch(durable, path, header, release);
  });

/** The text of a journal with these records. */
export function journalOf(records: readonly JournalRecord[]): string {
  let [text, seed] = ['', 0];
  for (const record of records) {
    const { line, sum } = encodeRecord(record, seed);
    seed = sum;
    text += line;
  }
  return text;
}
