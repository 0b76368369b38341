import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import workerRunner from '../../../workers/berth_worker.py';
import { localFile } from '../../core/failure.ts';
import type { Installation } from '../runtime/runtime.ts';

/** All of it is in memory, and it starts itself without further arguments. */
export const executable: Installation = {
  workerRunner: () => {
    try {
      // In a new directory that only this user can read and that is removed on exit.
      const folder = mkdtempSync(join(tmpdir(), 'berth-'));
      process.once('exit', () => {
        rmSync(folder, { recursive: true, force: true });
      });
      const file = join(folder, 'berth_worker.py');
      writeFileSync(file, workerRunner, { mode: 0o600 });
      return file;
    } catch (error) {
      const reason = 'the worker for Python files cannot be written to the directory for temporary files';
      throw localFile(reason, 'Check that it exists and has space, or set TMPDIR to another one.', error);
    }
  },
  holdProgram: () => undefined,
  startArguments: [],
};
