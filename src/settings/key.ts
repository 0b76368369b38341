import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { EXIT } from '../core/exit.ts';
import { Failure, localFile } from '../core/failure.ts';
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
  readonly cwd: string;
  /** The key kept in the profile in use; asked for only where the environment has none. */
  readonly inProfile: () => { readonly key: string; readonly where: string } | undefined;
}

/**
 * The key in use: BERTH_API_KEY, the file that BERTH_API_KEY_FILE names, the profile. Undefined where there is none.
 * Fails with denied (3) for a key that cannot be one, with local-file (14) where the file cannot be read.
 */
export function effectiveKey({ env, cwd, inProfile }: KeySources): ApiKey | undefined {
  const value = env['BERTH_API_KEY'];
  if (value !== undefined && value !== '') return new ApiKey(cleanKey(value, 'BERTH_API_KEY'), 'environment');
  const file = env['BERTH_API_KEY_FILE'];
  if (file !== undefined && file !== '') return new ApiKey(cleanKey(readKeyFile(resolve(cwd, file)), file), 'file');
  const kept = inProfile();
  return kept && new ApiKey(cleanKey(kept.key, kept.where), 'profile');
}

function readKeyFile(path: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw localFile(
      `cannot read the key file ${path}: ${code === 'ENOENT' ? 'it does not exist' : code}`,
      'BERTH_API_KEY_FILE names it.',
    );
  }
}

const badKey = (message: string): Failure =>
  new Failure({
    code: 'bad-key',
    exit: EXIT.denied,
    message,
    hint: 'A key is one word of printable characters; copy it again from where it was made.',
  });
