import type { DigestName, SortedItems } from './files.ts';
import type { Bytes, EpochMs } from '../unit-types.ts';

/** A file of a network volume, as the service describes it. */
export interface VolumeFile {
  /** Its path on the volume, without a slash at the beginning. */
  readonly key: string;
  readonly bytes: Bytes;
  /** Its ETag with quotes: it changes with the content. */
  readonly version: string;
  /** Undefined where the service does not say it. */
  readonly modifiedAt: EpochMs | undefined;
}

/** What is in a folder of a volume. */
export type VolumeEntry =
  | { readonly kind: 'file'; readonly key: string; readonly file: VolumeFile }
  /** Its key ends with a slash. */
  | { readonly kind: 'folder'; readonly key: string };

export interface FolderOptions {
  /** The text by which an entry is sorted: another one for each entry. */
  readonly orderOf?: (entry: VolumeEntry) => string;
  readonly atMost?: number;
}

/** A file of this machine that is written to a volume. */
export interface FileSource {
  readonly bytes: Bytes;
  /** The version of the file that it replaces: where that is still seen after the writing, the service is late. */
  readonly replaces?: string | undefined;
  /** The bytes from `start` up to, but not including, `end`. */
  read(start: Bytes, end: Bytes): AsyncIterable<Uint8Array>;
  /**
   * The digests of such a range. With it, the range is read twice and is never whole in memory; without it, once, and it is. Fails
   * with local-file (14) where there are fewer bytes.
   */
  readonly digests?: (start: Bytes, end: Bytes, names: readonly DigestName[]) => Promise<readonly Buffer[]>;
  /** Fails with local-file (14) when the file is no longer the one that was looked at. */
  check(): Promise<void>;
}

/** What the service says about the content of a file, by which a copy of it is checked. */
export type ContentProof =
  | { readonly kind: 'none' }
  /** The MD5 of the content, in hexadecimal. */
  | { readonly kind: 'whole'; readonly md5: string }
  | {
      readonly kind: 'parts';
      /** The size of each part but the last. A guess: another program may have chosen another one. */
      readonly partBytes: Bytes;
      /** Whether these are the MD5s of the parts, in their order. */
      readonly agrees: (digests: readonly Buffer[]) => boolean;
    };

/**
 * The files of one network volume through its S3-compatible interface (storage contract). Every operation may be repeated.
 * Failures: usage (2) for a key that cannot be sent unchanged, denied (3), refused (5), unavailable (7).
 */
export interface VolumeFiles {
  /** The id of the volume. */
  readonly id: string;
  /**
   * What is in a folder, whole or an error: nothing is left out. `prefix` ends with a slash, or is empty for the volume
   * itself. A folder that is not there is empty. The entries are in the order of their keys, or of what `orderOf` returns; only
   * some of them are held in memory. Fails with unavailable (7), before it has read all, where there are more than `atMost`.
   */
  folder(prefix: string, options?: FolderOptions): Promise<SortedItems<VolumeEntry>>;
  /** Whether anything is in a folder; it is not read whole for that. */
  isFolder(prefix: string): Promise<boolean>;
  /** Undefined where there is no such file. */
  find(key: string): Promise<VolumeFile | undefined>;
  /**
   * Whether a file of the volume has the content of a source, by its size and its ETag. False where that cannot be known: the
   * ETag of a file that another program wrote in parts.
   */
  isSame(file: VolumeFile, source: Omit<FileSource, 'check'>): Promise<boolean>;
  proofOf(file: VolumeFile): ContentProof;
  /** Fails with local-file (14) where the file was changed or removed since it was looked at. */
  read(file: VolumeFile, start?: Bytes, end?: Bytes): AsyncIterable<Uint8Array>;
  /**
   * Writes a file; it is there when this resolves. What an earlier attempt has sent of the same content is not sent again.
   * `onBytes` is called with the number of bytes that arrived, or were there already.
   */
  write(key: string, source: FileSource, onBytes?: (bytes: Bytes) => void): Promise<VolumeFile>;
  /** Writes what a stream yields, whose size is not known before. */
  writeStream(key: string, chunks: AsyncIterable<Uint8Array>): Promise<VolumeFile>;
  /**
   * Copies a file within the volume, at the service, which must have the MD5 of all of it as its ETag. `replaces` is the version
   * of the file that was at the new key.
   */
  copy(file: VolumeFile, key: string, replaces: string | undefined): Promise<VolumeFile>;
  /** Succeeds also when there is no such file. */
  remove(key: string): Promise<void>;
}

/** A network volume, to reach its files. */
export interface VolumePlace {
  readonly id: string;
  readonly dataCenter: string;
}
