import { statSync } from 'node:fs';
import type { KeyView, StorageKey } from '../core/context.ts';
import { EXIT } from '../core/exit-codes.ts';
import { Failure } from '../core/failure.ts';
import type { ProfileValues } from './read-profiles.ts';

/** A key that cannot be printed by accident: as a string, as JSON and when inspected it is `[key]`. */
export class ApiKey implements KeyView {
  readonly #value: string;
  readonly source: KeyView['source'];

  constructor(value: string, source: KeyView['source']) {
    this.#value = value;
    this.source = source;
  }

  get tail(): string {
    return keyTail(this.#value);
  }

  reveal(): string {
    return this.#value;
  }

  /** A hash that tells two keys apart. No key can be found from it: many have the same. */
  get mark(): string {
    return hashOf(this.#value);
  }

  toString(): string {
    return '[key]';
  }

  toJSON(): string {
    return '[key]';
  }
}

/** The part of a key that may be shown: its last four characters, or nothing of a key that is shorter than 12. */
export const keyTail = (key: string): string => (key.length < 12 ? '' : key.slice(-4));

/** Trims the end. Fails with denied (3), without repeating the key, for one that a header cannot carry. `what` is its name in messages. */
export function cleanKey(text: string, what: string): string {
  const key = text.trimEnd();
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  const trouble = 'has white space, a control character or a character outside ASCII in it';
  throw new Failure({
    code: 'bad-key',
    exit: EXIT.denied,
    message: `${what} ${key === '' ? 'is empty' : trouble}`,
    hint: 'A key is one word of printable characters; copy it again from where it was made.',
  });
}

/** Without the key itself in a file: that is not opened. `where` names the source in messages. */
interface FoundKey {
  readonly source: 'environment' | 'file' | 'profile';
  readonly key: string | undefined;
  readonly where: string;
}

interface KeySources {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly inProfile: () => string | undefined;
  readonly where: () => string;
}

/** The first source that has a key. */
export function findKey({ env, inProfile, where }: KeySources): FoundKey | undefined {
  const { BERTH_API_KEY: given = '', BERTH_API_KEY_FILE: file = '' } = env;
  if (given !== '') return { source: 'environment', key: given, where: 'BERTH_API_KEY' };
  if (file !== '') return { source: 'file', key: undefined, where: file };
  const kept = inProfile();
  return kept === undefined ? undefined : { source: 'profile', key: kept, where: where() };
}

export const keyVariableOf = (source: KeyView['source'] | undefined): string | undefined =>
  source === 'environment' ? 'BERTH_API_KEY' : source === 'file' ? 'BERTH_API_KEY_FILE' : undefined;

/** Tells two keys apart: the key itself, or the path and state of its file, which may be a pipe and gives the key once. */
export function keyMark(found: FoundKey | undefined): string | undefined {
  if (found?.key !== undefined) return `${found.source} ${found.key.trim()}`;
  const where = found?.where ?? '';
  const stats = statSync(where, { throwIfNoEntry: false });
  return stats?.isFile() === true ? `${where} ${stats.ino} ${stats.size} ${stats.mtimeMs}` : found?.where;
}

const FNV_OFFSET = 0xcbf29ce484222325n;
const FNV_PRIME = 0x100000001b3n;

/** FNV-1a of 64 bits. A library of hashes takes longer to load than a completion may. */
export function hashOf(text: string): string {
  let hash = FNV_OFFSET;
  for (const byte of Buffer.from(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * FNV_PRIME);
  return hash.toString(16);
}

/** Fails with denied (3) for an invalid key, and as `readFile` does. */
export async function openKey(
  found: FoundKey | undefined,
  readFile: (path: string) => Promise<string>,
): Promise<ApiKey | undefined> {
  if (found === undefined) return undefined;
  const { source, key, where } = found;
  return new ApiKey(cleanKey(key ?? (await readFile(where)), `the key in ${where}`), source);
}

/** The members of a profile that are the key of the files on volumes. They are no settings: they are never shown. */
export const STORAGE_MEMBERS = ['storage-access-key', 'storage-secret'] as const;

/** The key in the environment, else that of the profile. Half a key is none. */
export function findStorageKey(
  env: Readonly<Record<string, string | undefined>>,
  inProfile: () => ProfileValues,
): (StorageKey & { readonly source: 'environment' | 'profile' }) | undefined {
  const given = keyOf(env['BERTH_STORAGE_ACCESS_KEY'], env['BERTH_STORAGE_SECRET']);
  if (given !== undefined) return { ...given, source: 'environment' };
  const values = inProfile();
  const kept = keyOf(values[STORAGE_MEMBERS[0]], values[STORAGE_MEMBERS[1]]);
  return kept === undefined ? undefined : { ...kept, source: 'profile' };
}

const keyOf = (accessKeyId: string | undefined, secretAccessKey: string | undefined): StorageKey | undefined =>
  accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : undefined;

/** As `cleanKey`. */
export const cleanStorageKey = ({ accessKeyId, secretAccessKey }: StorageKey): StorageKey => ({
  accessKeyId: cleanKey(accessKeyId, 'the access key'),
  secretAccessKey: cleanKey(secretAccessKey, 'the secret'),
});
