import { createHash, randomUUID } from 'node:crypto';
import {
  type BigIntStats,
  closeSync,
  createReadStream,
  ftruncateSync,
  mkdirSync,
  openSync,
  promises as fs,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { decodeJson, stringAt } from '../../core/json.ts';
import { ObjectError } from './answers.ts';

/** Zeros become a hole. `take` gets the bytes before each write and may throw. Failure removes the file. */
export async function writeTemporary(
  folder: string,
  content: AsyncIterable<Uint8Array>,
  take: (bytes: number) => void,
  maxBytes: number,
): Promise<string> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, randomUUID());
  const file = openSync(path, 'wx', 0o600);
  let bytes = 0;
  try {
    for await (const chunk of content) {
      const at = bytes;
      bytes += chunk.byteLength;
      if (bytes > maxBytes) throw new ObjectError(400, 'EntityTooLarge', 'The content is too large for one request.');
      take(chunk.byteLength);
      // Synchronous: the system takes the bytes faster than another thread would be started.
      if (!isZero(chunk))
        for (let done = 0; done < chunk.byteLength;)
          done += writeSync(file, chunk, done, chunk.byteLength - done, at + done);
    }
    ftruncateSync(file, bytes);
    closeSync(file);
    return path;
  } catch (error) {
    closeSync(file);
    await fs.rm(path, { force: true });
    throw error;
  }
}

const ZEROS = new Uint8Array(65_536);

function isZero(chunk: Uint8Array): boolean {
  for (let at = 0; at < chunk.byteLength; at += ZEROS.byteLength) {
    const block = chunk.subarray(at, at + ZEROS.byteLength);
    if (Buffer.compare(block, ZEROS.subarray(0, block.byteLength)) !== 0) return false;
  }
  return true;
}

const COPIED_BYTES = 4 * 1024 * 1024;

export async function appendFiles(path: string, others: readonly string[]): Promise<void> {
  const output = await fs.open(path, 'r+');
  try {
    let { size } = await output.stat();
    for (const other of others) size = await appendFile(output, size, other);
    await output.truncate(size);
  } finally {
    await output.close();
  }
}

async function appendFile(output: fs.FileHandle, at: number, path: string): Promise<number> {
  const input = await fs.open(path, 'r');
  try {
    const block = Buffer.allocUnsafe(COPIED_BYTES);
    for (let end = at; ;) {
      const { bytesRead } = await input.read(block, 0, COPIED_BYTES, null);
      if (bytesRead === 0) return end;
      // A block of zeros stays a hole.
      const isHole = isZero(block.subarray(0, bytesRead));
      for (let done = isHole ? bytesRead : 0; done < bytesRead;)
        done += (await output.write(block, done, bytesRead - done, end + done)).bytesWritten;
      end += bytesRead;
    }
  } finally {
    await input.close();
  }
}

export interface DigestedContent extends AsyncIterable<Uint8Array> {
  /** Valid only when all of the content was read. */
  readonly md5: () => Buffer;
}

/** Can be read once. */
export function withMd5(chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): DigestedContent {
  const hash = createHash('md5');
  let digest: Buffer | undefined;
  return {
    md5: () => (digest ??= hash.digest()),
    [Symbol.asyncIterator]: async function* () {
      for await (const chunk of chunks) {
        hash.update(chunk);
        yield chunk;
      }
    },
  };
}

export interface Etags {
  /** In quotes: the one of its upload in parts, else the MD5 of its content. */
  of(path: string, key: string, stats: BigIntStats): Promise<string>;
  /** Valid until the file changes. */
  keep(key: string, stats: BigIntStats, etag: string): Promise<void>;
  remember(path: string, stats: BigIntStats, etag: string): void;
}

const MAX_KNOWN = 200_000;

const versionOf = ({ ino, size, mtimeNs }: BigIntStats): string => `${String(ino)} ${String(size)} ${String(mtimeNs)}`;

/** Those of uploads in parts cannot be computed from the file; the others are computed on first use. */
export function createEtags(folder: string): Etags {
  const known = new Map<string, { readonly version: string; readonly etag: string }>();
  const remember: Etags['remember'] = (path, stats, etag) => {
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(path, { version: versionOf(stats), etag });
  };
  const recordOf = (key: string): string => join(folder, createHash('sha256').update(key).digest('hex'));
  const kept = async (key: string, version: string): Promise<string | undefined> => {
    try {
      const record = decodeJson(await fs.readFile(recordOf(key), 'utf8'));
      return stringAt(record, 'version') === version ? stringAt(record, 'etag') : undefined;
    } catch {
      // Missing or corrupt: it is computed.
      return undefined;
    }
  };
  return {
    of: async (path, key, stats) => {
      const version = versionOf(stats);
      const found = known.get(path);
      if (found?.version === version) return found.etag;
      const etag = (await kept(key, version)) ?? `"${await md5Of(path)}"`;
      remember(path, stats, etag);
      return etag;
    },
    keep: async (key, stats, etag) => {
      const record = recordOf(key);
      await fs.mkdir(dirname(record), { recursive: true, mode: 0o700 });
      await fs.writeFile(record, JSON.stringify({ version: versionOf(stats), etag }), { mode: 0o600 });
    },
    remember,
  };
}

async function md5Of(path: string): Promise<string> {
  const hash = createHash('md5');
  for await (const chunk of createReadStream(path, { highWaterMark: 1_048_576 })) hash.update(chunk as Uint8Array);
  return hash.digest('hex');
}
