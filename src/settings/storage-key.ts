import { EXIT } from '../core/exit-codes.ts';
import { Failure } from '../core/failure.ts';
import type { StorageKey } from '../core/context.ts';
import type { ProfileValues } from './read-profiles.ts';

/** The members of a profile that are the key of the files on volumes. They are no settings: they are never shown. */
export const STORAGE_MEMBERS = ['storage-access-key', 'storage-secret'] as const;

/** Where a key of the files on volumes comes from. */
export interface FoundStorageKey extends StorageKey {
  readonly source: 'environment' | 'profile';
}

/** The key in the environment, else that of the profile. Half a key is none. */
export function findStorageKey(
  env: Readonly<Record<string, string | undefined>>,
  inProfile: () => ProfileValues,
): FoundStorageKey | undefined {
  const given = keyOf(env['BERTH_STORAGE_ACCESS_KEY'], env['BERTH_STORAGE_SECRET']);
  if (given !== undefined) return { ...given, source: 'environment' };
  const values = inProfile();
  const kept = keyOf(values[STORAGE_MEMBERS[0]], values[STORAGE_MEMBERS[1]]);
  return kept === undefined ? undefined : { ...kept, source: 'profile' };
}

function keyOf(accessKeyId: string | undefined, secretAccessKey: string | undefined): StorageKey | undefined {
  if (accessKeyId === undefined || accessKeyId === '' || secretAccessKey === undefined || secretAccessKey === '')
    return undefined;
  return { accessKeyId, secretAccessKey };
}

/**
 * Returns the key without white space around its parts. Fails with denied (3) for an access key or a secret that no request
 * can carry. The message never repeats them.
 */
export function cleanStorageKey({ accessKeyId, secretAccessKey }: StorageKey): StorageKey {
  return { accessKeyId: cleanPart(accessKeyId, 'access key'), secretAccessKey: cleanPart(secretAccessKey, 'secret') };
}

function cleanPart(text: string, name: string): string {
  const part = text.trim();
  // A signature names the access key, and a comma ends it there.
  if (/^[\x21-\x7e]+$/.test(part) && (name === 'secret' || !/[,/]/.test(part))) return part;
  throw new Failure({
    code: 'bad-storage-key',
    exit: EXIT.denied,
    message: `the ${name} is empty, or has characters in it that none has`,
    hint: 'Both are words of printable characters; copy them again from where they were made.',
  });
}
