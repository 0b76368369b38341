import type { FileLocks } from '../../../src/core/files.ts';
import { realClock } from '../../../src/host/runtime/runtime.ts';
import { createFileLocks } from '../../../src/host/lock/file-locks.ts';

/** File locks between real processes, on the real clock. */
export const realLocks = (): FileLocks => createFileLocks({ clock: realClock });
