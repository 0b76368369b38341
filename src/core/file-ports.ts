import type { Failure } from './failure.ts';
import type { Bytes, EpochMs, Milliseconds } from './unit-types.ts';

export interface Files {
  /** Reads a file's bytes; `-` is stdin. Fails with local-file (14), or with usage (2) when stdin is a terminal. */
  read(path: string): Promise<Uint8Array>;
  /** Atomic: on failure (local-file, 14) the old file is unchanged. */
  write(
    path: string,
    text: string,
    options?: { readonly mode?: number; readonly makeParents?: boolean },
  ): Promise<void>;
  mode(path: string): Promise<number | undefined>;
}

/** After a failure (14), how much of the last write is in the file is not known. */
export interface AppendFile {
  append(bytes: Uint8Array): Promise<void>;
  sync(): Promise<void>;
  /** Fails when another program removed, replaced, truncated or wrote the file; the message says which. */
  check(): Promise<void>;
  truncate(size: Bytes): Promise<void>;
  close(): Promise<void>;
}

export interface ResolvedPath {
  /** The path as given. For a symbolic link to a file, or to a place where a file can be created, the link's target. */
  readonly path: string;
  /** `no-folder`: the parent directory does not exist. `other`: a pipe, a device or a socket. */
  readonly kind: 'file' | 'directory' | 'other' | 'nothing' | 'no-folder';
}

/** `other`: a pipe, a device, a socket, or a link to a folder. A link to a file is a file. */
export type FolderEntry = Pick<TreeEntry, 'name'> & {
  readonly kind: Exclude<TreeEntry['kind'], 'link'>;
  readonly link?: true;
};

export interface TreeEntry {
  readonly name: string;
  /** A link is a `link`, unless links are followed; `other` is a pipe, a device or a socket. */
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  readonly bytes: Bytes;
  /** Changes with the size and with the modification time. */
  readonly version: string;
  readonly modifiedAt: EpochMs;
  readonly executable: boolean;
  /** The same for two paths that lead to one file or folder. */
  readonly identity: string;
}

/** Files that must survive a crash. Every failure is local-file (14) and names the file. */
export interface DurableFiles {
  resolve(path: string): Promise<ResolvedPath>;
  absolute(path: string): string;
  size(path: string): Promise<Bytes | undefined>;
  describe(path: string): Promise<Pick<TreeEntry, 'bytes' | 'version'> | undefined>;
  /** In no particular order; none when there is no such folder. */
  entries(folder: string): Promise<readonly FolderEntry[]>;
  makeFolder(path: string): Promise<void>;
  /** With `from`, even 0, only a regular file is read: a pipe could never end. Stdin on a terminal: usage (2). */
  read(path: string, from?: Bytes): AsyncIterable<Uint8Array>;
  /** Also flushes the directory entry. Default mode 0600. Fails when the file exists. */
  create(path: string, mode?: number): Promise<AppendFile>;
  open(path: string): Promise<AppendFile>;
  /** Creates a missing file with `mode`; keeps the content of an existing one. */
  openRanges(path: string, mode: number): Promise<RangeWriter>;
  /** Renames `from` to `to`, replacing what was there, and flushes that to disk. */
  replace(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** Takes over the lock of a dead holder. Changes of `files` fail after another process takes the lock over. */
  lock(path: string, files?: readonly string[]): Promise<() => Promise<void>>;
  /** For a holder on another machine this takes seconds. */
  holder(path: string): Promise<LockHolder | undefined>;
}

/** A file whose ranges are written in any order. Failures as of `DurableFiles`. */
export interface RangeWriter {
  write(bytes: Uint8Array, at: Bytes): void;
  sync(): Promise<void>;
  /** Cuts what is beyond this size, and flushes all to disk. */
  finish(bytes: Bytes): Promise<void>;
  close(): Promise<void>;
}

export interface RangeFiles extends DurableFiles {
  /** A link that leads nowhere stays a link; a name that is not UTF-8 is `other`. Fails without the folder. */
  contents(folder: string, followLinks: boolean): AsyncIterable<TreeEntry>;
  lookAt(path: string, followLink?: boolean): Promise<TreeEntry | undefined>;
  setTime(path: string, modifiedAt: EpochMs): Promise<void>;
  /** Does nothing if the folder is not empty. */
  removeEmptyFolder(path: string): Promise<void>;
}

export interface EntryChecks {
  takes(entry: Pick<TreeEntry, 'kind' | 'bytes'> & { readonly path: string }): boolean;
  /** A file became larger while it was read: what it had at the start is in the archive. */
  grew(path: string): void;
  fails(path: string, why: string): void;
}

/** Fails with local-file (14), or with not-an-archive (7). */
export interface ArchiveInput {
  write(bytes: Uint8Array): Promise<void>;
  finish(): Promise<void>;
  discard(): Promise<void>;
}

/** Files and folders as tar archives, which end with an empty file named `mark`. */
export interface Archives {
  /** A file that grows is as it was at the start. `gitignore` leaves out what .gitignore files name. Fails with local-file (14). */
  pack(path: string, mark: string, checks: EntryChecks, gitignore?: boolean): AsyncIterable<Uint8Array>;
  /**
   * Unpacks into a folder named `mark` beside the target, and then renames. A file goes into a folder as `name`; with `into`, a file,
   * or always, into one that is made.
   */
  unpack(
    target: string,
    options: EntryChecks & { readonly mark: string; readonly name: string; readonly into: 'file' | 'always' | '' },
  ): ArchiveInput;
}

export interface LockHolder {
  readonly pid: number;
  readonly host: string;
}

export interface VolumeFile {
  readonly key: string;
  readonly bytes: Bytes;
  /** Its ETag with quotes: it changes with the content. */
  readonly version: string;
  readonly modifiedAt: EpochMs | undefined;
}

export type VolumeEntry =
  | { readonly kind: 'file'; readonly key: string; readonly file: VolumeFile }
  | { readonly kind: 'folder'; readonly key: string };

export interface FileSource {
  readonly bytes: Bytes;
  /** The version of the file that it replaces: where that is still seen after the writing, the service is late. */
  readonly replaces?: string | undefined;
  /** `end` is not included. Local-file (14) where there are fewer. */
  read(start: Bytes, end: Bytes): AsyncIterable<Uint8Array>;
}

/** A file that the service says it has. It is believed once `confirm` saw it. */
export interface WrittenFile extends VolumeFile {
  readonly replaces?: string | undefined;
  /** Repeats the last step: a service may say that it did it, and has not. */
  again(): Promise<unknown>;
}

/** What the MD5s of the parts of a file, or of all of it as one, must agree with. */
export interface ContentProof {
  readonly isWhole: boolean;
  /** The size of each part but the last. A guess: another program may have chosen another one. */
  readonly partBytes: Bytes;
  readonly agrees: (digests: readonly Buffer[]) => boolean;
}

/** Every operation may be repeated. Fails with usage (2), denied (3), refused (5), unavailable (7). */
export interface VolumeFiles {
  readonly id: string;
  /** How far the clock of the service is ahead of this machine's, to the second; 0 before its first answer. */
  aheadMs(): Milliseconds;
  /** In the order of the bytes of their keys; complete or an error. `isShallow`: only what is directly in it. */
  list(prefix: string, isShallow?: boolean): AsyncIterable<VolumeEntry>;
  isFolder(prefix: string): Promise<boolean>;
  find(key: string): Promise<VolumeFile | undefined>;
  /** Undefined where the ETag is no checksum. */
  proofOf(file: VolumeFile): ContentProof | undefined;
  /**
   * Local-file (14) where the file was changed or removed since it was looked at, or, with an empty version, since the first answer.
   * Chunks that `take` gets as they arrive, which costs much less, are not yielded.
   */
  read(file: VolumeFile, start?: Bytes, end?: Bytes, take?: (chunk: Uint8Array) => unknown): AsyncIterable<Uint8Array>;
  write(key: string, source: FileSource, onBytes?: (bytes: Bytes) => void): Promise<WrittenFile>;
  writeStream(key: string, chunks: AsyncIterable<Uint8Array>): Promise<WrittenFile>;
  /** Copied at the service. The ETag must be the MD5 of all of it. */
  copy(file: VolumeFile, key: string): Promise<WrittenFile>;
  /** Why files that were written are not there as they were sent, by key. */
  confirm(files: readonly WrittenFile[]): Promise<ReadonlyMap<string, Failure>>;
  remove(key: string): Promise<void>;
}

export interface VolumePlace {
  readonly id: string;
  readonly dataCenter: string;
}
