import { randomUUID } from 'node:crypto';
import { close, constants, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { localFile } from '../../core/failure.ts';
import type { UnnamedFile } from '../../core/ports/files.ts';
import { wrapErrors } from './wrap-errors.ts';

/** Opens a file in the system's folder for temporary files, and takes its name away: see `UnnamedFile`. */
export async function openUnnamed(): Promise<UnnamedFile> {
  const folder = tmpdir();
  const descriptor = await wrapErrors(`cannot create a temporary file in ${folder}`, async () => {
    const path = join(folder, `berth-${randomUUID()}`);
    const opened = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600);
    unlinkSync(path);
    return opened;
  });
  return {
    // Synchronous: the system takes the bytes faster than another thread would be started.
    write: (bytes, at) =>
      wrapErrors(`cannot write a temporary file in ${folder}`, async () => {
        for (let done = 0; done < bytes.byteLength;)
          done += writeSync(descriptor, bytes, done, bytes.byteLength - done, at + done);
      }),
    read: (start, end) =>
      wrapErrors(`cannot read a temporary file in ${folder}`, async () => {
        const bytes = Buffer.allocUnsafe(end - start);
        for (let done = 0; done < bytes.byteLength;) {
          const count = readSync(descriptor, bytes, done, bytes.byteLength - done, start + done);
          if (count === 0) throw localFile(`a temporary file in ${folder} became shorter`);
          done += count;
        }
        return bytes;
      }),
    close: () => wrapErrors(`cannot close a temporary file in ${folder}`, () => promisify(close)(descriptor)),
  };
}
