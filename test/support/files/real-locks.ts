import type { FileLocks } from '../../../src/core/locks.ts';
import { realClock } from '../../../src/host/clock.ts';
import { createFileLocks } from '../../../src/host/lock/file-locks.ts';

/** Locks between real processes, in real time. */
export const realLocks = (): FileLocks => createFileLocks({ clock: realClock });
