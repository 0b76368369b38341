import type { PartCompression } from '../../../model/store.ts';
import { createHash } from 'node:crypto';
import type { ObjectStorage } from '../../../../core/context.ts';
import { gzip } from '../../../bytes/gzip.ts';

/**
 * What the names of all parts of a batch begin with, and those of no other batch: its token is in them. Earlier versions
 * left the token out.
 */
export const partPrefix = (token: string): string => `part-${token.replaceAll('-', '').slice(0, 12)}-`;

/** Returns the name of the part of a shard that is written under an epoch. */
const partName = (token: string, shard: number, epoch: number, compression: PartCompression): string =>
  `${partPrefix(token)}${String(shard).padStart(6, '0')}-${String(epoch).padStart(4, '0')}.jsonl${compression === 'none' ? '' : '.gz'}`;

const PART_NAME = /^(\d{6,})-(\d{4,})\.jsonl(?:\.gz)?(?:\.[^/]+\.partial)?$/;

/**
 * Returns the shard and the epoch of a part of a batch from its name, which may be that of an unfinished file; undefined for
 * all other names.
 */
export function parsePartName(token: string, name: string) {
  const prefix = partPrefix(token);
  if (!name.startsWith(prefix)) return undefined;
  const rest = name.slice(prefix.length);
  const [, shard, epoch] = PART_NAME.exec(rest) ?? [];
  return shard === undefined || epoch === undefined ? undefined : { shard: Number(shard), epoch: Number(epoch) };
}

/** Returns the address of a name in a folder, or below a prefix of object storage. */
export const addressIn = (out: string, name: string): string => `${out}${out.endsWith('/') ? '' : '/'}${name}`;

export interface PartFiles {
  readonly storage: ObjectStorage;
  /** True while the storage waits for new credentials: nothing is sent whose result might never be stored. */
  readonly isWaiting: () => boolean;
  /** A folder, or a prefix of object storage. */
  readonly out: string;
  readonly token: string;
  readonly compression: PartCompression;
  /** Ends the writing of a part. The user's interrupt does not: results that a driver has are published before it ends. */
  readonly signal: AbortSignal;
}

/** The object that holds the results of a part; undefined when only unknown items are published. */
export interface WrittenPart {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

const LINES_IN_A_CHUNK = 500;

/** Writes a part. Writing it again replaces it by the same content. Fails as the storage does. */
export async function writePart(
  { storage, out, token, compression, signal }: PartFiles,
  shard: number,
  epoch: number,
  lines: readonly string[],
): Promise<WrittenPart> {
  const name = partName(token, shard, epoch, compression);
  const hash = createHash('sha256');
  let bytes = 0;
  async function* chunksOf(): AsyncGenerator<Uint8Array> {
    for (let from = 0; from < lines.length; from += LINES_IN_A_CHUNK) {
      const chunk = Buffer.from(lines.slice(from, from + LINES_IN_A_CHUNK).join(''));
      bytes += chunk.byteLength;
      hash.update(chunk);
      yield chunk;
    }
  }
  const content = compression === 'none' ? chunksOf() : gzip(chunksOf());
  await storage.write(addressIn(out, name), content, signal);
  return { name, bytes, sha256: hash.digest('hex') };
}
