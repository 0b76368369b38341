import { mkdirSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Failure, localFile } from '../core/failure.ts';
import { codeOf, reasonOf } from '../core/file-trouble.ts';
import { makeFolder } from '../core/folders.ts';
import type { State } from './state.ts';

/** Keeps the one state. */
export interface Store {
  /**
   * One step on the state, alone with it; `fresh` makes the first one. Saved when the step returns and has changed
   * anything; where it throws, not saved. Fails with local-file (14) where there is a file and it cannot be read, locked or written.
   */
  transact<T>(fresh: () => State, step: (state: State) => T): Promise<T>;
  /** Puts a state in place of the one there is, whatever that is. Fails with local-file (14). */
  replace(state: State): Promise<void>;
}

/** A state that lives as long as the service. */
export function memoryStore(initial?: State): Store {
  let state = initial;
  return {
    // Async, so that what a step throws rejects, as with a file.
    transact: async (fresh, step) => step((state ??= fresh())),
    replace: (next) => {
      state = next;
      return Promise.resolve();
    },
  };
}

/**
 * A state in a file of mode 0600. Each step locks it, reads it, and writes it whole beside the old one before it takes
 * its place: processes on the same file take turns, and a crash leaves the state before the step or after it.
 */
export function fileStore(path: string): Store {
  let last: Promise<unknown> = Promise.resolve();
  /** Steps of this process queue up here; only its first one competes for the lock with other processes. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work, work);
    last = turn.catch(() => undefined);
    return turn;
  };
  return {
    transact: (fresh, step) =>
      inTurn(() =>
        locked(path, async () => {
          const text = await read(path);
          const state = text === undefined ? fresh() : decode(path, text);
          const result = step(state);
          const changed = JSON.stringify(state);
          if (text === undefined || !sameBut(text, changed)) await write(path, changed);
          return result;
        }),
      ),
    replace: (state) => inTurn(() => locked(path, () => write(path, JSON.stringify(state)))),
  };
}

const START_OVER = 'Start over with: berth local reset';

async function locked<T>(path: string, work: () => Promise<T>): Promise<T> {
  const { lock } = await import('proper-lockfile');
  let release: () => Promise<void>;
  try {
    makeFolder({ mkdirSync, statSync, dirname }, dirname(path), 0o700);
    release = await lock(path, {
      realpath: false,
      // Steps take milliseconds: what is older was left behind by a process that was killed.
      stale: 5000,
      // Taken over by another process while this one was held up. The file is whole either way: the last writer counts.
      onCompromised: () => undefined,
      retries: { retries: 400, factor: 1.2, minTimeout: 5, maxTimeout: 100, randomize: true },
    });
  } catch (error) {
    throw error instanceof Failure ? error : unlockable(path, error);
  }
  try {
    return await work();
  } finally {
    // A lock that is gone was taken over as stale; there is nothing left to give back.
    await release().catch(() => undefined);
  }
}

const unlockable = (path: string, error: unknown): Failure =>
  codeOf(error) === 'ELOCKED'
    ? localFile(`another berth is at work on the local service's state ${path}`, 'Try again.', error)
    : localFile(
        `cannot lock the local service's state ${path}: ${reasonOf(error)}`,
        'Check the permissions of its directory and the room on the disk. BERTH_DATA_DIR names another.',
        error,
      );

async function read(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw localFile(`cannot read the local service's state ${path}: ${reasonOf(error)}`, undefined, error);
  }
}

function decode(path: string, text: string): State {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw localFile(`the local service's state is not JSON: ${path}`, START_OVER, error);
  }
  const version = typeof value === 'object' && value !== null ? (value as { version?: unknown }).version : undefined;
  if (version === undefined) throw localFile(`the local service's state is not one: ${path}`, START_OVER);
  if (version !== 3) throw localFile(`the local service's state is of another version of berth: ${path}`, START_OVER);
  return value as State;
}

async function write(path: string, text: string): Promise<void> {
  try {
    const { default: writeFileAtomic } = await import('write-file-atomic');
    // Not synced to the disk: what a power cut may take is a play state, and every command would pay for it.
    await writeFileAtomic(path, text, { mode: 0o600, fsync: false });
  } catch (error) {
    throw localFile(`cannot write the local service's state ${path}: ${reasonOf(error)}`, undefined, error);
  }
}

/** True where two states differ in nothing but the moments they were brought up to: whatever is due comes due again. */
function sameBut(one: string, other: string): boolean {
  const moments = /"asOf":\d+/g;
  return one.length === other.length && one.replace(moments, '') === other.replace(moments, '');
}
