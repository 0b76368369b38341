import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure, localFile } from '../../../core/failure.ts';
import { errorReason, type FileLocks, type HeldLock, makeDirectory } from '../../../core/files.ts';
import { Problem } from '../../contract/problem.ts';
import type { PartCodec } from './codec.ts';
import type { FileSystem } from './file-system.ts';
import { openStateFile, type StateFile } from './state-file.ts';
import type { State } from '../state.ts';
import type { Milliseconds } from '../../../core/unit-types.ts';

export interface Store {
  /** A step must throw before any change. A failed save drops all its steps. Fails with local-file (14). */
  transact<T>(create: () => State, step: (state: State) => T, onDropped?: () => void): Promise<T>;
  /** `previous` is undefined when it cannot be read. Fails with local-file (14). */
  replace(make: (previous: State | undefined) => State): Promise<void>;
  /** Resolves when the steps so far have ended and the lock is released. Never rejects. */
  idle(): Promise<void>;
}

/** Lost when the service stops. */
export function memoryStore(initial?: State): Store {
  let state = initial;
  return {
    // Async, so that what a step throws rejects, as with a file.
    transact: async (create, step) => step((state ??= create())),
    replace: (make) => {
      state = make(state);
      return Promise.resolve();
    },
    idle: () => Promise.resolve(),
  };
}

/** Refuses an unusable file before the service starts. Fails as `transact`; nothing without a state. */
export async function checkState(store: Store): Promise<void> {
  const none = new Error('there is no state');
  const create = (): State => {
    throw none;
  };
  await store
    .transact(create, () => undefined)
    .catch((error: unknown) => {
      if (error !== none) throw error;
    });
}

const LOCK_TIMEOUT_MS: Milliseconds = 30_000;

async function lockState(path: string, locks: FileLocks): Promise<HeldLock> {
  const subject = `the local service's state ${path}`;
  try {
    makeDirectory({ mkdirSync, statSync, dirname }, dirname(path), 0o700);
    return await locks.take(`${path}.lock`, { subject, waitMs: LOCK_TIMEOUT_MS, files: [path] });
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw localFile(
      `cannot lock ${subject}: ${errorReason(error)}`,
      'Check the permissions of its directory and the free space on the disk. BERTH_DATA_DIR names another.',
      error,
    );
  }
}

interface PendingStep {
  /** Returns the function that settles its promise. */
  run(): () => void;
  drop(): void;
  reject(error: unknown): void;
}

/** Then other processes can take the lock. */
const MAX_SAVES_PER_LOCK = 8;

/** Waiting steps run as one batch and are saved together; each promise settles after the save. */
export function createStateStore(
  path: string,
  locks: FileLocks,
  codecs: readonly PartCodec[],
  system?: FileSystem,
): Store {
  const file = openStateFile(path, codecs, system);
  let pending: PendingStep[] = [];
  let draining: Promise<void> | undefined;

  /** Returns false when the files failed: another process may have the lock by now. */
  const runBatch = async (steps: readonly PendingStep[], lock: HeldLock): Promise<boolean> => {
    try {
      const settle = steps.map((step) => step.run());
      await file.save(lock);
      for (const each of settle) each();
      return true;
    } catch (error) {
      file.forget();
      // The latest first: a step may have changed what an earlier one has left.
      for (const step of [...steps].reverse()) step.drop();
      if (error instanceof Failure || steps.length === 1) {
        for (const step of steps) step.reject(error);
        return !(error instanceof Failure);
      }
      // The step that threw may have changed something: run each step again, alone, on the saved state.
      for (const step of steps) await runBatch([step], lock);
      return true;
    }
  };

  const runBatches = async (lock: HeldLock): Promise<void> => {
    for (let saves = 0; saves < MAX_SAVES_PER_LOCK && pending.length > 0;) {
      file.open();
      try {
        for (; saves < MAX_SAVES_PER_LOCK && pending.length > 0; saves++)
          if (!(await runBatch(takePending(), lock))) return;
      } finally {
        // Keeps the lock for what follows at once on an answer, such as the second step of a request.
        await file.close();
      }
    }
  };

  const takePending = (): readonly PendingStep[] => {
    const steps = pending;
    pending = [];
    return steps;
  };

  /** Never rejects. */
  const drain = async (): Promise<void> => {
    while (pending.length > 0) {
      try {
        const lock = await lockState(path, locks);
        try {
          await runBatches(lock);
        } finally {
          lock.release();
        }
      } catch (error) {
        for (const step of takePending()) step.reject(error);
      }
    }
    draining = undefined;
  };

  const enqueue = <T>(step: () => T, drop: () => void = () => undefined): Promise<T> =>
    new Promise((resolve, reject) => {
      const run = (): (() => void) => {
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
      pending.push({ run, drop, reject });
      draining ??= drain();
    });

  return {
    transact: (create, step, onDropped) => enqueue(() => step(file.state(create)), onDropped),
    replace: (make) =>
      enqueue(() => {
        file.replace(make(readableState(file)));
      }),
    idle: () => draining ?? Promise.resolve(),
  };
}

/** Undefined also when it cannot be read. */
function readableState(file: StateFile): State | undefined {
  try {
    return file.state(() => {
      throw new Problem(404, 'Not Found', 'no state');
    });
  } catch {
    return undefined;
  }
}
