import { createHash } from 'node:crypto';
import type { AppendFile, DurableFiles } from '../../../core/context.ts';
import { type Failure, localFile } from '../../../core/failure.ts';
import { numberAt, stringAt, tryDecodeJson } from '../../../core/json.ts';
import { linesOf } from '../../bytes/split-lines.ts';

/** What a later run compares. */
interface KnownFile {
  readonly item: number;
  readonly index: number;
  /** SHA-256 of the whole address. */
  readonly addressSha256: string;
  readonly file: string;
  readonly bytes: number;
}

interface FetchedFile extends KnownFile {
  /** Without its query, which often holds a signature. */
  readonly address: string;
  readonly sha256: string;
  readonly etag?: string;
}

export const MANIFEST = 'manifest.jsonl';
const MAX_LINE_BYTES = 64 * 1024;

export const addressDigest = (address: string): string => createHash('sha256').update(address).digest('hex');

/**
 * Opens the manifest of a folder, or begins one. After a line of a manifest, a line that was not written to its end is cut
 * off. Fails with local-file (14), also when there is something else in its place; it is not changed then.
 */
export async function openManifest(durable: DurableFiles, path: string) {
  const known = new Map<string, KnownFile>();
  const keyOf = (item: number, index: number): string => `${item}-${index}`;
  const size = await durable.size(path);
  // Opened before it is read: only a regular file can be opened.
  const opened: AppendFile = size === undefined ? await durable.create(path) : await durable.open(path);
  try {
    let end = 0;
    if (size !== undefined)
      for await (const line of linesOf(durable.read(path, 0), MAX_LINE_BYTES)) {
        if (!line.complete) break;
        const file = parse(path, line.bytes);
        known.set(keyOf(file.item, file.index), file);
        ({ end } = line);
      }
    // Without a line of a manifest before it, the tail may be another program's file.
    if (size !== undefined && end === 0 && size > 0) throw notAManifest(path);
    if (size !== undefined && end < size) await opened.truncate(end);
  } catch (error) {
    await opened.close();
    throw error;
  }
  return {
    find: (item: number, index: number): KnownFile | undefined => known.get(keyOf(item, index)),
    /** Fails with local-file (14). */
    add: async (file: FetchedFile): Promise<void> => {
      known.set(keyOf(file.item, file.index), file);
      await opened.append(Buffer.from(`${JSON.stringify(file)}\n`));
    },
    close: async (): Promise<void> => {
      await opened.sync();
      await opened.close();
    },
  };
}

/** The list of the files in a folder, one JSON line each. A file is in it when it is complete. */
export type OutputsManifest = Awaited<ReturnType<typeof openManifest>>;

function parse(path: string, line: Uint8Array): KnownFile {
  const value = tryDecodeJson(Buffer.from(line).toString());
  const [item, index, bytes] = [numberAt(value, 'item'), numberAt(value, 'index'), numberAt(value, 'bytes')];
  const [file, addressSha256] = [stringAt(value, 'file'), stringAt(value, 'addressSha256')];
  if (item === undefined || index === undefined || bytes === undefined || file === undefined) throw notAManifest(path);
  if (addressSha256 === undefined) throw notAManifest(path);
  return { item, index, bytes, file, addressSha256 };
}

const notAManifest = (path: string): Failure =>
  localFile(`${path} is not a list of downloaded files`, 'Name another --into.');
