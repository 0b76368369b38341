import { describe, expect, test } from 'vitest';
import { fails, works } from '../support/worlds/expect-run.ts';
import { json, routed, serve, pointedAt, type Behaviour } from '../support/servers/scripted-server.ts';
import { berth } from '../support/worlds/run-berth.ts';

// Rows 13, 14 and 16 of docs/faults.md: ids and names that look like something else.

/** Every command that takes an id, as a function of the id, and the request that it sends. */
const COMMANDS: readonly (readonly [string, (id: string) => readonly string[], (segment: string) => string])[] = [
  ['pods get', (id) => ['pods', 'get', '--', id], (id) => `GET /v2/pods/${id}`],
  ['volumes get', (id) => ['volumes', 'get', '--', id], (id) => `GET /v2/network-volumes/${id}`],
  [
    'catalog gpus',
    (id) => ['catalog', 'gpus', '--', id],
    (id) => `GET /v2/catalog/gpus/${id}?include=AVAILABILITY&product=POD`,
  ],
  [
    'catalog cpus',
    (id) => ['catalog', 'cpus', '--', id],
    (id) => `GET /v2/catalog/cpus/${id}?include=AVAILABILITY&product=POD`,
  ],
  [
    'revoke',
    (id) => ['registries', 'delegations', 'revoke', '--yes', '--', id],
    (id) => `DELETE /v2/registries/delegations/${id}`,
  ],
  ['health', (id) => ['health', '--', id], (id) => `GET /v2/${id}/health`],
  ['queue purge', (id) => ['queue', 'purge', '--yes', '--', id], (id) => `POST /v2/${id}/purge-queue`],
  ['jobs run', (id) => ['jobs', 'run', '--input', '{}', '--', id], (id) => `POST /v2/${id}/run`],
  [
    'jobs run --sync',
    (id) => ['jobs', 'run', '--input', '{}', '--sync', '--', id],
    (id) => `POST /v2/${id}/runsync?wait=90000`,
  ],
  ['jobs status (endpoint)', (id) => ['jobs', 'status', '--', id, 'job1'], (id) => `GET /v2/${id}/status/job1`],
  ['jobs status (job)', (id) => ['jobs', 'status', '--', 'ep1', id], (id) => `GET /v2/ep1/status/${id}`],
  ['jobs wait', (id) => ['jobs', 'wait', '--', 'ep1', id], (id) => `GET /v2/ep1/status/${id}`],
  ['jobs cancel', (id) => ['jobs', 'cancel', '--', 'ep1', id], (id) => `POST /v2/ep1/cancel/${id}`],
  ['jobs retry', (id) => ['jobs', 'retry', '--', 'ep1', id], (id) => `POST /v2/ep1/retry/${id}`],
  ['jobs stream', (id) => ['jobs', 'stream', '--', 'ep1', id], (id) => `GET /v2/ep1/stream/${id}`],
];

/** An answer that every one of these commands accepts: a document about the id that was asked for. */
const obliging: Behaviour = (exchange) => {
  const { url } = exchange.arrival;
  const submits = /\/run(sync)?(\?|$)/.test(url);
  const id = submits ? 'x' : decodeURIComponent(/\/([^/?]*)(\?|$)/.exec(url)?.[1] ?? '');
  json({ id, status: 'COMPLETED', removed: 0, stream: [], endpoints: [] })(exchange);
};

describe.each(COMMANDS)('%s', (name, argv, request) => {
  const few = <T>(all: readonly T[]): readonly T[] => (name === 'pods get' ? all : all.slice(0, 3));

  test.each(
    few([
      ['empty', ''],
      ['..', '..'],
      ['with LF', 'a\nb'],
      ['.', '.'],
      ['with NUL', 'a\0b'],
      ['with CR', 'a\rb'],
      ['with CR LF and a header', 'a\r\nX-Evil: 1'],
      ['with ESC', '\u001b[2J'],
      ['with half a surrogate pair', 'a\ud800b'],
    ]),
  )('an id that is %j: 2, before any request', async (_, id) => {
    const { servers, error } = await fails(argv(id), { exit: 2, says: [/empty|not an id|control character|Unicode/] });
    expect(servers.map(({ connections }) => connections())).toEqual([0, 0]);
    expect(error.code).toBe('usage');
  });

  test.each(
    few([
      ['../pods', '..%2Fpods'],
      ['%2e%2e', '%252e%252e'],
      ['a?b', 'a%3Fb'],
      ['a/b', 'a%2Fb'],
      ['%2e', '%252e'],
      ['...', '...'],
      ['a#b', 'a%23b'],
      ['a b', 'a%20b'],
      [' ', '%20'],
      ['café', 'caf%C3%A9'],
      ['a\\b', 'a%5Cb'],
      ['..\\..', '..%5C..'],
      ['a;b=c', 'a%3Bb%3Dc'],
      ['a&b', 'a%26b'],
      ['@host', '%40host'],
      ['//host', '%2F%2Fhost'],
      ['🚢', '%F0%9F%9A%A2'],
      ['-x', '-x'],
      ['--json', '--json'],
    ]),
  )('an id %j is exactly one segment', async (id, segment) => {
    const { server } = await works(argv(id), [obliging]);
    const first = server.seen.find(({ url }) => url !== '/v2/serverless');
    expect(`${first?.method ?? ''} ${first?.url ?? ''}`).toBe(request(segment));
    for (const { url } of server.seen) expect(url).toMatch(/^\/v2\/[^/]+(\/|$)/);
  });
});

describe('berth api', () => {
  test.each(['/v2/pods/..', '/v2/../v1', '/v2/%2e%2e/x', '/v2/.', '/v2//pods', '/v2/a%0Ab', '/v2/%zz'])(
    'a path of %s: 2, before any request',
    async (path) => {
      const { servers } = await fails(['api', 'GET', path], {
        exit: 2,
        says: [/empty|not an id|control character|broken escape/],
      });
      expect(servers[0].connections()).toBe(0);
    },
  );

  test.each([
    ['/v2/pods/a%2Fb', '/v2/pods/a%2Fb'],
    ['v2/pods', '/v2/pods'],
    ['/v2/pods/a b', '/v2/pods/a%20b'],
    ['/v2/pods?a=1&b=x%26y', '/v2/pods?a=1&b=x%26y'],
    ['https://evil.test/v2', undefined],
    ['//evil.test/v2', undefined],
  ])('a path of %s', async (path, sent) => {
    if (sent === undefined) {
      const { servers } = await fails(['api', 'GET', path], { exit: 2, says: [/empty|address/] });
      expect(servers[0].connections()).toBe(0);
    } else {
      const { server } = await works(['api', 'GET', path], [obliging]);
      expect(server.seen.map(({ url }) => url)).toEqual([sent]);
    }
  });
});

describe('a word that begins with a dash', () => {
  test.each([
    ['pods get', ['pods', 'get', '-pod']],
    ['jobs status', ['jobs', 'status', 'ep1', '-job']],
    ['revoke', ['registries', 'delegations', 'revoke', '--yes', '-d1']],
    ['health', ['health', '-ep1']],
  ])('without --, %s says how to pass it: 2', async (_, argv) => {
    const { servers } = await fails(argv, { exit: 2, says: [/unknown option/, /goes after --/] });
    expect(servers[0].connections()).toBe(0);
  });

  test('a name that begins with a dash is accepted as --flag=VALUE and as the next word', async () => {
    const rest = ['--size', '10', '--data-center', 'DC', '--type', 'STANDARD'];
    for (const name of [['--name=-data'], ['--name', '-data']]) {
      const { server } = await works(['volumes', 'create', ...name, ...rest], [json({ id: 'vol1' })]);
      expect(JSON.parse(server.seen.find(({ method }) => method === 'POST')?.body.toString() ?? '')).toMatchObject({
        name: '-data',
      });
    }
  });
});

describe('a name in place of an id', () => {
  const list = json({
    pods: [
      { id: 'p/1', name: 'twin' },
      { id: 'p2', name: 'twin' },
      { id: '..', name: 'escape' },
      { id: 'p3', name: 'only\u001b[31m' },
    ],
  });
  const service = routed({ 'GET /v2/pods': list, 'GET /v2/pods/p3': json({ id: 'p3' }) });

  test('that is unique is looked up after the service did not find it as an id', async () => {
    const server = await serve([routed({ 'GET /v2/pods': json({ pods: [{ id: 'p3', name: 'my pod' }] }) })]);
    const ran = await berth(['pods', 'get', 'my pod', '-o', 'id'], { env: pointedAt(server.url) });
    expect(ran).toMatchObject({ code: 0, out: 'p3\n' });
    expect(server.seen.map(({ url }) => url)).toEqual(['/v2/pods/my%20pod', '/v2/pods?includeClusterPods=true']);
  });

  test('that two resources have: 2 with both ids', async () => {
    const { error } = await fails(['pods', 'get', 'twin'], { exit: 2, says: ['2 pods are named "twin"', 'p/1, p2'] }, [
      service,
    ]);
    expect(error.code).toBe('usage');
  });

  test('whose id would leave the path: 2, and the request is not sent', async () => {
    const { servers } = await fails(['pods', 'stop', 'escape'], { exit: 2, says: ['not an id'] }, [service]);
    expect(servers[0].seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST /v2/pods/escape/action',
      'GET /v2/pods?includeClusterPods=true',
    ]);
  });
});
