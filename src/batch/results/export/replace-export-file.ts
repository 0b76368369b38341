import type { DurableFiles } from '../../../core/context.ts';
import { localFile, usage } from '../../../core/failure.ts';
import { writeSyncedFile } from '../../bytes/write-file.ts';

interface ExportFile {
  readonly name: string;
  /** True to replace a file that exists. An empty file is replaced in any case. */
  readonly force: boolean;
  /** Absolute paths of the files that belong to the batch: none of them is replaced. */
  readonly batchFiles: readonly string[];
}

/**
 * Writes parts to a temporary file and renames it when it is complete, so an old file stays until then. Fails with
 * local-file (14), also when there is a file already, as iterating `parts` fails, and with usage (2) when the file is
 * one of the batch.
 */
export async function writeExport(
  durable: DurableFiles,
  { name, force, batchFiles }: ExportFile,
  parts: AsyncIterable<string | Uint8Array>,
): Promise<void> {
  const { path, kind } = await durable.resolve(name);
  if (name === '' || kind === 'directory' || kind === 'other' || kind === 'no-folder')
    throw localFile(`${JSON.stringify(name)} is not the name of a file that can be written`, 'Name another --out.');
  if (batchFiles.includes(durable.absolute(path)))
    throw usage(`--out names a file of the batch itself, ${path}`, 'Name another file.');
  const mustBeFree = async (): Promise<void> => {
    if (!force && ((await durable.size(path)) ?? 0) > 0)
      throw localFile(`${path} exists already`, 'Name another --out, or replace it with --force.');
  };
  await mustBeFree();
  const temporary = `${path}.exporting`;
  await writeSyncedFile(durable, temporary, encoded(parts));
  try {
    // Another program may have created it meanwhile.
    await mustBeFree();
    await durable.replace(temporary, path);
  } catch (error) {
    await durable.remove(temporary).catch(() => undefined);
    throw error;
  }
}

async function* encoded(parts: AsyncIterable<string | Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const part of parts) yield typeof part === 'string' ? Buffer.from(part) : part;
}
