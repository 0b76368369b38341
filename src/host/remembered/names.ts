import type { RememberedNames } from '../../core/ports/remembered.ts';
import { readObject, writeObject } from './json-file.ts';
import { quietly, type RememberedOptions } from './lists.ts';

/** The most names that are kept; those that were added first are dropped. */
const MAX_NAMES = 2000;

/** An id or a name that is longer is not kept. Characters. */
const MAX_LENGTH = 200;

/** Keeps names in a file, `{account, names: [[ID, NAME], ...]}`, the latest last. Names of another account are dropped. */
export function createRememberedNames(options: RememberedOptions): RememberedNames {
  const kept = (account: string): ReadonlyMap<string, string> => {
    const file = readObject(options.path(), options.user);
    const { names } = file;
    return new Map(file['account'] === account && Array.isArray(names) ? names.filter(isPair) : []);
  };
  return {
    read: () =>
      quietly(new Map(), () => {
        const account = options.account();
        return account === undefined ? new Map() : kept(account);
      }),
    add: (names) =>
      quietly(undefined, () => {
        const account = options.account();
        if (account === undefined) return;
        const known = kept(account);
        const news = new Map(names.filter((pair) => isPair(pair) && known.get(pair[0]) !== pair[1]));
        if (news.size === 0) return;
        const others = [...known].filter(([id]) => !news.has(id));
        writeObject(options.path(), { account, names: [...others, ...news].slice(-MAX_NAMES) }, options);
      }),
  };
}

const isPair = (pair: unknown): pair is readonly [string, string] =>
  Array.isArray(pair) &&
  pair.length === 2 &&
  pair.every((text: unknown) => typeof text === 'string' && text !== '' && text.length <= MAX_LENGTH);
