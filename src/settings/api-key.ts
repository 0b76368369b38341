import { EXIT } from '../core/exit-codes.ts';
import { Failure } from '../core/failure.ts';
import type { KeyView } from '../core/context.ts';

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

  /** Returns the key itself. Only for the Authorization header. */
  reveal(): string {
    return this.#value;
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

/**
 * Returns the key without trailing white space, because files and pasted text end with a newline. Fails with denied (3)
 * for a key that is empty, or that contains white space, control or non-ASCII characters, which a header cannot carry.
 * The message never repeats the key.
 */
export function cleanKey(text: string, where: string): string {
  const key = text.replace(/\s+$/, '');
  if (key === '') throw badKey(`the key in ${where} is empty`);
  if (!/^[\x21-\x7e]+$/.test(key))
    throw badKey(`the key in ${where} has white space, a control character or a character outside ASCII in it`);
  return key;
}

/** The sources of a key, in order of priority. */
export interface KeySources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Reads the file that BERTH_API_KEY_FILE names. */
  readonly readFile: (path: string) => Promise<string>;
  /** The key stored in the profile in use. Called only when the environment has none. */
  readonly inProfile: () => { readonly key: string; readonly where: string } | undefined;
}

/** The source of the key in use; undefined when there is none. Opens no key file. */
export function keySource({
  env,
  inProfile,
}: Omit<KeySources, 'readFile'>): 'environment' | 'file' | 'profile' | undefined {
  if (isSet(env['BERTH_API_KEY'])) return 'environment';
  if (isSet(env['BERTH_API_KEY_FILE'])) return 'file';
  return inProfile() === undefined ? undefined : 'profile';
}

/** The source of the key in use, with the part of the key that may be shown or the path of its file. */
export function keyMark({ env, inProfile }: Omit<KeySources, 'readFile'>): string | undefined {
  const value = env['BERTH_API_KEY'];
  if (isSet(value)) return `environment ${keyTail(value.trim())}`;
  const file = env['BERTH_API_KEY_FILE'];
  if (isSet(file)) return `file ${file}`;
  const kept = inProfile();
  return kept && `profile ${keyTail(kept.key)}`;
}

/**
 * Returns the key in use: from BERTH_API_KEY, from the file that BERTH_API_KEY_FILE names, or from the profile; undefined
 * when there is none. Fails with denied (3) for an invalid key, and as `readFile` does.
 */
export async function effectiveKey({ env, readFile, inProfile }: KeySources): Promise<ApiKey | undefined> {
  const value = env['BERTH_API_KEY'];
  if (isSet(value)) return new ApiKey(cleanKey(value, 'BERTH_API_KEY'), 'environment');
  const file = env['BERTH_API_KEY_FILE'];
  if (isSet(file)) return new ApiKey(cleanKey(await readFile(file), file), 'file');
  const kept = inProfile();
  return kept && new ApiKey(cleanKey(kept.key, kept.where), 'profile');
}

const isSet = (value: string | undefined): value is string => value !== undefined && value !== '';

const badKey = (message: string): Failure =>
  new Failure({
    code: 'bad-key',
    exit: EXIT.denied,
    message,
    hint: 'A key is one word of printable characters; copy it again from where it was made.',
  });
