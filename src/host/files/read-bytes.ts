import { closeSync, constants, openSync, promises as fs } from 'node:fs';
import type { ReadableStream } from 'node:stream/web';
import { localFile, asError } from '../../core/failure.ts';

/** Bytes read at a time. */
export const CHUNK_BYTES = 256 * 1024;

/**
 * Yields the bytes of a file in chunks. A named pipe is opened without waiting for its writer: a blocking open cannot be
 * interrupted, and would keep the process from ending. An abort ends the read with the signal's reason. Fails as the
 * system does, and with local-file (14) for a socket.
 */
export async function* readBytes(path: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  signal.throwIfAborted();
  const stats = await fs.stat(path);
  if (stats.isSocket()) throw localFile(`cannot read ${path}: it is a socket`, 'Name a file or a pipe.');
  yield* stats.isFIFO() ? readPipe(path, signal) : readFile(path, signal);
}

async function* readPipe(path: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const { Socket } = await import('node:net');
  signal.throwIfAborted();
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const { Bun } = globalThis as Executable;
  if (Bun !== undefined) {
    try {
      yield* readStream(Bun.file(descriptor).stream(), signal);
    } finally {
      closeSync(descriptor);
    }
    return;
  }
  const pipe = new Socket({ fd: descriptor, readable: true, writable: false });
  const stop = (): void => {
    pipe.destroy(asError(signal.reason));
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const chunk of pipe) yield chunk as Uint8Array;
  } finally {
    signal.removeEventListener('abort', stop);
    pipe.destroy();
  }
}

/** What the single executable has besides Node's modules: its `net.Socket` gets nothing from a pipe that was opened as a file. */
interface Executable {
  readonly Bun?: { readonly file: (descriptor: number) => { readonly stream: () => ReadableStream<Uint8Array> } };
}

async function* readStream(stream: ReadableStream<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  let stop = (): void => undefined;
  const aborted = new Promise<undefined>((resolve) => {
    stop = () => {
      resolve(undefined);
    };
  });
  signal.addEventListener('abort', stop, { once: true });
  try {
    for (;;) {
      // A pending read does not end when its stream is cancelled.
      const value = await Promise.race([reader.read().then((read) => read.value), aborted]);
      signal.throwIfAborted();
      if (value === undefined) return;
      yield value;
    }
  } finally {
    signal.removeEventListener('abort', stop);
    await reader.cancel();
  }
}

async function* readFile(path: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const handle = await fs.open(path, 'r');
  try {
    for (;;) {
      signal.throwIfAborted();
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      const { bytesRead } = await handle.read(chunk, 0, CHUNK_BYTES, null);
      if (bytesRead === 0) return;
      yield chunk.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}
