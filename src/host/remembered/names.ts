import type { AccountDocument, PlainObject, RememberedNames } from '../../core/ports/remembered.ts';
import { quietly } from './lists.ts';

/** The most names that are kept; those that were added first are dropped. */
const MAX_NAMES = 2000;

/** An id or a name that is longer is not kept. Characters. */
const MAX_LENGTH = 200;

/** Keeps names in the document of an account, `{names: [[ID, NAME], ...]}`, the latest last. */
export function createRememberedNames(document: AccountDocument): RememberedNames {
  return {
    read: () => quietly<ReadonlyMap<string, string>>(new Map(), async () => kept(await document.read())),
    add: (names) =>
      quietly(undefined, async () => {
        const known = kept(await document.read());
        const news = names.filter((pair) => isPair(pair) && known.get(pair[0]) !== pair[1]);
        if (news.length === 0) return;
        await document.update((before) => {
          const added = new Map(news);
          const others = [...kept(before)].filter(([id]) => !added.has(id));
          return { names: [...others, ...added].slice(-MAX_NAMES) };
        });
      }),
  };
}

const kept = ({ names }: PlainObject): ReadonlyMap<string, string> =>
  new Map(Array.isArray(names) ? names.filter(isPair) : []);

const isPair = (pair: unknown): pair is readonly [string, string] =>
  Array.isArray(pair) &&
  pair.length === 2 &&
  pair.every((text: unknown) => typeof text === 'string' && text !== '' && text.length <= MAX_LENGTH);
