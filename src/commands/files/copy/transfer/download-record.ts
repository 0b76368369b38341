import type { AppendFile, RangeFiles } from '../../../../core/context.ts';
import { collectBytes } from '../../../../core/files/byte-streams.ts';
import type { Bytes } from '../../../../core/unit-types.ts';

/** Which ranges of an unfinished download are there: a file beside it, with a line for each. */
export interface DownloadRecord {
  readonly done: ReadonlySet<number>;
  add(index: number): Promise<void>;
  close(): Promise<void>;
  remove(): Promise<void>;
}

/** Limit for a record: 4 TB in ranges of 16 MiB are 250,000 lines. */
const MAX_BYTES: Bytes = 4 * 1024 * 1024;

/**
 * Opens the record at a path; `head` is its first line: what a record with another one says is not used. A last line that was
 * not written to its end does not count. Fails with local-file (14).
 */
export async function openDownloadRecord(files: RangeFiles, path: string, head: string): Promise<DownloadRecord> {
  const text = (await files.size(path)) === undefined ? undefined : await readText(files, path);
  const lines = text?.slice(0, text.lastIndexOf('\n') + 1).split('\n') ?? [];
  const isKnown = lines[0] === head;
  if (text !== undefined && !isKnown) await files.remove(path);
  let file: AppendFile;
  if (isKnown) {
    file = await files.open(path);
    await file.truncate(Buffer.byteLength(lines.join('\n')));
  } else {
    file = await files.create(path);
    await file.append(Buffer.from(`${head}\n`));
  }
  return {
    done: new Set(
      isKnown
        ? lines
            .slice(1)
            .filter((line) => /^\d{1,7}$/.test(line))
            .map(Number)
        : [],
    ),
    add: (index) => file.append(Buffer.from(`${String(index)}\n`)),
    close: () => file.close(),
    remove: () => files.remove(path),
  };
}

async function readText(files: RangeFiles, path: string): Promise<string | undefined> {
  return (await collectBytes(files.read(path, 0), MAX_BYTES))?.toString();
}
