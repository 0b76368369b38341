import { close, fdatasync, fstatSync, ftruncateSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import type { RangeWriter } from '../../core/file-ports.ts';
import { wrapErrors } from './user-files.ts';

export const rangeWriter = (path: string, descriptor: number): RangeWriter => ({
  // Synchronous: faster than starting another thread.
  write: (bytes, at) =>
    wrapErrors(`cannot write ${path}`, async () => {
      // A write may be short, for example when the disk is full: the next one then fails with the reason.
      for (let done = 0; done < bytes.byteLength;)
        done += writeSync(descriptor, bytes, done, bytes.byteLength - done, at + done);
    }),
  sync: () => wrapErrors(`cannot sync ${path}`, () => promisify(fdatasync)(descriptor)),
  finish: (bytes) =>
    wrapErrors(`cannot write ${path}`, async () => {
      if (fstatSync(descriptor).size !== bytes) ftruncateSync(descriptor, bytes);
      await promisify(fdatasync)(descriptor);
    }),
  close: () => wrapErrors(`cannot close ${path}`, () => promisify(close)(descriptor)),
});
