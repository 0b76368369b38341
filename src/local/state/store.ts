import { closeSync, constants, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure, localFile } from '../../core/failure.ts';
import { errorCode, errorHint, errorReason, type FileLocks, type HeldLock } from '../../core/files.ts';
import { isObject } from '../../core/json.ts';
import { berth, sentence } from '../../core/message.ts';
import { makeDirectory, openRegular } from '../../core/regular-files.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import { createState, recordsFrom, type State, STATE_VERSION, UnreadPart } from './state.ts';

/** For the state of --local, which is berth's own file. */
export const START_OVER = sentence`Start over with: ${berth`local reset`}`;

/** Times and rate windows are left out of the comparison: they only say when the state was last used. */
interface StateText {
  readonly fields: string;
  /** A line of JSON for each part, so that one can be read alone. */
  readonly parts: readonly string[];
  readonly length: number;
}

export function stateText({ generation, clockOffsetMs, serial, parts }: State): StateText {
  const lines = Object.entries(parts).map(([name, part]) =>
    part instanceof UnreadPart ? part.line : `"${name}":${JSON.stringify(part)}`,
  );
  return {
    fields: `${generation} ${String(clockOffsetMs)} ${String(serial)}`,
    parts: lines,
    length: lines.reduce((sum, { length }) => sum + length, 0),
  };
}

const isSame = (one: StateText, other: StateText): boolean =>
  one.fields === other.fields && one.length === other.length && one.parts.every((line, at) => line === other.parts[at]);

const PARTS = ',"parts":{\n';
const NEXT = ',\n';
const END = '\n}}\n';

/** One JSON document. */
export const documentOf = (state: State, { parts }: StateText): string =>
  `${JSON.stringify({ ...state, parts: undefined }).slice(0, -1)}${PARTS}${parts.join(NEXT)}${END}`;

/** Parts are read when a step uses them, as their owners find them. Fails with local-file (14), then too. */
export function parseState(path: string, text: string): State {
  const start = text.indexOf(PARTS);
  const value = parsed(start < 0 ? text : `${text.slice(0, start)}}`) ?? parsed(text.slice(0, text.indexOf('\n')));
  // Other programs write JSON with a version too, such as source maps.
  if (!isObject(value) || typeof value['version'] !== 'number' || typeof value['since'] !== 'number')
    throw localFile(`this is no state of the local service: ${path}`, START_OVER);
  if (value['version'] !== STATE_VERSION)
    throw localFile(`the local service's state is of another version of berth: ${path}`, START_OVER);
  const damaged = (): Failure => localFile(`the local service's state is damaged: ${path}`, START_OVER);
  const parts = text
    .slice(start + PARTS.length, -END.length)
    .split(NEXT)
    .filter((line) => line !== '')
    .map((line) => {
      const nameEnd = line.indexOf('":');
      const read = (): unknown => {
        const part = parsed(line.slice(nameEnd + 2));
        if (part === undefined) throw damaged();
        return isObject(part) ? withoutPrototype(part) : part;
      };
      return [line.slice(1, nameEnd), new UnreadPart(line, read)] as const;
    });
  const state: Readonly<Record<string, unknown>> = { ...value, parts: recordsFrom(parts) };
  const isState = Object.entries(createState(0)).every(([name, usual]) => typeof state[name] === typeof usual);
  if (start < 0 || !text.endsWith(END) || !isState) throw damaged();
  return state as unknown as State;
}

export const withoutPrototype = (records: object): unknown => Object.setPrototypeOf(records, null);

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

const NOTHING_SAVED: StateText = { fields: '', parts: [], length: 0 };

/** One document in one file: docs/decisions/0008. */
export function fileStore(path: string, locks: FileLocks, turns: Turns): Store {
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
    endTurn = turns.after(TURN_MS + saved.length / (LARGE_STATE / 1000), () => {
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
      const text = stateText(state);
      if (!isSame(text, saved)) await write(path, documentOf(state, text));
      saved = text;
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

  const current = (create: () => State): State => {
    if (state !== undefined) return state;
    const text = readText(path);
    identity = identityOf(path);
    if (text === undefined) return (state = create());
    state = parseState(path, text);
    // What was read is saved already: a command that changes nothing writes nothing.
    saved = stateText(state);
    return state;
  };

  return {
    transact: async (create, step) => {
      await ready();
      return step(current(create));
    },
    replace: async (make) => {
      await ready();
      let previous: State | undefined;
      try {
        previous = current(() => {
          throw new Error('there is no state');
        });
      } catch {
        // It is replaced because it cannot be read.
      }
      state = make(previous);
      await save();
    },
    flush: async () => {
      if (isFlushed && failure === undefined) return;
      isFlushed = true;
      if (saved.length < LARGE_STATE) await save();
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
  let descriptor: number | undefined;
  try {
    descriptor = openRegular(path, {
      flags: constants.O_RDONLY,
      links: 'followed',
      refuse: (why) =>
        localFile(`cannot use the local service's state ${path}: ${why}`, 'Name another file, or move it away.'),
    });
    return readFileSync(descriptor, 'utf8');
  } catch (error) {
    if (error instanceof Failure) throw error;
    if (errorCode(error) === 'ENOENT') return undefined;
    throw localFile(`cannot read the local service's state ${path}: ${errorReason(error)}`, errorHint(error), error);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
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
