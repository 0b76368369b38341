import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { localFixture, type LocalFixture } from '../../../support/local/service-fixture.ts';

const template = (name: string) => ({ name, image: 'example/image:1' });

interface Page {
  readonly ids: readonly string[];
  readonly next: string | null;
  readonly more: boolean;
}

interface ListBody {
  readonly templates?: readonly { readonly id: string }[];
  readonly pods?: readonly { readonly id: string }[];
  readonly pagination: { readonly nextCursor: string | null; readonly hasNextPage: boolean };
}

async function page({ send }: LocalFixture, path: string, cursor?: string | null): Promise<Page> {
  const { body } = await send('GET', typeof cursor === 'string' ? `${path}&cursor=${cursor}` : path);
  const { templates, pods, pagination } = body as unknown as ListBody;
  const ids = (templates ?? pods ?? []).map(({ id }) => id);
  return { ids, next: pagination.nextCursor, more: pagination.hasNextPage };
}

/** All ids of a list, page by page, at most 50 pages. */
async function follow(local: LocalFixture, path: string): Promise<readonly (readonly string[])[]> {
  const pages: (readonly string[])[] = [];
  let cursor: string | null = null;
  for (let count = 0; count < 50; count++) {
    const { ids, next, more }: Page = await page(local, path, cursor);
    pages.push(ids);
    if (!more) return pages;
    cursor = next;
  }
  return pages;
}

async function created(local: LocalFixture, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < count; at++) {
    const { body } = await local.send('POST', '/v2/templates', template(`t${String(at)}`));
    ids.push(String(body['id']));
  }
  return ids;
}

describe('lists in pages (additions 1)', () => {
  it('newest first, each row once, and the last page has no cursor', async () => {
    const local = localFixture();
    const ids = await created(local, 5);
    const pages = await follow(local, '/v2/templates?limit=3');
    expect(pages).toEqual([ids.slice(2).reverse(), [...ids.slice(0, 2).reverse(), 'tpl-worker'], ['tpl-train']]);
    expect(await page(local, '/v2/templates?limit=7')).toMatchObject({ next: null, more: false });
  });

  it('members of clusters leave a page after it was cut', async () => {
    const local = localFixture();
    const compute = { gpuTypeId: 'GPU-24G', gpuCountPerPod: 1, podCount: 3 };
    await local.send('POST', '/v2/clusters', { name: 'c', type: 'RAY', compute });
    const [first = [], second = []] = await follow(local, '/v2/pods?limit=2');
    expect([first.length, second.length]).toEqual([0, 1]);
    expect((await page(local, '/v2/pods?limit=2&includeClusterPods=true')).ids).toHaveLength(2);
  });

  it.each([
    ['other parameters', '/v2/templates?limit=3'],
    ['another operation', '/v2/serverless?limit=2'],
    ['parameters that are left out', '/v2/templates?'],
  ])('a cursor of %s is 422', async (_, other) => {
    const local = localFixture();
    await created(local, 3);
    const { next } = await page(local, '/v2/templates?limit=2');
    expect((await local.send('GET', `${other}&cursor=${String(next)}`)).status).toBe(422);
    expect((await local.send('GET', `/v2/templates?limit=2&cursor=${String(next)}`)).status).toBe(200);
    expect((await local.send('GET', `/v2/templates?limit=2&cursor=${String(next)}x`)).status).toBe(422);
  });

  it('rows that are created or deleted between pages neither repeat nor hide others', async () => {
    const change = fc.oneof(fc.constant('create' as const), fc.nat(30));
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.array(change, { maxLength: 3 })),
        async (limit, changes) => {
          const local = localFixture();
          const before = ['tpl-train', 'tpl-worker', ...(await created(local, 8))];
          const gone = new Set<string>();
          const seen: string[] = [];
          let cursor: string | null = null;
          for (let turn = 0; ; turn++) {
            const { ids, next, more }: Page = await page(local, `/v2/templates?limit=${String(limit)}`, cursor);
            seen.push(...ids);
            if (!more) break;
            cursor = next;
            for (const each of changes[turn] ?? []) {
              if (each === 'create') await created(local, 1);
              else gone.add(before[each % before.length] ?? '');
            }
            for (const id of gone) await local.send('DELETE', `/v2/templates/${id}`);
          }
          expect(new Set(seen).size).toBe(seen.length);
          expect(seen).toEqual(expect.arrayContaining(before.filter((id) => !gone.has(id))));
        },
      ),
      { numRuns: 40 },
    );
  });
});
