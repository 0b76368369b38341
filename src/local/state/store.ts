import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure, localFile } from '../../core/failure.ts';
import { errorReason } from '../../core/file-errors.ts';
import { makeDirectory } from '../../core/make-directory.ts';
import type { FileLocks, HeldLock } from '../../core/locks.ts';
import { Problem } from '../contract/problem.ts';
import { openStateFile, type StateFile } from './file/state-file.ts';
import type { FileSystem } from './file/file-system.ts';
import type { State } from './state.ts';

/** Keeps the one state. */
export interface Store {
  /**
   * One step on the state, alone with it; `fresh` makes the first one. Saved when the promise is kept and the step has
   * changed anything. A step that throws is not saved; a Problem it throws before it changes anything. Fails with
   * local-file (14) where there is a file and it cannot be read, locked or written.
   */
  transact<T>(fresh: () => State, step: (state: State) => T): Promise<T>;
  /**
   * Puts a state in place of the one there is, which `make` is given where there is one that can be read. Fails with
   * local-file (14).
   */
  replace(make: (previous: State | undefined) => State): Promise<void>;
}

/** A state that lives as long as the service. */
export function memoryStore(initial?: State): Store {
  let state = initial;
  return {
    // Async, so that what a step throws rejects, as with a file.
    transact: async (fresh, step) => step((state ??= fresh())),
    replace: (make) => {
      state = make(state);
      return Promise.resolve();
    },
  };
}

/** How long other processes may take for their turns. Milliseconds. */
const WAIT_MS = 30_000;

/** Makes the folder of a state where there is none, and takes its lock. Fails with local-file (14). */
async function lockState(path: string, locks: FileLocks): Promise<HeldLock> {
  const subject = `the local service's state ${path}`;
  try {
    makeDirectory({ mkdirSync, statSync, dirname }, dirname(path), 0o700);
    return await locks.take(`${path}.lock`, { subject, waitMs: WAIT_MS });
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw localFile(
      `cannot lock ${subject}: ${errorReason(error)}`,
      'Check the permissions of its directory and the room on the disk. BERTH_DATA_DIR names another.',
      error,
    );
  }
}

/** A step that waits for its turn. */
interface Turn {
  /** Takes the step, and gives what tells its caller. */
  take(): () => void;
  refuse(error: unknown): void;
}

/** So many times this process saves in a row before others get the lock. */
const SAVES_IN_A_ROW = 8;

/**
 * A state in files of mode 0600: see `openStateFile`. Processes on the same file take turns by a lock. The steps that
 * have come by the time it is had, or while others were saved, are taken together and saved at once; each caller hears
 * of its step when it is saved.
 */
export function fileStore(path: string, locks: FileLocks, system?: FileSystem): Store {
  const file = openStateFile(path, system);
  let waiting: Turn[] = [];
  let working = false;

  /** False where the files gave trouble: the lock may be another's by now. */
  const takeTogether = async (turns: readonly Turn[], lock: HeldLock): Promise<boolean> => {
    try {
      const tell = turns.map((turn) => turn.take());
      await file.save(lock.folder);
      for (const each of tell) each();
      return true;
    } catch (error) {
      file.forget();
      if (error instanceof Failure || turns.length === 1) {
        for (const turn of turns) turn.refuse(error);
        return !(error instanceof Failure);
      }
      // A step that broke may have changed something first: all are taken anew, each alone, from the state in the file.
      for (const turn of turns) await takeTogether([turn], lock);
      return true;
    }
  };

  const allWaiting = (): readonly Turn[] => {
    const turns = waiting;
    waiting = [];
    return turns;
  };

  const work = async (): Promise<void> => {
    working = true;
    while (waiting.length > 0) {
      try {
        const lock = await lockState(path, locks);
        try {
          file.look();
          for (let saves = 0; saves < SAVES_IN_A_ROW && waiting.length > 0; saves++)
            if (!(await takeTogether(allWaiting(), lock))) break;
        } finally {
          lock.release();
        }
      } catch (error) {
        for (const turn of allWaiting()) turn.refuse(error);
      }
    }
    working = false;
  };

  const inTurn = <T>(step: () => T): Promise<T> =>
    new Promise((resolve, reject) => {
      const take = (): (() => void) => {
        try {
          const result = step();
          return () => {
            resolve(result);
          };
        } catch (error) {
          if (!(error instanceof Problem)) throw error;
          return () => {
            reject(error);
          };
        }
      };
      waiting.push({ take, refuse: reject });
      if (!working) void work();
    });

  return {
    transact: (fresh, step) => inTurn(() => step(file.state(fresh))),
    replace: (make) =>
      inTurn(() => {
        file.put(make(readable(file)));
      }),
  };
}

/** The state of a file; undefined where there is none, or none that can be read. */
function readable(file: StateFile): State | undefined {
  try {
    return file.state(() => {
      throw new Problem(404, 'Not Found', 'no state');
    });
  } catch {
    return undefined;
  }
}
