import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { readdir, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Failure, localFile } from '../../../core/failure.ts';
import { errorCode, errorReason } from '../../../core/file-errors.ts';
import type { State } from '../state.ts';
import { markOf, realFiles, type FileSystem } from './file-system.ts';
import { createStateText, textOfFile, type OfFile } from './codec.ts';

/** A state and its files. Everything happens while the lock is held, but for a look at a job's long texts. */
export interface StateFile {
  /** Each time the lock was got: what is in memory counts only where nobody else has written since. */
  look(): void;
  /** The state, read where it is not in memory; a fresh one where there is none. Fails with local-file (14). */
  state(fresh: () => State): State;
  /** Has this state from now on, whatever is in the file. */
  put(state: State): void;
  /**
   * Writes the state where it is not what the file has, by way of the folder that the lock gives. Fails with local-file
   * (14), also where the lock was taken over.
   */
  save(lockFolder: string): Promise<void>;
  /** The state in memory counts no more. */
  forget(): void;
}

interface Held {
  readonly state: State;
  /** What the file has; absent where the file has another state, or none. */
  readonly body?: string;
  /** The long texts that lie beside the file. */
  readonly named: ReadonlySet<string>;
}

const START_OVER = 'Start over with: berth local reset';
const NONE: ReadonlySet<string> = new Set();
/** What the name of a file ends in that has not been written to its end. */
const UNFINISHED = '.part';

/**
 * A state in a JSON file, and the long texts of its jobs in a folder beside it, each named by what it says. A text is
 * there before the state that names it takes the old one's place, and goes after the last state that did: at every
 * moment there is a whole state whose texts are all there. What a kill leaves over is swept by the next process that writes.
 */
export function openStateFile(path: string, system: FileSystem = realFiles): StateFile {
  const folder = `${path}.texts`;
  const text = createStateText((name) => readText(join(folder, name)));
  let held: Held | undefined;
  /** Which file lay there when the lock was got, or when this process last wrote. */
  let mark = '';
  let swept = false;

  const createBeside = async (place: string, content: string, move: (part: string) => Promise<void>): Promise<void> => {
    const part = `${place}.${randomUUID()}${UNFINISHED}`;
    try {
      await system.create(part, content);
      await move(part);
    } catch (error) {
      // The disk may be full.
      await system.remove(part).catch(() => undefined);
      throw error;
    }
  };

  const createTexts = async (texts: ReadonlyMap<string, string>, there: ReadonlySet<string>): Promise<void> => {
    const missing = [...texts].filter(([name]) => !there.has(name));
    if (missing.length > 0) await system.folder(folder);
    for (const [name, content] of missing) {
      await createBeside(join(folder, name), content, (part) => system.rename(part, join(folder, name)));
    }
  };

  const createState = (content: string, lockFolder: string): Promise<void> =>
    createBeside(join(lockFolder, 'state'), content, async (part) => {
      const next = markOf(part);
      // Whoever took the lock over has written what must not be lost.
      if (markOf(path) !== mark) throw takenOver(path);
      await system.rename(part, await realpath(path).catch(() => path));
      mark = next;
    });

  /** Removes texts that nothing names any more; the first time, all that others left as well. */
  const sweep = async (before: ReadonlySet<string>, named: ReadonlySet<string>): Promise<void> => {
    const dropped = swept ? [...before] : await readdir(folder).catch(() => []);
    const here = swept ? [] : await readdir(dirname(path));
    swept = true;
    for (const name of dropped) if (!named.has(name)) await system.remove(join(folder, name));
    for (const name of here)
      if (name.startsWith(`${basename(path)}.`) && name.endsWith(UNFINISHED))
        await system.remove(join(dirname(path), name));
  };

  return {
    look: () => {
      const now = markOf(path);
      if (now !== mark) held = undefined;
      mark = now;
    },
    state: (fresh) => {
      if (held === undefined) {
        const source = readSource(path);
        if (source === undefined) held = { state: fresh(), named: NONE };
        else {
          const value = parse(path, source);
          const state = text.decode(value);
          // One of before there were long texts is written anew.
          const { body, named } = text.encode(state);
          held = value.stamp === undefined ? { state, named: NONE } : { state, body, named };
        }
      }
      return held.state;
    },
    put: (state) => {
      held = { state, named: NONE };
      swept = false;
    },
    save: async (lockFolder) => {
      if (held === undefined) return;
      const { state, body: before, named: there } = held;
      const { body, named, texts } = text.encode(state);
      if (body === before) return;
      try {
        await createTexts(texts, there);
        await createState(textOfFile(state, randomUUID(), body), lockFolder);
      } catch (error) {
        if (error instanceof Failure) throw error;
        // The folder goes with the lock.
        if (errorCode(error) === 'ENOENT' && !existsSync(lockFolder)) throw takenOver(path);
        throw localFile(`cannot write the local service's state ${path}: ${errorReason(error)}`, undefined, error);
      }
      if (texts.size > 0) text.lighten(state);
      held = { state, body, named };
      // What stays is in nobody's way, and goes another time.
      await sweep(there, named).catch(() => undefined);
    },
    forget: () => {
      held = undefined;
      swept = false;
    },
  };
}

const takenOver = (path: string): Failure =>
  localFile(`another berth took over the local service's state ${path} from this one`, 'Try again.');

function readSource(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw localFile(`cannot read the local service's state ${path}: ${errorReason(error)}`, undefined, error);
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw localFile(
      `cannot read a text of the local service's state, ${path}: ${errorReason(error)}`,
      START_OVER,
      error,
    );
  }
}

/** Versions 3 and 4 differ in where long texts are. */
function parse(path: string, source: string): State & Partial<OfFile> {
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch (error) {
    throw localFile(`the local service's state is not JSON: ${path}`, START_OVER, error);
  }
  const version = typeof value === 'object' && value !== null ? (value as { version?: unknown }).version : undefined;
  if (version === undefined) throw localFile(`the local service's state is not one: ${path}`, START_OVER);
  if (version !== 3 && version !== 4)
    throw localFile(`the local service's state is of another version of berth: ${path}`, START_OVER);
  return { ...(value as State & Partial<OfFile>), version: 4 };
}
