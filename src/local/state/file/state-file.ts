import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { readdir, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Failure, localFile } from '../../../core/failure.ts';
import { codeOf, reasonOf } from '../../../core/file-errors.ts';
import type { State } from '../state.ts';
import { createStateCodec, fileText, type PartCodec } from './codec.ts';
import { fileIdentity, nodeFileSystem, type FileSystem } from './file-system.ts';
import { READABLE_VERSIONS, type SavedState } from './versions.ts';

/** A state and its files. Call everything while the lock is held; only long texts are read without it. */
export interface StateFile {
  /** Call it each time the lock was taken: drops the state in memory when another process has written the file since. */
  revalidate(): void;
  /** The state, read when it is not in memory; `create` makes it when there is no file. Fails with local-file (14). */
  state(create: () => State): State;
  /** Replaces the state, whatever is in the file. */
  replace(state: State): void;
  /**
   * Writes the state when it differs from the file, through a temporary file in the lock's folder. Fails with local-file
   * (14), also when another process has taken over the lock.
   */
  save(lockFolder: string): Promise<void>;
  /** Drops the state in memory. */
  forget(): void;
}

interface Cached {
  readonly state: State;
  /** The body of the file; absent when the file does not contain this state. */
  readonly body?: string;
  /** The names of the long texts beside the file. */
  readonly named: ReadonlySet<string>;
}

const START_OVER = 'Start over with: berth local reset';
const NO_TEXTS: ReadonlySet<string> = new Set();
/** The end of the name of a file that is still being written. */
const TEMPORARY_SUFFIX = '.part';

/**
 * A state in a JSON file, and the long texts of its records in a folder beside it, each named by its SHA-256. A text is
 * written before the first state that names it, and removed after the last one, so that every state in the file can be
 * read completely. What a killed process leaves behind is removed by the next process that writes.
 */
export function openStateFile(
  path: string,
  codecs: readonly PartCodec<unknown>[],
  system: FileSystem = nodeFileSystem,
): StateFile {
  const textFolder = `${path}.texts`;
  const codec = createStateCodec((name) => readText(join(textFolder, name)), codecs);
  let cached: Cached | undefined;
  /** Identifies the file as it was when the lock was taken, or when this process last wrote. */
  let identity = '';
  let swept = false;

  const createTemporary = async (
    target: string,
    content: string,
    move: (temporary: string) => Promise<void>,
  ): Promise<void> => {
    const temporary = `${target}.${randomUUID()}${TEMPORARY_SUFFIX}`;
    try {
      await system.create(temporary, content);
      await move(temporary);
    } catch (error) {
      // The disk may be full.
      await system.remove(temporary).catch(() => undefined);
      throw error;
    }
  };

  const writeTexts = async (texts: ReadonlyMap<string, string>, existing: ReadonlySet<string>): Promise<void> => {
    const missing = [...texts].filter(([name]) => !existing.has(name));
    if (missing.length > 0) await system.createFolder(textFolder);
    for (const [name, content] of missing) {
      const target = join(textFolder, name);
      await createTemporary(target, content, (temporary) => system.rename(temporary, target));
    }
  };

  const writeState = (content: string, lockFolder: string): Promise<void> =>
    createTemporary(join(lockFolder, 'state'), content, async (temporary) => {
      const next = fileIdentity(temporary);
      // Another process that took over the lock has written: its state must not be overwritten.
      if (fileIdentity(path) !== identity) throw lockLost(path);
      await system.rename(temporary, await realpath(path).catch(() => path));
      identity = next;
    });

  /** Removes texts that the state no longer names; the first time, also what other processes left behind. */
  const sweep = async (before: ReadonlySet<string>, named: ReadonlySet<string>): Promise<void> => {
    const candidates = swept ? [...before] : await readdir(textFolder).catch(() => []);
    const siblings = swept ? [] : await readdir(dirname(path));
    swept = true;
    for (const name of candidates) if (!named.has(name)) await system.remove(join(textFolder, name));
    for (const name of siblings)
      if (name.startsWith(`${basename(path)}.`) && name.endsWith(TEMPORARY_SUFFIX))
        await system.remove(join(dirname(path), name));
  };

  return {
    revalidate: () => {
      const current = fileIdentity(path);
      if (current !== identity) cached = undefined;
      identity = current;
    },
    state: (create) => {
      cached ??= load() ?? { state: create(), named: NO_TEXTS };
      return cached.state;
    },
    replace: (state) => {
      cached = { state, named: NO_TEXTS };
      swept = false;
    },
    save: async (lockFolder) => {
      if (cached === undefined) return;
      const { state, body: before, named: existing } = cached;
      const { body, named, texts } = codec.encode(state);
      if (body === before) return;
      try {
        await writeTexts(texts, existing);
        await writeState(fileText(state, randomUUID(), body), lockFolder);
      } catch (error) {
        if (error instanceof Failure) throw error;
        // The lock's folder is removed when another process takes it over.
        if (codeOf(error) === 'ENOENT' && !existsSync(lockFolder)) throw lockLost(path);
        throw localFile(`cannot write the local service's state ${path}: ${reasonOf(error)}`, undefined, error);
      }
      if (texts.size > 0) codec.dropTexts(state);
      cached = { state, body, named };
      // A text that cannot be removed does no harm.
      await sweep(existing, named).catch(() => undefined);
    },
    forget: () => {
      cached = undefined;
      swept = false;
    },
  };

  function load(): Cached | undefined {
    const source = readSource(path);
    if (source === undefined) return undefined;
    const saved = parse(path, source);
    const state = codec.decode(saved);
    const { body, named } = codec.encode(state);
    // A file of an older version is written again.
    return saved.version === state.version ? { state, body, named } : { state, named: NO_TEXTS };
  }
}

const lockLost = (path: string): Failure =>
  localFile(`another berth took over the local service's state ${path} from this one`, 'Try again.');

function readSource(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw localFile(`cannot read the local service's state ${path}: ${reasonOf(error)}`, undefined, error);
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw localFile(`cannot read a text of the local service's state, ${path}: ${reasonOf(error)}`, START_OVER, error);
  }
}

function parse(path: string, source: string): SavedState {
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch (error) {
    throw localFile(`the local service's state is not JSON: ${path}`, START_OVER, error);
  }
  const version = typeof value === 'object' && value !== null ? (value as { version?: unknown }).version : undefined;
  if (version === undefined) throw localFile(`the local service's state is not one: ${path}`, START_OVER);
  if (!READABLE_VERSIONS.includes(version))
    throw localFile(`the local service's state is of another version of berth: ${path}`, START_OVER);
  return value as SavedState;
}
