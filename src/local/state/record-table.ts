import { notFound } from '../contract/problem.ts';
import { byId, without, type Records } from './records.ts';
import type { State } from './state.ts';

/** What one resource stores in the state: any JSON value. */
export interface Part<T> {
  /** The stored value itself: changes to it are changes of the state. */
  of(state: State): T;
  /** The stored value without making it: undefined before its first use. */
  peek(state: State): T | undefined;
  replace(state: State, value: T): void;
}

/**
 * A part of the state, by its name. `seed` makes the value of a new account from the time the account was created
 * (milliseconds since the epoch); it is called when the part is first used.
 */
export const createPart = <T>(name: string, seed: (since: number) => T): Part<T> => ({
  of: (state) => (state.parts[name] ??= seed(state.since)) as T,
  peek: (state) => state.parts[name] as T | undefined,
  replace: (state, value) => {
    state.parts[name] = value;
  },
});

/** A part of the state that holds a resource's records by id. */
export interface RecordTable<T> {
  /** All records, oldest first. */
  all(state: State): readonly T[];
  get(state: State, id: string): T | undefined;
  /** Throws the 404 Problem when there is no record with that id. */
  find(state: State, id: string | undefined): T;
  /** Adds a record, or replaces the record with the same id; returns it. */
  put(state: State, record: T): T;
  /** Throws the 404 Problem when there is no record with that id. */
  remove(state: State, id: string | undefined): void;
}

/** A table by its resource's name, and the records that a new account has: see `createPart`. */
export function createRecordTable<T extends { readonly id: string }>(
  name: string,
  seed: (since: number) => readonly T[] = () => [],
): RecordTable<T> {
  const part = createPart<Records<T>>(name, (since) => byId(seed(since)));
  const find = (state: State, id = ''): T => {
    const record = part.of(state)[id];
    if (record === undefined) throw notFound();
    return record;
  };
  return {
    all: (state) => Object.values(part.of(state)),
    get: (state, id) => part.of(state)[id],
    find,
    put: (state, record) => (part.of(state)[record.id] = record),
    remove: (state, id) => {
      part.replace(state, without(part.of(state), find(state, id).id));
    },
  };
}
