import { describe, expect, it } from 'vitest';
import { closed, filledText, ref } from '../../../../src/local/contract/schemas/schema.ts';
import { openApiDocument } from '../../../../src/local/http/router.ts';
import { type Operation, unpublished } from '../../../../src/local/http/operation.ts';
import { Problem } from '../../../../src/local/contract/problem.ts';
import { createRecordTable, createState } from '../../../../src/local/state/state.ts';
import { createValidator } from '../../../../src/local/http/validate.ts';

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

describe('an operation that the contract does not have', () => {
  const run: Operation['run'] = () => ({ status: 204 });
  const body = closed({ name: filledText }, { cloud: ref('Cloud') });
  const create = unpublished('createBook', 'POST /v2/books', { body, run });

  it('needs the right to what it does', () => {
    expect([unpublished('listBooks', 'GET /v2/books', { run }).scope, create.scope]).toEqual(['read', 'write']);
  });

  it.each([
    ['{"name":"a","cloud":"SECURE"}', undefined],
    ['{"name":"a","pages":3}', ['/pages: unknown member, not allowed']],
    ['{"cloud":"SKY"}', ['/: missing required member "name"', '/cloud: must be one of SECURE, COMMUNITY']],
  ])('is checked against a schema of its own: %s', async (sent, errors) => {
    const checked = createValidator().body(create, sent);
    if (errors === undefined) expect(await checked).toEqual(JSON.parse(sent));
    else await expect(checked).rejects.toEqual(expect.objectContaining({ status: 422, errors }));
  });

  it('is published only where it has a tag, its own schemas written out', () => {
    expect(openApiDocument([create])).toMatchObject({ paths: {}, tags: [] });
    const answers = { 201: body, 404: 'ErrorResponse' };
    expect(openApiDocument([{ ...create, tag: 'Books', answers }])).toMatchObject({
      paths: {
        '/v2/books': {
          post: {
            requestBody: { content: { 'application/json': { schema: body } } },
            responses: {
              201: { content: { 'application/json': { schema: body } } },
              404: { content: { 'application/problem+json': { schema: ref('ErrorResponse') } } },
            },
          },
        },
      },
    });
  });
});
