import { close, fdatasync, fstatSync, ftruncateSync, futimesSync, statfsSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import type { RangeWriter } from '../../../core/file-ports.ts';
import { fileTime, wrapErrors } from '../user-files.ts';
import type { Bytes } from '../../../core/unit-types.ts';

export const rangeWriter = (path: string, descriptor: number): RangeWriter => ({
  // Synchronous: faster than starting another thread.
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

/** Undefined where the system does not say it. */
export function freeBytes(path: string): Bytes | undefined {
  try {
    const { bavail, bsize } = statfsSync(dirname(path));
    return bavail * bsize;
  } catch {
    return undefined;
  }
}
