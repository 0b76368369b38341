import { EXIT } from '../core/exit-codes.ts';
import { Failure } from '../core/failure.ts';
import type { KeyView } from '../core/context.ts';

/** A key that does not show by accident: printed, encoded or inspected it is `[key]`. */
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

  /** The key itself, for the Authorization header and nothing else. */
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

/** What of a key may be shown: its last four characters, and nothing of one so short that four would give it away. */
export const keyTail = (key: string): string => (key.length < 12 ? '' : key.slice(-4));

/**
 * A key as it is sent: trailing white space is dropped, because files and pastes end with a newline. Fails with denied
 * (3) for what cannot be a key: empty, or with white space, control or non-ASCII characters in it, which a header
 * would not carry. The message never repeats it.
 */
export function cleanKey(text: string, where: string): string {
  const key = text.replace(/\s+$/, '');
  if (key === '') throw badKey(`the key in ${where} is empty`);
  if (!/^[\x21-\x7e]+$/.test(key))
    throw badKey(`the key in ${where} has white space, a control character or a character outside ASCII in it`);
  return key;
}

/** Where a key may come from, in this order. */
export interface KeySources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The text of the file that BERTH_API_KEY_FILE names. */
  readonly readFile: (path: string) => Promise<string>;
  /** The key kept in the profile in use; asked for only where the environment has none. */
  readonly inProfile: () => { readonly key: string; readonly where: string } | undefined;
}

/** Which of its sources the key in use comes from; undefined where there is none. Opens no key file. */
export function keySource({
  env,
  inProfile,
}: Omit<KeySources, 'readFile'>): 'environment' | 'file' | 'profile' | undefined {
  if (isSet(env['BERTH_API_KEY'])) return 'environment';
  if (isSet(env['BERTH_API_KEY_FILE'])) return 'file';
  return inProfile() === undefined ? undefined : 'profile';
}

/**
 * The key in use: BERTH_API_KEY, the file that BERTH_API_KEY_FILE names, the profile. Undefined where there is none.
 * Fails with denied (3) for a key that cannot be one, and as `readFile` does.
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
