import type { DurableFiles } from '../../core/context.ts';
import { localFile, usage } from '../../core/failure.ts';
import { writeSyncedFile } from '../store/write-file.ts';

/**
 * Writes texts to a temporary file and renames it to `name` when it is complete, so an old file stays until then. Fails
 * with local-file (14), as iterating `texts` fails, and with usage (2) when `name` is one of `batchFiles`.
 */
export async function writeExport(
  durable: DurableFiles,
  name: string,
  batchFiles: readonly string[],
  texts: AsyncIterable<string>,
): Promise<void> {
  const { path, kind } = await durable.resolve(name);
  if (name === '' || kind === 'directory' || kind === 'other' || kind === 'no-folder')
    throw localFile(`${JSON.stringify(name)} is not the name of a file that can be written`, 'Name another --out.');
  if (batchFiles.includes(durable.absolute(path)))
    throw usage(`--out names a file of the batch itself, ${path}`, 'Name another file.');
  const temporary = `${path}.exporting`;
  await writeSyncedFile(durable, temporary, encoded(texts));
  await durable.replace(temporary, path);
}

async function* encoded(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const text of texts) yield Buffer.from(text);
}
