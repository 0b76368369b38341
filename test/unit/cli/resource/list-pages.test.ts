import { describe, expect, test } from 'vitest';
import { pagedFleet, PODS } from '../../../support/servers/paged-fleet.ts';
import { pointedAt, serve, type Behaviour } from '../../../support/servers/scripted-server.ts';
import { berth } from '../../../support/worlds/run-berth.ts';

async function run(argv: readonly string[], behaviour: Behaviour = pagedFleet(), tty = false) {
  const server = await serve([behaviour]);
  return { ...(await berth(argv, { env: pointedAt(server.url), tty })), requests: server.seen.length };
}

describe('--limit', () => {
  test('reads only the pages that it needs, and says that there are more', async () => {
    const ran = await run(['pods', 'list', '--limit', '120', '-o', 'id']);
    expect(ran.out.trimEnd().split('\n')).toEqual(PODS.slice(0, 120).map(({ id }) => id));
    expect([ran.code, ran.requests]).toEqual([0, 2]);
    expect(ran.err).toBe('Shown: 120 pods, because of --limit. There may be more.\n');
  });

  test('says that there may be more where the next page was not read', async () => {
    const ran = await run(['pods', 'list', '--limit', '100', '-o', 'jsonl']);
    expect([ran.requests, ran.err]).toEqual([1, 'Shown: 100 pods, because of --limit. There may be more.\n']);
  });

  test.each(['300', '301'])('%s says nothing where there are no more', async (limit) => {
    for (const format of ['json', 'jsonl', 'table'])
      expect((await run(['pods', 'list', '--limit', limit, '-o', format])).err).toBe('');
  });

  test('with --sort reads all pages, and shows the first rows of the order', async () => {
    const ran = await run(['pods', 'list', '--sort', '-age', '--limit', '2', '-o', 'id']);
    expect([ran.out, ran.requests]).toEqual(['pod-300\npod-299\n', 3]);
    expect(ran.err).toContain('There may be more.');
  });

  test('the total of all rows is not said of a part', async () => {
    expect((await run(['pods', 'list'], pagedFleet(), true)).err).toContain('300 pods');
    expect((await run(['pods', 'list', '--limit', '7'], pagedFleet(), true)).err).toBe(
      'Shown: 7 pods, because of --limit. There may be more.\n',
    );
  });

  test.each(['0', '-1', 'all'])('%s is refused before anything is sent', async (limit) => {
    expect(await run(['pods', 'list', '--limit', limit])).toMatchObject({ code: 2, requests: 0 });
  });
});

describe('berth api', () => {
  test('--paginate prints one document with the rows of all pages', async () => {
    const ran = await run(['api', 'GET', '/v2/pods?includeClusterPods=true', '--paginate', '-F', 'limit=70']);
    const document = JSON.parse((await run(['api', 'GET', '/v2/pods', '--paginate', '--json'])).out) as {
      readonly pods: readonly unknown[];
      readonly pagination: unknown;
    };
    expect([ran.code, ran.requests]).toEqual([0, 5]);
    expect(document.pods).toHaveLength(300);
    expect(document.pagination).toEqual({ nextCursor: null, hasNextPage: false });
  });

  test('without it, stderr says that it is one page', async () => {
    const ran = await run(['api', 'GET', '/v2/pods', '--json']);
    expect([ran.requests, ran.err]).toEqual([1, 'This is one page of the list: --paginate reads all.\n']);
  });

  test('--paginate of what is no list prints it as it is, and of a write is refused', async () => {
    expect((await run(['api', 'GET', '/v2/pods/pod-1', '--paginate', '--jq', '.id', '--raw'])).out).toBe('pod-1\n');
    expect(await run(['api', 'DELETE', '/v2/pods/pod-300', '--paginate'])).toMatchObject({ code: 2, requests: 0 });
  });
});
