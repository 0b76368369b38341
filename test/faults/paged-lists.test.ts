import { describe, expect, test } from 'vitest';
import { pagedFleet } from '../support/servers/paged-fleet.ts';
import { PAGE_FAULTS } from '../support/servers/paged-service.ts';
import { json, pointedAt, serve, type Arrival, type Behaviour } from '../support/servers/scripted-server.ts';
import { expectNoKeyNoStack, fails, works } from '../support/worlds/expect-run.ts';
import { berth, berthIn, type Ran } from '../support/worlds/run-berth.ts';
import { createTestWorld } from '../support/worlds/test-world.ts';

// Lists in pages of 100 from a service that is not berth's own (additions to the contract, 1).

const RETRIES = { BERTH_RETRIES: '0' };

async function run(
  argv: readonly string[],
  fault?: (typeof PAGE_FAULTS)[number],
): Promise<Ran & { readonly seen: readonly Arrival[] }> {
  const server = await serve([pagedFleet(fault)]);
  const ran = await berth(argv, { env: { ...pointedAt(server.url), ...RETRIES } });
  expectNoKeyNoStack(ran);
  return { ...ran, seen: server.seen };
}

/** The writes after the first request for a list. Before it, a name is tried as an id, which changes nothing. */
function writesAfterList(seen: readonly Arrival[]): readonly string[] {
  const first = seen.findIndex(({ method, url }) => method === 'GET' && LIST.test(url));
  return seen.slice(first + 1).flatMap(({ method, url }) => (method === 'GET' ? [] : [`${method} ${url}`]));
}

const LIST = /^\/v2\/(pods|serverless|templates|serverless\/[^/]+\/(releases|builds))(\?|$)/;

describe('a list of three pages', () => {
  test.each([
    ['pods list', 300],
    ['pods list --sort name', 300],
    ['pods list --status RUNNING', 299],
    ['endpoints list', 300],
    ['templates list', 300],
    ['endpoints builds list ep-name-300', 300],
  ])('berth %s has %i rows, the first in every format', async (line, count) => {
    const argv = line.split(' ');
    const documents = JSON.parse((await run([...argv, '-o', 'json'])).out) as readonly { readonly id: string }[];
    expect(new Set(documents.map(({ id }) => id)).size).toBe(count);
    expect(documents).toHaveLength(count);
    if (line !== 'pods list') return;
    const lines = (await run([...argv, '-o', 'jsonl'])).out.trimEnd().split('\n');
    expect(lines.map((each) => JSON.parse(each) as unknown)).toEqual(documents);
    expect((await run([...argv, '-o', 'id'])).out.trimEnd().split('\n')).toEqual(documents.map(({ id }) => id));
    for (const format of ['table', 'wide', 'csv'])
      expect((await run([...argv, '-o', format])).out.trimEnd().split('\n')).toHaveLength(count + 1);
  });
});

describe('names, selectors and completion find a row of the third page', () => {
  test.each([
    ['pods get pod-name-300', /pod-300/],
    ['pods get pod-name-300 -o id', /^pod-300\n$/],
    ['pods start pod-name-300 --json', /"id": "pod-300"/],
    ['pods stop --match pod-name-30? --yes --json', /"id": "pod-300"/],
    ['pods terminate --match pod-name-300 --yes', /pod-300/],
    ['endpoints get ep-name-300 -o id', /^ep-300\n$/],
    ['endpoints releases ep-name-300 --json', /"id": "rel-300"/],
    ['templates get tpl-name-300 -o id', /^tpl-300\n$/],
    ['jobs run ep-name-300 --input {}', /^job-1\n$/],
    ['queue purge ep-name-300 --yes', /.*/],
    ['endpoints builds get ep-name-300 build-300 -o id', /^build-300\n$/],
    ['health ep-name-300', /in queue/],
  ])('berth %s', async (line, out) => {
    const ran = await run(line.split(' '));
    expect([ran.code, ran.err]).toEqual([0, expect.anything()]);
    expect(ran.out).toMatch(out);
  });

  test('a volume that a pod of the third page mounts is not deleted', async () => {
    const ran = await run(['volumes', 'delete', 'vol-1', '--yes']);
    expect([ran.code, ran.err]).toEqual([5, expect.stringContaining('used by pod pod-name-300 (pod-300)') as string]);
    expect(writesAfterList(ran.seen)).toEqual([]);
  });

  test('completion', async () => {
    const server = await serve([pagedFleet()]);
    const world = createTestWorld({ env: pointedAt(server.url) });
    const { out } = await berthIn(world, ['__complete', 'zsh', 'pods', 'get', 'pod-name-30']);
    expect(out).toMatch(/\npod-name-300\t/);
  });
});

test('a list that never ends is an error after 1000 pages: 7', async () => {
  let page = 0;
  const endless: Behaviour = (exchange) => {
    json({ pods: [], pagination: { nextCursor: `c/${String(++page)}+=`, hasNextPage: true } })(exchange);
  };
  await fails(['pods', 'list'], { exit: 7, says: ['incomplete', 'more than 1000 pages'] }, [endless]);
});

test.each([
  ['volumes list', 'networkVolumes'],
  ['clusters pods c1', 'pods'],
])('berth %s, which has no pages, is whole at any length', async (line, member) => {
  const rows = Array.from({ length: 2000 }, (_, at) => ({ id: `v${String(at)}` }));
  const { out } = await works([...line.split(' '), '--json'], [json({ [member]: rows })]);
  expect(JSON.parse(out)).toHaveLength(2000);
});

/** A list, a name, a selector, a raw request; contract/broken-pages.test.ts has every command. */
const READERS = [
  'pods list -o csv',
  'pods terminate pod-name-300 --yes',
  'pods stop --match pod-name-* --yes',
  'api GET /v2/pods --paginate',
];

describe.each(PAGE_FAULTS)('%s', (fault) => {
  test.each(READERS)('berth %s ends 7, prints nothing and sends no write', async (line) => {
    const ran = await run(line.split(' '), fault);
    expect([ran.code, ran.out], ran.err).toEqual([7, '']);
    expect(ran.err).toMatch(/incomplete/);
    expect(writesAfterList(ran.seen)).toEqual([]);
  });
});
