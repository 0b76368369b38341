import type { Id } from '../../core/ids.ts';
import type { Json } from '../../core/json.ts';
import type { Collection } from './collection.ts';

/** The ids that the words of one command line stand for, and the lists they were found in. Kept for one run. */
export interface IdCache {
  /** The id that a word stands for; undefined while that is not known. */
  get<N extends string>(collection: Collection<N>, word: string): Id<N> | undefined;
  /** Records what a word stands for. The id itself is from then on known to be an id. */
  set<N extends string>(collection: Collection<N>, word: string, id: Id<N>): void;
  /** The rows of a collection. `load` runs at most once per collection, also if it fails. */
  rows(collection: Collection, load: () => Promise<readonly Json[]>): Promise<readonly Json[]>;
}

export function createIdCache(): IdCache {
  const ids = new Map<string, string>();
  const lists = new Map<string, Promise<readonly Json[]>>();
  const listKey = ({ path }: Collection): string => path.join('/');
  const wordKey = (collection: Collection, word: string): string => `${listKey(collection)}\n${word}`;
  return {
    get: <N extends string>(collection: Collection<N>, word: string) =>
      ids.get(wordKey(collection, word)) as Id<N> | undefined,
    set: (collection, word, id) => {
      ids.set(wordKey(collection, word), id);
      ids.set(wordKey(collection, id), id);
    },
    rows: (collection, load) => {
      const key = listKey(collection);
      const rows = lists.get(key) ?? load();
      lists.set(key, rows);
      return rows;
    },
  };
}
