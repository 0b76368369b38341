import { realTurns } from '../../../src/host/lock/file-locks.ts';
import { fileStore as openFileStore, type Store, type Turns } from '../../../src/local/state/store.ts';
import { realLocks } from '../files/real-locks.ts';

/** A state in a file, as one process has it. */
export const fileStore = (path: string, turns: Turns = realTurns): Store => openFileStore(path, realLocks(), turns);

/** So short that a process loses the lock between two steps. */
export const SHORT_TURNS: Turns = {
  after: (_, work) => realTurns.after(1, work),
  pause: () => realTurns.pause(1),
};
