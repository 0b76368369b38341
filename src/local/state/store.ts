import { closeSync, constants, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Failure, localFile } from '../../core/failure.ts';
import { errorCode, errorHint, errorReason, type FileLocks, type HeldLock } from '../../core/files.ts';
import { isObject } from '../../core/json.ts';
import { makeDirectory, openRegular } from '../../core/regular-files.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import { recordsFrom, START_OVER, type State, STATE_VERSION } from './state.ts';

const PARTS = ',"parts":{';
const NEXT = ',\n';
const END = '\n}}\n';

/** Without times and rate windows: they only say when the state was last used. */
const lastingOf = ({ generation, clockOffsetMs, serial, parts }: State) => ({
  fields: [generation, clockOffsetMs, serial],
  parts: Object.entries(parts).map(([name, part]) => ({
    name,
    text: typeof part === 'string' ? part : JSON.stringify(part),
  })),
});

/** One JSON document. Each part is a line, so that one can be read alone. */
export function documentOf(state: State, { parts } = lastingOf(state)): string {
  const lines = parts.map(({ name, text }) => `"${name}":${text}`).join(NEXT);
  return `${JSON.stringify({ ...state, parts: undefined }).slice(0, -1)}${PARTS}\n${lines}${END}`;
}

/** With parts that are not read yet. Fails with local-file (14). */
export function parseState(path: string, text: string): State {
  const [head = ''] = text.split('\n', 1);
  const value = parsed(head.endsWith(PARTS) ? `${head}}}` : head);
  // Other programs write JSON with a version too, such as source maps.
  if (!isObject(value) || typeof value['version'] !== 'number' || typeof value['since'] !== 'number')
    throw localFile(`this is no state of the local service: ${path}`, START_OVER);
  if (value['version'] !== STATE_VERSION)
    throw localFile(`the local service's state is of another version of berth: ${path}`, START_OVER);
  if (!isObject(value['parts']) || !text.endsWith(END))
    throw localFile(`the local service's state is damaged: ${path}`, START_OVER);
  const parts = text
    .slice(head.length + 1, -END.length)
    .split(NEXT)
    .filter((line) => line !== '')
    .map((line) => {
      const nameEnd = line.indexOf('":');
      return [line.slice(1, nameEnd), line.slice(nameEnd + 2)] as const;
    });
  return { ...value, parts: recordsFrom(parts) } as unknown as State;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export interface Store {
  /** A step must throw before any change. Fails with local-file (14). */
  transact<T>(create: () => State, step: (state: State) => T): Promise<T>;
  /** `previous` is undefined when it cannot be read. Fails with local-file (14). */
  replace(make: (previous: State | undefined) => State): Promise<void>;
  /** Saves, at most once a turn. Fails with local-file (14). */
  flush(): Promise<void>;
  /** Saves and gives the lock back. Fails with local-file (14). */
  close(): Promise<void>;
}

interface FileStore extends Store {
  /** Fails as a step would, with local-file (14). */
  check(): Promise<void>;
}

export function memoryStore(initial?: State): Store {
  let state = initial;
  return {
    // Async, so that what a step throws rejects, as with a file.
    transact: async (create, step) => step((state ??= create())),
    replace: (make) => {
      state = make(state);
      return Promise.resolve();
    },
    flush: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}

/** Real time, because other processes wait for it. */
export interface Turns {
  /** Returns what cancels it. Does not keep the process running. */
  after(milliseconds: Milliseconds, work: () => void): () => void;
  pause(milliseconds: Milliseconds): Promise<void>;
}

/** Shorter than the second after which a waiting process looks less often. */
const TURN_MS: Milliseconds = 900;
/** Longer than the interval at which other processes look for the lock. */
const BETWEEN_TURNS_MS: Milliseconds = 60;
/** A larger state is saved in longer turns: a second more for each of these, and only at their end. Characters. */
const LARGE_STATE = 10_000_000;
const LOCK_TIMEOUT_MS: Milliseconds = 30_000;

const NOTHING_SAVED: ReturnType<typeof lastingOf> = { fields: [], parts: [] };

/** One document in one file: docs/decisions/0008. */
export function fileStore(path: string, locks: FileLocks, turns: Turns): FileStore {
  let lock: HeldLock | undefined;
  let opening: Promise<void> | undefined;
  let closing: Promise<void> | undefined;
  let endTurn = (): void => undefined;
  let rest: Promise<void> = Promise.resolve();
  let isFlushed = false;
  /** Of the last save: the steps since the one before are in memory only. */
  let failure: Failure | undefined;
  let state: State | undefined;
  let saved = NOTHING_SAVED;
  let identity = '';

  const savedLength = (): number => saved.parts.reduce((sum, { text }) => sum + text.length, 0);

  const forget = (): void => {
    state = undefined;
    saved = NOTHING_SAVED;
    failure = undefined;
  };

  const open = async (): Promise<void> => {
    await closing?.catch(() => undefined);
    await rest;
    lock = await lockState(path, locks);
    if (identityOf(path) !== identity) forget();
    isFlushed = false;
    endTurn = turns.after(TURN_MS + savedLength() / (LARGE_STATE / 1000), () => {
      // The next step tries again, and reports it.
      letGo().catch(() => undefined);
    });
  };

  const ready = async (): Promise<void> => {
    while (lock === undefined || closing !== undefined)
      await (opening ??= open().finally(() => {
        opening = undefined;
      }));
    if (failure !== undefined) await save();
  };

  const save = async (): Promise<void> => {
    if (state === undefined || lock === undefined) return;
    try {
      lock.check();
    } catch (error) {
      forget();
      throw error;
    }
    try {
      const lasting = lastingOf(state);
      if (!isDeepStrictEqual(lasting, saved)) await write(path, documentOf(state, lasting));
      saved = lasting;
      identity = identityOf(path);
      failure = undefined;
    } catch (error) {
      failure = localFile(`cannot write the local service's state ${path}: ${errorReason(error)}`, undefined, error);
      throw failure;
    }
  };

  const letGo = (): Promise<void> =>
    (closing ??= (async () => {
      endTurn();
      try {
        await save();
      } finally {
        lock?.release();
        lock = undefined;
        rest = turns.pause(BETWEEN_TURNS_MS);
        closing = undefined;
      }
    })());

  const read = (): State | undefined => {
    if (state !== undefined) return state;
    const text = readText(path);
    identity = identityOf(path);
    if (text === undefined) return undefined;
    state = parseState(path, text);
    // A command that changes nothing writes nothing.
    saved = lastingOf(state);
    return state;
  };

  return {
    check: async () => {
      await ready();
      read();
    },
    transact: async (create, step) => {
      await ready();
      return step((state = read() ?? create()));
    },
    replace: async (make) => {
      await ready();
      let previous: State | undefined;
      try {
        previous = read();
      } catch {
        // It is replaced because it cannot be read.
      }
      state = make(previous);
      await save();
    },
    flush: async () => {
      if (isFlushed && failure === undefined) return;
      isFlushed = true;
      if (savedLength() < LARGE_STATE) await save();
    },
    close: async () => {
      await opening?.catch(() => undefined);
      if (lock !== undefined) await letGo();
      else if (failure !== undefined) throw failure;
    },
  };
}

async function lockState(path: string, locks: FileLocks): Promise<HeldLock> {
  const subject = `the local service's state ${path}`;
  try {
    makeDirectory(dirname(path), 0o700);
    return await locks.take(`${path}.lock`, { subject, waitMs: LOCK_TIMEOUT_MS });
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw localFile(
      `cannot lock ${subject}: ${errorReason(error)}`,
      'Check the permissions of its directory and the free space on the disk. BERTH_DATA_DIR names another.',
      error,
    );
  }
}

/** Differs after each save; empty without a file. */
function identityOf(path: string): string {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? '' : `${String(stats.ino)} ${String(stats.mtimeNs)} ${String(stats.size)}`;
}

function readText(path: string): string | undefined {
  try {
    const descriptor = openRegular(path, {
      flags: constants.O_RDONLY,
      links: 'followed',
      refuse: (why) =>
        localFile(`cannot use the local service's state ${path}: ${why}`, 'Name another file, or move it away.'),
    });
    try {
      return readFileSync(descriptor, 'utf8');
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (error instanceof Failure) throw error;
    if (errorCode(error) === 'ENOENT') return undefined;
    throw localFile(`cannot read the local service's state ${path}: ${errorReason(error)}`, errorHint(error), error);
  }
}

/** Not synced to the disk: it need not outlive a power failure. */
async function write(path: string, text: string): Promise<void> {
  const { default: writeFileAtomic } = await import('write-file-atomic');
  // Its own write takes a short one, as on a full disk, for a complete one.
  const tmpfileCreated = (temporary: string): void => {
    writeFileSync(temporary, text);
  };
  await writeFileAtomic(path, '', { mode: 0o600, fsync: false, tmpfileCreated });
}
