import { close, fdatasync, fstatSync, ftruncateSync, futimesSync, statfsSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import type { RangeWriter } from '../../../core/ports/files.ts';
import { fileTime } from '../file-time.ts';
import { wrapErrors } from '../wrap-errors.ts';
import type { Bytes } from '../../../core/unit-types.ts';

/** Writes ranges of an open file. `path` is its name for messages. */
export const rangeWriter = (path: string, descriptor: number): RangeWriter => ({
  // Synchronous: the system takes the bytes faster than another thread would be started.
  write: (bytes, at) =>
    wrapErrors(`cannot write ${path}`, async () => {
      // A write may be short, for example when the disk is full: the next one then fails with the reason.
      for (let done = 0; done < bytes.byteLength;)
        done += writeSync(descriptor, bytes, done, bytes.byteLength - done, at + done);
    }),
  sync: () => wrapErrors(`cannot sync ${path}`, () => promisify(fdatasync)(descriptor)),
  finish: (bytes, modifiedAt) =>
    wrapErrors(`cannot write ${path}`, async () => {
      if (fstatSync(descriptor).size !== bytes) ftruncateSync(descriptor, bytes);
      await promisify(fdatasync)(descriptor);
      if (modifiedAt !== undefined) futimesSync(descriptor, fileTime(modifiedAt), fileTime(modifiedAt));
    }),
  close: () => wrapErrors(`cannot close ${path}`, () => promisify(close)(descriptor)),
});

/** What is free on the disk of a path; undefined where the system does not say it. */
export function freeBytes(path: string): Bytes | undefined {
  try {
    const { bavail, bsize } = statfsSync(dirname(path));
    return bavail * bsize;
  } catch {
    return undefined;
  }
}
