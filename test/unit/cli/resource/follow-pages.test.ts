import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { followPages, listRequest, MAX_PAGES, readList } from '../../../../src/cli/resource/pages.ts';
import type { ApiAnswer, ApiRequest } from '../../../../src/core/api.ts';
import { encodeJson, type Json, stringAt } from '../../../../src/core/json.ts';

const POD_LIST = listRequest({ path: ['v2', 'pods'], member: 'pods' }, { includeClusterPods: true, limit: 2 });

const answer = (value: Json): ApiAnswer => ({ status: 200, headers: {}, text: encodeJson(value), value });

/** An Api that answers the n-th request with the n-th page, and records the queries. */
function api(pages: (number: number) => Json): {
  send: (request: ApiRequest) => Promise<ApiAnswer>;
  queries: unknown[];
} {
  const queries: unknown[] = [];
  return {
    queries,
    send: ({ query }) => {
      queries.push(query);
      return Promise.resolve(answer(pages(queries.length)));
    },
  };
}

const page = (rows: readonly string[], nextCursor: string | null): Json => ({
  pods: rows.map((id) => ({ id })),
  pagination: { nextCursor, hasNextPage: nextCursor !== null },
});

const idsOf = (rows: readonly Json[]): readonly string[] => rows.map((row) => stringAt(row, 'id') ?? '');

test('every page is requested with the query of the first one and the cursor as it came', async () => {
  const { send, queries } = api((number) => (number < 3 ? page([`p${number}`], `c/${number}+=`) : page(['p3'], null)));
  const { values } = await readList({ send }, POD_LIST);
  expect(idsOf(values)).toEqual(['p1', 'p2', 'p3']);
  const others = { includeClusterPods: true, limit: 2 };
  expect(queries).toEqual([others, { ...others, cursor: 'c/1+=' }, { ...others, cursor: 'c/2+=' }]);
});

test('a page after which none follows ends the list, whatever cursor it names', async () => {
  const { send, queries } = api(() => ({ pods: [], pagination: { nextCursor: 'c', hasNextPage: false } }));
  await readList({ send }, POD_LIST);
  expect(queries).toHaveLength(1);
});

test('a list of one page is passed on as it came, with ids that come twice', async () => {
  const { send } = api(() => page(['p', 'p'], null));
  expect(idsOf((await readList({ send }, POD_LIST)).values)).toEqual(['p', 'p']);
});

test(`a list of more than ${String(MAX_PAGES)} pages is an error`, async () => {
  const { send, queries } = api((number) => page([], `c${number}`));
  await expect(readList({ send }, POD_LIST)).rejects.toMatchObject({ code: 'incomplete-list', exit: 7 });
  expect(queries).toHaveLength(MAX_PAGES);
});

describe('without pagination', () => {
  const unpaged = (count: number) =>
    api(() => ({ pods: Array.from({ length: count }, (_, at) => ({ id: `p${at}` })) }));

  test('fewer rows than a page has are the whole list; as many may be a part of it: an error', async () => {
    expect((await readList(unpaged(999), POD_LIST)).values).toHaveLength(999);
    await expect(readList(unpaged(1000), POD_LIST)).rejects.toMatchObject({ code: 'incomplete-list', exit: 7 });
  });

  test.each([
    [['v2', 'billing', 'pods'], 'records'],
    [['v2', 'clusters', 'c1', 'pods'], 'pods'],
    [['v2', 'network-volumes'], 'networkVolumes'],
  ])('%j has no pages, and is whole at any length', async (path, member) => {
    const { send } = api(() => ({ [member]: Array.from({ length: 2000 }, () => ({})) }));
    expect((await readList({ send }, listRequest({ path, member }))).values).toHaveLength(2000);
  });
});

/** What happens to the rows of a service between two pages. */
const change = fc.oneof(
  fc.record({ kind: fc.constant('create' as const), count: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ kind: fc.constant('delete' as const), at: fc.nat() }),
);

/** How a service finds the start of a page: by the row before it, or by counting, which moves when rows come and go. */
const rule = fc.constantFrom('position' as const, 'count' as const);

test('rows that are there all the time come once, while others are created and deleted between pages', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 30 }),
      fc.integer({ min: 1, max: 7 }),
      fc.array(fc.array(change, { maxLength: 3 }), { maxLength: 12 }),
      rule,
      async (count, size, changes, by) => {
        // A service that counts hides rows when others are deleted: no client can know of them.
        const happens = by === 'count' ? changes.map((some) => some.filter(({ kind }) => kind === 'create')) : changes;
        let rows = Array.from({ length: count }, (_, at) => ({ id: `old-${String(at)}`, time: count - at }));
        const always = new Set(rows.map(({ id }) => id));
        let created = count;
        const send = ({ query }: ApiRequest): Promise<ApiAnswer> => {
          const cursor = query?.['cursor'];
          const from = cursor === undefined ? 0 : Number(String(cursor).split(':')[1]);
          const start =
            by === 'count' ? from : cursor === undefined ? 0 : rows.filter(({ time }) => time >= from).length;
          const shown = rows.slice(start, start + size);
          const hasNextPage = rows.length > start + size;
          const next = by === 'count' ? start + size : (shown.at(-1)?.time ?? 0);
          const pods = shown.map(({ id }) => ({ id }));
          const value = { pods, pagination: { nextCursor: hasNextPage ? `after:${String(next)}` : null, hasNextPage } };
          for (const each of happens.shift() ?? [])
            if (each.kind === 'create')
              for (let one = 0; one < each.count; one++)
                rows = [{ id: `new-${String(++created)}`, time: created }, ...rows];
            else {
              const gone = rows[each.at % Math.max(1, rows.length)];
              rows = rows.filter((row) => row !== gone);
              if (gone !== undefined) always.delete(gone.id);
            }
          return Promise.resolve(answer(value));
        };
        const read: string[] = [];
        for await (const { rows: some } of followPages({ send }, POD_LIST)) read.push(...idsOf(some));
        expect(new Set(read).size).toBe(read.length);
        for (const id of always) expect(read).toContain(id);
      },
    ),
  );
});
