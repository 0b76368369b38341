import { describe, expect, it } from 'vitest';
import { Problem } from '../../../../src/local/contract/problem.ts';
import { createRecordTable, createState } from '../../../../src/local/state/state.ts';

interface Book {
  readonly id: string;
  readonly title?: string;
  readonly at?: number;
}

describe('a table of records', () => {
  const NOW = 1_700_000_000_000;

  it('holds what an account begins with, changed by nobody', () => {
    const state = createState(NOW);
    const books = createRecordTable<Book>('books', (since) => [{ id: 'first', at: since - 1 }]);
    expect(books.all(state)).toEqual([{ id: 'first', at: NOW - 1 }]);
    state.asOf += 1000;
    expect(books.find(state, 'first')).toEqual({ id: 'first', at: NOW - 1 });
    expect(Object.keys(state.parts)).toEqual(['books']);
  });

  it('keeps, replaces and removes records, and those it began with too', () => {
    const state = createState(NOW);
    const books = createRecordTable<Book>('books', () => [{ id: 'first' }, { id: 'second' }]);
    books.put(state, { id: 'third' });
    books.put(state, { id: 'first', title: 'new' });
    books.remove(state, 'second');
    const kept = JSON.parse(JSON.stringify(state)) as typeof state;
    expect(books.all(kept)).toEqual([{ id: 'first', title: 'new' }, { id: 'third' }]);
    for (const { id } of books.all(kept)) books.remove(kept, id);
    expect(books.all(kept)).toEqual([]);
  });

  it.each(['second', 'constructor', '', undefined])('answers 404 for %s, and stays as it is', (id) => {
    const state = createState(NOW);
    const books = createRecordTable<Book>('books', () => [{ id: 'first' }]);
    expect(() => books.find(state, id)).toThrow(expect.objectContaining({ status: 404 }) as Problem);
    expect(() => {
      books.remove(state, id);
    }).toThrow(Problem);
    expect(books.all(state)).toEqual([{ id: 'first' }]);
  });

  it('is no other table', () => {
    const state = createState(NOW);
    createRecordTable<Book>('books').put(state, { id: 'first' });
    expect(createRecordTable<Book>('constructor').all(state)).toEqual([]);
  });
});
