/** A file of a network volume, as the service describes it. */
export interface VolumeFile {
  /** Its path on the volume, without a slash at the beginning. */
  readonly key: string;
  readonly bytes: number;
  /** Its ETag with quotes: it changes with the content. */
  readonly version: string;
  /** Milliseconds since the epoch; undefined where the service does not say it. */
  readonly modifiedAt: number | undefined;
}

/** What is in one folder of a volume, in the order of names. */
export interface VolumeFolder {
  readonly files: readonly VolumeFile[];
  /** The keys of the folders in it; each ends with a slash. */
  readonly folders: readonly string[];
}

/** A file of this machine that is written to a volume. */
export interface FileSource {
  readonly bytes: number;
  /** The bytes from `start` up to, but not including, `end`. */
  read(start: number, end: number): AsyncIterable<Uint8Array>;
  /** Fails with local-file (14) when the file is no longer the one that was looked at. */
  check(): Promise<void>;
}

/**
 * The files of one network volume through its S3-compatible interface (storage contract). Every operation may be repeated.
 * Failures: usage (2) for a key that cannot be sent unchanged, denied (3), refused (5), unavailable (7).
 */
export interface VolumeFiles {
  /**
   * What is in a folder, whole or an error: nothing is left out. `prefix` ends with a slash, or is empty for the volume
   * itself. A folder that is not there is empty.
   */
  folder(prefix: string): Promise<VolumeFolder>;
  /** Undefined where there is no such file. */
  find(key: string): Promise<VolumeFile | undefined>;
  /**
   * Whether a file of the volume has the content of a source, by its size and its ETag. False where that cannot be known: the
   * ETag of a file that another program wrote in parts.
   */
  isSame(file: VolumeFile, source: Omit<FileSource, 'check'>): Promise<boolean>;
  /** Fails with local-file (14) where the file was changed or removed since it was looked at. */
  read(file: VolumeFile, start?: number, end?: number): AsyncIterable<Uint8Array>;
  /**
   * Writes a file; it is there when this resolves. What an earlier attempt has sent of the same content is not sent again.
   * `onBytes` is called with the number of bytes that arrived, or were there already.
   */
  write(key: string, source: FileSource, onBytes?: (bytes: number) => void): Promise<VolumeFile>;
  /** Writes what a stream yields, whose size is not known before. */
  writeStream(key: string, chunks: AsyncIterable<Uint8Array>): Promise<VolumeFile>;
  /** Succeeds also when there is no such file. */
  remove(key: string): Promise<void>;
}

/** A network volume, to reach its files. */
export interface VolumePlace {
  readonly id: string;
  readonly dataCenter: string;
}
