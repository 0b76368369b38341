import { collectBytes } from '../../core/files/byte-streams.ts';
import { createHash, type Hash } from 'node:crypto';
import type { DurableFiles, StoredObject } from '../../core/context.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, localFile } from '../../core/failure.ts';
import type { SourcePorts } from './input-source.ts';

/**
 * Returns the chunks of an input until the signal is aborted: reading a large input before the first request can take
 * long. Fails with the signal's reason, and as reading the file does.
 */
export async function* readUntilAborted(
  durable: DurableFiles,
  path: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of durable.read(path)) {
    if (signal.aborted) throw signal.reason;
    yield chunk;
  }
}

/** Whether the version of an object is enough to detect a change: a file can have the same version on two machines. */
export const hasExactVersion = (address: string): boolean => address.startsWith('s3://');

/** From an offset up to, but not including, another one. Bytes. */
export type ByteRange = readonly [start: number, end: number];

/** The content of an input, which must be what was planned. `name` is the name of the input in messages. */
export function openContent({ storage, signal }: SourcePorts, object: StoredObject, name: string) {
  const isExact = hasExactVersion(object.address);
  let current = object;
  /** The version and the digest of what was compared last: ranges of one file can have the same digest. */
  let compared: string | undefined;
  const describe = (): Promise<StoredObject | undefined> => storage.describe(object.address, signal);

  async function* read(start: number, end: number): AsyncGenerator<Uint8Array> {
    try {
      yield* storage.read(current, start, end, signal);
    } catch (error) {
      const mayBeChanged = !isExact && error instanceof Failure && error.exit === EXIT.localFile;
      throw mayBeChanged && (await describe())?.version !== current.version ? inputChanged(name) : error;
    }
  }
  const digestOf = async (...parts: readonly ByteRange[]): Promise<string> => {
    if (isExact) return '';
    const hash = createHash('sha256');
    for (const [start, end] of parts) for await (const chunk of read(start, end)) hash.update(chunk);
    return hash.digest('hex');
  };
  const refresh = async (): Promise<boolean> => {
    if (isExact) return true;
    const found = await describe();
    if (found?.bytes !== object.bytes) return false;
    current = found;
    return true;
  };
  const matches = async (digest: string, ...parts: readonly ByteRange[]): Promise<boolean> => {
    if (isExact) return (await describe())?.version === object.version;
    if (!(await refresh())) return false;
    const key = `${current.version} ${digest}`;
    if (compared === key) return true;
    if ((await digestOf(...parts)) !== digest) return false;
    compared = key;
    return true;
  };
  return {
    /** Reads a part. Fails with local-file (14) when the input was changed: none of the bytes is of the changed one. */
    read,
    /** The digest of some parts; empty for an object. */
    digestOf,
    /** Finds the file as it can be read now. False when it is missing or has another size. */
    refresh,
    /** Whether some parts together have this digest; for an object, whether its version is still the same. */
    matches,
    /** Fails with local-file (14) unless some parts have this digest. An object is compared when it is read. */
    require: async (digest: string, ...parts: readonly ByteRange[]): Promise<void> => {
      if (!isExact && !(await matches(digest, ...parts))) throw inputChanged(name);
    },
  };
}

/** The failure (14) for an input that is no longer the one that was checked. */
export const inputChanged = (name: string): Failure =>
  localFile(
    `the input ${name} was changed after it was checked`,
    'No changed item was sent. Restore the input and resume, or begin a new batch with the items that are left.',
  );

interface HashedRanges {
  /** Passes the chunks through. They are kept until `advance` passes them: a parser reads ahead. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Adds the bytes up to this offset, counted from the first chunk, to the range; by default all that were read. */
  readonly advance: (offset?: number) => void;
  /** Returns the digest of the range and begins the next one, whose digest begins with `prefix`. */
  readonly digest: (prefix: Uint8Array) => string;
}

/** Hashes a stream range by range, while it is read. */
export function hashRanges(chunks: AsyncIterable<Uint8Array>): HashedRanges {
  let hash: Hash = createHash('sha256');
  const ahead: Uint8Array[] = [];
  let position = 0;
  return {
    chunks: (async function* () {
      for await (const chunk of chunks) {
        ahead.push(chunk);
        yield chunk;
      }
    })(),
    advance: (offset = Number.POSITIVE_INFINITY) => {
      while (position < offset) {
        const chunk = ahead.shift();
        if (chunk === undefined) return;
        const part = chunk.subarray(0, offset - position);
        hash.update(part);
        position += part.byteLength;
        if (part.byteLength < chunk.byteLength) ahead.unshift(chunk.subarray(part.byteLength));
      }
    },
    digest: (prefix): string => {
      const digest = hash.digest('hex');
      hash = createHash('sha256').update(prefix);
      return digest;
    },
  };
}

/** As `hashRanges`, for an input whose version is enough: its ranges have no digest. */
export const unhashed = (chunks: AsyncIterable<Uint8Array>): HashedRanges => ({
  chunks,
  advance: () => undefined,
  digest: () => '',
});

/** Returns all bytes of chunks. Fails as reading them does. */
export const collect = async (chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> =>
  (await collectBytes(chunks, Number.POSITIVE_INFINITY)) ?? new Uint8Array(0);
