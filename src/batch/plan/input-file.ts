import type { DurableFiles } from '../../core/context.ts';
import { checkInput, requireItems, summarizeItems, type InputSummary } from './check-input.ts';
import { fingerprintOf, fingerprintWithBlocks, verifyChunks, type Fingerprint } from '../read/fingerprint.ts';
import type { InputFormat, InvalidItem, Item } from '../read/item.ts';
import { readItems } from '../read/read-items.ts';
import { readUntilAborted } from '../read/read-until-aborted.ts';

/**
 * Reads an input file and checks that all of it can be sent, or with `skipInvalid` at least one item. Fails with
 * usage (2), with the places of invalid items, and as reading the file does.
 */
export async function checkInputFile(
  durable: DurableFiles,
  path: string,
  format: InputFormat,
  skipInvalid: boolean,
  signal: AbortSignal,
): Promise<InputSummary> {
  if (format.format !== 'parquet')
    return await checkInput(readUntilAborted(durable, path, signal), format, skipInvalid);
  const fingerprint = await fingerprintFile(durable, path, format, signal);
  const items = verifiedItems(durable, path, fingerprint, format, signal);
  return requireItems(await summarizeItems(items, () => fingerprint), format, skipInvalid);
}

/** Returns the fingerprint with which items of a file of this format can be read. Fails as reading the file does. */
export const fingerprintFile = (
  durable: DurableFiles,
  path: string,
  { format }: Pick<InputFormat, 'format'>,
  signal: AbortSignal,
): Promise<Fingerprint> =>
  (format === 'parquet' ? fingerprintWithBlocks : fingerprintOf)(readUntilAborted(durable, path, signal));

/**
 * Returns the items of a file whose fingerprint is known, in groups as `readItems` does. Fails with local-file (14) when
 * the file was changed, and as `readItems` and `openParquet` do.
 */
export async function* verifiedItems(
  durable: DurableFiles,
  path: string,
  fingerprint: Fingerprint,
  format: InputFormat,
  signal?: AbortSignal,
): AsyncGenerator<Iterable<Item | InvalidItem>> {
  if (format.format === 'parquet') {
    const [{ openParquet }, { verifiedFile }] = await Promise.all([
      import('../read/parquet/parquet-items.ts'),
      import('../read/parquet/verified-file.ts'),
    ]);
    const input = await openParquet(verifiedFile(durable, path, fingerprint, signal), format);
    yield* input.items(0, input.rows);
    return;
  }
  const chunks = signal === undefined ? durable.read(path) : readUntilAborted(durable, path, signal);
  yield* readItems(verifyChunks(chunks, fingerprint, path), format);
}
