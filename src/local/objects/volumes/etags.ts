import { createHash } from 'node:crypto';
import { createReadStream, type BigIntStats, promises as fs } from 'node:fs';
import { dirname, join } from 'node:path';
import { decodeJson, stringAt } from '../../../core/json.ts';

/** The ETags of the files of one volume. */
export interface Etags {
  /** The ETag of a file, in quotes: that of its upload in parts, else the MD5 of its content. */
  of(path: string, key: string, stats: BigIntStats): Promise<string>;
  /** Keeps the ETag of a file that was written in parts; it counts until the file is another. */
  keep(key: string, stats: BigIntStats, etag: string): Promise<void>;
  /** Remembers the ETag of a file that was just written whole. */
  remember(path: string, stats: BigIntStats, etag: string): void;
}

/** How many ETags are held in memory. */
const MAX_KNOWN = 200_000;

/** What a file must have in common with the one whose ETag is known. */
const versionOf = ({ ino, size, mtimeNs }: BigIntStats): string => `${String(ino)} ${String(size)} ${String(mtimeNs)}`;

/**
 * ETags, with those of uploads in parts kept in `folder`: they cannot be computed from the file. The others are computed when
 * they are asked for first, which makes the first listing of a large folder slow, as at the service (storage contract).
 */
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
      // There is none, or it is damaged: it is computed.
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
