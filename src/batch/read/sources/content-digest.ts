import { createHash, type Hash } from 'node:crypto';
import type { StoredObject } from '../../../core/context.ts';
import { inputChanged } from '../fingerprint.ts';
import type { SourcePorts } from './input-source.ts';

/** Whether the version of an object is enough to detect a change: a file can have the same version on two machines. */
export const hasExactVersion = (address: string): boolean => address.startsWith('s3://');

/** Hashes a stream range by range, while it is read. */
export interface RangeHash {
  /** Passes the chunks through. They are kept until `advance` passes them: a parser reads ahead. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Adds the bytes up to this offset, counted from the first chunk, to the range; by default all that were read. */
  advance(offset?: number): void;
  /** Returns the digest of the range and begins the next one, whose digest begins with `prefix`. */
  digest(prefix: Uint8Array): string;
}

export function hashRanges(chunks: AsyncIterable<Uint8Array>): RangeHash {
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
    digest: (prefix) => {
      const digest = hash.digest('hex');
      hash = createHash('sha256').update(prefix);
      return digest;
    },
  };
}

/** Returns the digest of chunks. Fails as reading them does. */
export async function digestOf(...parts: readonly AsyncIterable<Uint8Array>[]): Promise<string> {
  const hash = createHash('sha256');
  for (const chunks of parts) for await (const chunk of chunks) hash.update(chunk);
  return hash.digest('hex');
}

/**
 * Returns the object as it can be read now. A file may have another version, when it was copied to another machine: its
 * content is compared by digests. Fails with local-file (14) when it is missing or has another size.
 */
export async function currentObject({ storage, signal }: SourcePorts, object: StoredObject): Promise<StoredObject> {
  if (hasExactVersion(object.address)) return object;
  const found = await storage.describe(object.address, signal);
  if (found?.bytes !== object.bytes) throw inputChanged(object.address);
  return found;
}

/** Returns all bytes of chunks. Fails as reading them does. */
export async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}

/**
 * Returns a function that compares the whole content of an object with a digest, once, and returns the object as it can be
 * read now. It fails with local-file (14) when the content is another one.
 */
export function verifyOnce(ports: SourcePorts, object: StoredObject): (digest: string) => Promise<StoredObject> {
  const { storage, signal } = ports;
  let verified: StoredObject | undefined;
  return async (digest) => {
    const current = await currentObject(ports, object);
    if (hasExactVersion(object.address) || verified?.version === current.version) return current;
    if ((await digestOf(storage.read(current, 0, current.bytes, signal))) !== digest)
      throw inputChanged(object.address);
    return (verified = current);
  };
}
