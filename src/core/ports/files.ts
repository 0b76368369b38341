import type { Bytes, EpochMs } from '../unit-types.ts';

/** The user's files: inputs and outputs that the command line names. */
export interface Files {
  /** Reads a file's bytes; `-` is stdin. Fails with local-file (14), or with usage (2) when stdin is a terminal. */
  read(path: string): Promise<Uint8Array>;
  /**
   * Writes a whole file, or leaves the old one unchanged. `makeParents` creates missing parent directories. Fails with
   * local-file (14).
   */
  write(
    path: string,
    text: string,
    options?: { readonly mode?: number; readonly makeParents?: boolean },
  ): Promise<void>;
  /** The permission bits of a regular file; undefined when there is none. */
  mode(path: string): Promise<number | undefined>;
}

/**
 * A file that this process appends to. Every failure is local-file (14); after a failure it is not known how much of
 * the last write is in the file.
 */
export interface AppendFile {
  /** Resolves when the system has taken every byte. First fails as `check` does, before anything is written. */
  append(bytes: Uint8Array): Promise<void>;
  /** Flushes to disk what was appended. */
  sync(): Promise<void>;
  /** Fails when another program removed, replaced, truncated or wrote the file; the message says which. */
  check(): Promise<void>;
  /** Truncates the file to this size and flushes that to disk. */
  truncate(size: Bytes): Promise<void>;
  close(): Promise<void>;
}

/** What a path leads to. */
export interface ResolvedPath {
  /** The path as given. For a symbolic link to a file, or to a place where a file can be created, the link's target. */
  readonly path: string;
  /** `no-folder`: the parent directory does not exist. `other`: a pipe, a device or a socket. */
  readonly kind: 'file' | 'directory' | 'other' | 'nothing' | 'no-folder';
}

/** Size and version of a regular file. The version changes with the size and with the modification time. */
export interface FileVersion {
  readonly bytes: Bytes;
  readonly version: string;
}

export interface FolderEntry {
  readonly name: string;
  /** `other`: a pipe, a device, a socket, or a link to a folder. A link to a file is a file. */
  readonly kind: 'file' | 'folder' | 'other';
  /** It is a link. */
  readonly link?: true;
}

/** An entry of a folder with what a comparison of folders needs. */
export interface TreeEntry {
  readonly name: string;
  /** A link is a `link`, unless links are followed; `other` is a pipe, a device or a socket. */
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  readonly bytes: Bytes;
  /** As in FileVersion. */
  readonly version: string;
  readonly modifiedAt: EpochMs;
  readonly executable: boolean;
  /** The same for two paths that lead to one file or folder. */
  readonly identity: string;
}

/** A digest of bytes, by its name. */
export type DigestName = 'md5' | 'sha256';

/** Files that must survive a crash. Every failure is local-file (14) and names the file. */
export interface DurableFiles {
  /** Follows symbolic links and says what is there. Opens nothing. */
  resolve(path: string): Promise<ResolvedPath>;
  /** The absolute form of a path; symbolic links are not followed. */
  absolute(path: string): string;
  /** Undefined when there is no such file. */
  size(path: string): Promise<Bytes | undefined>;
  /** Returns undefined when there is no file, and for anything that is not a regular file. */
  describe(path: string): Promise<FileVersion | undefined>;
  /** The names in a folder and what they lead to, in no particular order; none when there is no such folder. */
  entries(folder: string): Promise<readonly FolderEntry[]>;
  /** Creates a folder and its missing parents, unless it exists. */
  makeFolder(path: string): Promise<void>;
  /**
   * Reads the bytes in chunks; `-` is stdin. With an offset, also 0, it reads from there on, and fails for anything but a
   * regular file: a pipe has no offsets, and one in the place of a file of berth would never end. Fails with usage (2) when
   * stdin is a terminal.
   */
  read(path: string, from?: Bytes): AsyncIterable<Uint8Array>;
  /**
   * Creates a file and flushes its directory entry to disk. `mode` are its permissions before the mask of the process, by
   * default 0600. Fails when the file exists.
   */
  create(path: string, mode?: number): Promise<AppendFile>;
  /** Opens an existing file. */
  open(path: string): Promise<AppendFile>;
  /** Opens a file, which is created with these permissions, before the mask of the process, where there is none. Keeps what is in it. */
  openRanges(path: string, mode: number): Promise<RangeWriter>;
  /** Renames `from` to `to`, replacing what was there, and flushes that to disk. */
  replace(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  /**
   * Takes a lock and returns a function that releases it. A lock of a dead holder is taken over. Fails when the holder
   * is alive, and names its pid and host. `files` are the files that only the holder writes. Until the release, every
   * change fails when another process has taken the lock over.
   */
  lock(path: string, files?: readonly string[]): Promise<() => Promise<void>>;
  /** This process, as others see it where it holds a lock. */
  self(): LockHolder;
  /** The process that holds a lock; undefined when nobody does. For a holder on another machine this takes seconds. */
  holder(path: string): Promise<LockHolder | undefined>;
}

/** A file whose ranges are written in any order. Every failure is local-file (14) and names the file. */
export interface RangeWriter {
  write(bytes: Uint8Array, at: Bytes): Promise<void>;
  /** Flushes to disk what was written. */
  sync(): Promise<void>;
  /** Cuts what is beyond this size, sets the time of modification where one is given, and flushes all to disk. */
  finish(bytes: Bytes, modifiedAt: EpochMs | undefined): Promise<void>;
  close(): Promise<void>;
}

/**
 * A file of this process alone: it has no name, so it is gone when it is closed, and when the process ends in any way. Every
 * failure is local-file (14).
 */
export interface UnnamedFile {
  write(bytes: Uint8Array, at: Bytes): Promise<void>;
  /** The bytes from `start` up to, but not including, `end`; fails where there are fewer. */
  read(start: Bytes, end: Bytes): Promise<Buffer>;
  close(): Promise<void>;
}

/** Items in order, to be read once. What they keep on the disk ends with the last of them, or with `close`. */
export interface SortedItems<T> extends AsyncIterable<T> {
  close(): Promise<void>;
}

/** Files that are written and read in ranges, several at once. Every failure is local-file (14) and names the file. */
export interface RangeFiles extends DurableFiles {
  /**
   * The digests of a range of a regular file, in the order of their names. They are computed beside this thread. Fails when the
   * file has fewer bytes.
   */
  digests(path: string, start: Bytes, end: Bytes, names: readonly DigestName[]): Promise<readonly Buffer[]>;
  /**
   * The entries of a folder, in no particular order. With `followLinks`, a link is what it leads to; one that leads nowhere stays a link. A file whose
   * name is not UTF-8 is `other`. Fails where there is no such folder, and where it cannot be read.
   */
  contents(folder: string, followLinks: boolean): AsyncIterable<TreeEntry>;
  /** Makes a file in the system's folder for temporary files. */
  openUnnamed(): Promise<UnnamedFile>;
  /** What is at a path; a link where one is, unless it is followed. Undefined where nothing is. */
  lookAt(path: string, followLink?: boolean): Promise<TreeEntry | undefined>;
  /** Sets the time of modification of a file. */
  setTime(path: string, modifiedAt: EpochMs): Promise<void>;
  /** Removes a folder if nothing is in it; else it stays. */
  removeEmptyFolder(path: string): Promise<void>;
  /** What is free on the disk of a file, which need not exist; undefined where that is not known. */
  freeBytes(path: string): Promise<Bytes | undefined>;
}

/** What a copy makes of the entries of an archive; paths begin with the name of what is copied. */
export interface EntryChecks {
  /** Whether an entry is copied. Asked once for each. */
  takes(entry: Pick<TreeEntry, 'kind' | 'bytes'> & { readonly path: string }): boolean;
  /** An entry that was taken cannot be here; the others can. */
  fails(path: string, why: string): void;
}

/** What takes an archive. Fails with local-file (14), or with not-an-archive (7). */
export interface ArchiveInput {
  /** Resolves when more may be written. */
  write(bytes: Uint8Array): Promise<void>;
  /** The archive is complete: puts in place what was in it. */
  finish(): Promise<void>;
  /** The archive is not complete: leaves what is there as it was. */
  discard(): Promise<void>;
}

/** Files and folders as tar archives, which end with an empty file named `mark`. */
export interface Archives {
  /** Packs a file or a folder. A file that grows meanwhile is as it was at the start. Fails with local-file (14). */
  pack(path: string, mark: string, checks: EntryChecks): AsyncIterable<Uint8Array>;
  /**
   * Unpacks into a folder named `mark` beside the target, and then renames. A file goes into a folder as `name`; with `into`, a file,
   * or always, into one that is made.
   */
  unpack(
    target: string,
    options: EntryChecks & { readonly mark: string; readonly name: string; readonly into: 'file' | 'always' | '' },
  ): ArchiveInput;
  /** Does a work with a temporary folder. */
  withFolder(work: (folder: string) => Promise<void>): Promise<void>;
}

export interface LockHolder {
  readonly pid: number;
  readonly host: string;
}
