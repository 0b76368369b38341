import { constants, openSync, promises as fs } from 'node:fs';
import { localFile } from '../../core/failure.ts';

/** Bytes read at a time. */
const PIECE = 256 * 1024;

/**
 * The bytes of a file in pieces. A named pipe is opened without waiting for its other end: a read that waits in the
 * system could not be ended, and would keep the process from ending. An abort ends it with the signal's reason.
 * Fails as the system does, and with local-file (14) for a socket.
 */
export async function* readBytes(path: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  signal.throwIfAborted();
  const found = await fs.stat(path);
  if (found.isSocket()) throw localFile(`cannot read ${path}: it is a socket`, 'Name a file or a pipe.');
  yield* found.isFIFO() ? readPipe(path, signal) : readFile(path, signal);
}

async function* readPipe(path: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const { Socket } = await import('node:net');
  signal.throwIfAborted();
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const pipe = new Socket({ fd: descriptor, readable: true, writable: false });
  const stop = (): void => {
    pipe.destroy(signal.reason as Error);
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const piece of pipe) yield piece as Uint8Array;
  } finally {
    signal.removeEventListener('abort', stop);
    pipe.destroy();
  }
}

async function* readFile(path: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const handle = await fs.open(path, 'r');
  try {
    for (;;) {
      signal.throwIfAborted();
      const piece = Buffer.allocUnsafe(PIECE);
      const { bytesRead } = await handle.read(piece, 0, PIECE, null);
      if (bytesRead === 0) return;
      yield piece.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

/** All bytes of a source, or undefined where there are more than `most`: it is read no further then. */
export async function collect(pieces: AsyncIterable<Uint8Array>, most: number): Promise<Buffer | undefined> {
  const kept: Uint8Array[] = [];
  let size = 0;
  for await (const piece of pieces) {
    size += piece.byteLength;
    if (size > most) return undefined;
    kept.push(piece);
  }
  return Buffer.concat(kept);
}
