import { writeSync } from 'node:fs';
import { Writable } from 'node:stream';

/** `fs.writeSync` as used here: gives the number of bytes taken, which may be fewer than were offered. */
export type WriteSome = (descriptor: number, bytes: Uint8Array, offset: number) => number;

/**
 * An output that is a file. Node's own stream for it takes a short write for a whole one, so that on a disk that fills
 * up the end of the output would be lost without a word; this one writes on until all is taken or the disk refuses.
 */
export function fileOutput(descriptor: number, write: WriteSome = writeSync): Writable {
  return new Writable({
    decodeStrings: true,
    write: (chunk: Uint8Array, _encoding, done) => {
      try {
        for (let at = 0; at < chunk.byteLength;) at += write(descriptor, chunk, at);
        done();
      } catch (error) {
        done(error as Error);
      }
    },
  });
}
