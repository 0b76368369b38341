import { EXIT } from '../../../../core/exit-codes.ts';
import { Failure } from '../../../../core/failure.ts';
import type { ReachablePod } from '../reach-pod.ts';
import { podPath, type SftpSession } from './sftp-session.ts';
import type { Bytes } from '../../../../core/unit-types.ts';

/** What one request carries: every server takes packets of this size. */
export const CHUNK_BYTES: Bytes = 31 * 1024;

/** How many requests of one file wait for their answers. */
export const REQUESTS_AT_ONCE = 64;

/** Opens a file of a pod, does a work with it, and closes it. */
export async function withOpen<T>(
  session: SftpSession,
  path: string,
  flags: 'r' | 'w' | 'r+',
  work: (handle: Buffer) => Promise<T>,
): Promise<T> {
  const handle = await session.ask<Buffer>(path, (client, done) => {
    client.open(path, flags, { mode: 0o600 }, done);
  });
  let result: T;
  try {
    result = await work(handle);
  } catch (error) {
    await session
      .act(path, (client, done) => {
        client.close(handle, done);
      })
      .catch(() => undefined);
    throw error;
  }
  // What was written may be refused as late as here.
  await session.act(path, (client, done) => {
    client.close(handle, done);
  });
  return result;
}

/** Reads a file of a pod from `start` to `end`, with several requests on their way. */
export async function* readRange(
  session: SftpSession,
  pod: ReachablePod,
  path: string,
  start: number,
  end: number,
): AsyncGenerator<Uint8Array> {
  if (start >= end) return;
  const handle = await session.ask<Buffer>(path, (client, done) => {
    client.open(path, 'r', done);
  });
  const readChunk = async (at: number): Promise<Uint8Array> => {
    const buffer = Buffer.alloc(Math.min(CHUNK_BYTES, end - at));
    // A server may send less than it was asked for.
    for (let filled = 0; filled < buffer.byteLength;) {
      const count = await session.ask<number>(path, (client, done) => {
        client.read(handle, buffer, filled, buffer.byteLength - filled, at + filled, done);
      });
      if (count === 0) throw shorter(pod, path);
      filled += count;
    }
    return buffer;
  };
  const running: Promise<Uint8Array>[] = [];
  try {
    for (let next = start; next < end || running.length > 0;) {
      for (; next < end && running.length < REQUESTS_AT_ONCE; next += CHUNK_BYTES) running.push(readChunk(next));
      const first = running.shift();
      if (first !== undefined) yield await first;
    }
  } finally {
    await Promise.allSettled(running);
    await session
      .act(path, (client, done) => {
        client.close(handle, done);
      })
      .catch(() => undefined);
  }
}

const shorter = (pod: ReachablePod, path: string): Failure =>
  new Failure({
    code: 'pod-file',
    exit: EXIT.refused,
    message: `${podPath(pod, path)} became shorter while it was read`,
    hint: 'Copy it when nothing writes to it.',
  });
