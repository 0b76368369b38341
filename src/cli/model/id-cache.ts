import type { Id } from '../../core/ids.ts';
import type { Json } from '../../core/json.ts';
import type { Collection } from './collection.ts';

/** The ids that the words of one command line stand for, and the lists they were found in. Kept for one run. */
export class IdCache {
  readonly #ids = new Map<string, string>();
  readonly #lists = new Map<string, Promise<readonly Json[]>>();

  /** The id that a word stands for; undefined while that is not known. */
  get<N extends string>(collection: Collection<N>, word: string): Id<N> | undefined {
    return this.#ids.get(wordKey(collection, word)) as Id<N> | undefined;
  }

  /** Records what a word stands for. The id itself is from then on known to be an id. */
  set<N extends string>(collection: Collection<N>, word: string, id: Id<N>): void {
    this.#ids.set(wordKey(collection, word), id);
    this.#ids.set(wordKey(collection, id), id);
  }

  /** The rows of a collection. `load` runs at most once per collection, also if it fails. */
  rows(collection: Collection, load: () => Promise<readonly Json[]>): Promise<readonly Json[]> {
    const key = listKey(collection);
    const rows = this.#lists.get(key) ?? load();
    this.#lists.set(key, rows);
    return rows;
  }
}

const listKey = ({ path }: Collection): string => path.join('/');
const wordKey = (collection: Collection, word: string): string => `${listKey(collection)}\n${word}`;
