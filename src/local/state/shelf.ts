import { notFound } from '../contract/problem.ts';
import { byId, withRecord, without, type Records } from './records.ts';
import type { State } from './state.ts';

/** The records of a resource that nothing else looks at: what several know has a place of its own in the state. */
export interface Shelf<T> {
  all(state: State): readonly T[];
  /** Throws the 404 Problem where there is none of that id. */
  find(state: State, id: string | undefined): T;
  /** Puts a record in its place, over the one of its id where there is one; gives it back. */
  put(state: State, record: T): T;
  /** Throws the 404 Problem where there is none of that id. */
  remove(state: State, id: string | undefined): void;
}

/**
 * A shelf by its resource's name. `seed` is what a new account has of it, by the moment the account began (milliseconds
 * since the epoch); a shelf that was never changed takes no room in the state.
 */
export function createShelf<T extends { readonly id: string }>(
  name: string,
  seed: (since: number) => readonly T[] = () => [],
): Shelf<T> {
  const records = (state: State): Records<T> =>
    (state.shelves[name] as Records<T> | undefined) ?? byId(seed(state.since));
  const find = (state: State, id = ''): T => {
    const record = records(state)[id];
    if (record === undefined) throw notFound();
    return record;
  };
  return {
    all: (state) => Object.values(records(state)),
    find,
    put: (state, record) => {
      state.shelves[name] = withRecord(records(state), record.id, record);
      return record;
    },
    remove: (state, id) => {
      state.shelves[name] = without(records(state), find(state, id).id);
    },
  };
}
