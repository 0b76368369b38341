import type { Bytes } from '../unit-types.ts';

/** A file or object as it was when it was listed, described or written. */
export interface StoredObject {
  /** A path, or `s3://bucket/key`. */
  readonly address: string;
  readonly bytes: Bytes;
  /** Another value means another content: the ETag of an object; modification time and size of a file. */
  readonly version: string;
}

/**
 * Files and objects by address: a path, or `s3://bucket/key`. Every failure names the address. Failures of files are
 * local-file (14); those of object storage have the exit codes of the service's other requests. A `signal` ends requests to
 * object storage in place of the user's interrupt: with another signal, they go on after an interrupt.
 */
export interface ObjectStorage {
  /**
   * Yields the objects that match a glob, or, without wildcards, whose address begins with the pattern, in ascending
   * order of the bytes of the address. `*` matches no slash, `**` matches any text. Nothing below a missing folder.
   */
  list(pattern: string, signal?: AbortSignal): AsyncIterable<StoredObject>;
  /** Returns undefined when there is no such object. */
  describe(address: string, signal?: AbortSignal): Promise<StoredObject | undefined>;
  /**
   * Yields the bytes from `start` up to, but not including, `end`; by default all bytes. Fails with local-file (14) when
   * the object was changed or removed: none of the bytes that were yielded is of the changed object.
   */
  read(object: StoredObject, start?: Bytes, end?: Bytes, signal?: AbortSignal): AsyncIterable<Uint8Array>;
  /**
   * Writes an object that appears whole or not at all, and replaces one that was there. Creates missing folders. Returns
   * what was written, after its size and checksum were compared.
   */
  write(address: string, chunks: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<StoredObject>;
  /**
   * Creates an object of a few bytes unless there is one. Returns false when there is one already, also when another program
   * created it at the same moment.
   */
  create(address: string, content: Uint8Array, signal?: AbortSignal): Promise<boolean>;
  /** Succeeds also when there is no such object. */
  remove(address: string, signal?: AbortSignal): Promise<void>;
}

export interface StorageOptions {
  /** Base address of an S3-compatible service, as `--s3-endpoint` gives it; by default AWS_ENDPOINT_URL_S3 and so on. */
  readonly s3Endpoint?: string | undefined;
  /** Lets requests wait for new credentials in place of expired ones. Without it they fail with denied (3). */
  readonly credentialWait?: CredentialWait | undefined;
}

/** Follows whether requests wait for new credentials. */
export interface CredentialWait {
  /** Called when requests begin to wait, when the reason changes, and each minute. `reason` names no secret. */
  readonly onWait: (reason: string) => void;
  /** Called when the service has accepted new credentials, or the same ones again. */
  readonly onEnd: () => void;
}
