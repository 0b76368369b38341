import { writeSync } from 'node:fs';
import { Writable } from 'node:stream';
import { asError } from '../../core/failure.ts';

/** `fs.writeSync`: returns the number of bytes written, which may be fewer than were offered. */
export type WriteSync = (descriptor: number, bytes: Uint8Array, offset: number) => number;

/**
 * A writable stream for output that goes to a file. Node's stream treats a short write as complete, so that the end of the
 * output is lost silently when the disk is full; this one continues until everything is written or a write fails.
 */
export function fileOutput(descriptor: number, write: WriteSync = writeSync): Writable {
  return new Writable({
    decodeStrings: true,
    write: (chunk: Uint8Array, _encoding, done) => {
      try {
        for (let at = 0; at < chunk.byteLength;) at += write(descriptor, chunk, at);
        done();
      } catch (error) {
        done(asError(error));
      }
    },
  });
}
