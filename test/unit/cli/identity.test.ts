import { describe, expect, test } from 'vitest';
import { berth, berthIn, type Ran } from '../../support/cli.ts';
import { json, pointedAt, problem, routed, serve, text, type Behaviour } from '../../support/faults.ts';
import { createTestWorld, type TestWorldOptions } from '../../support/world.ts';

type Routes = Readonly<Record<string, Behaviour>>;

/** Runs a command line against a server that answers these routes and 404 for the rest. */
async function run(argv: readonly string[], routes: Routes, options: TestWorldOptions = {}) {
  const server = await serve([routed(routes)]);
  const ran = await berth(argv, { ...options, env: { ...pointedAt(server.url), ...options.env } });
  return { ran, requests: requestsOf(server) };
}

const requestsOf = ({ seen }: Awaited<ReturnType<typeof serve>>): readonly string[] =>
  seen.map(({ method, url }) => `${method} ${url}`);

/** Runs a command on a terminal, where its question is answered with yes. */
async function confirmed(argv: readonly string[], server: { readonly url: string }): Promise<Ran> {
  const world = createTestWorld({ tty: true, env: pointedAt(server.url) });
  const running = berthIn(world, argv);
  for (let turns = 0; turns < 20_000 && !world.err().includes('Go on?'); turns++) await new Promise(setImmediate);
  await world.type('y', '\r');
  return await running;
}

/** Answers the first requests one way each, and the rest like the last. */
const inOrder = (...behaviours: readonly Behaviour[]): Behaviour => {
  let count = 0;
  return (exchange) => {
    behaviours[Math.min(count++, behaviours.length - 1)]?.(exchange);
  };
};

const POD_LIST = 'GET /v2/pods?includeClusterPods=true';
const pods = (...rows: readonly { readonly id: string; readonly name: string }[]) => json({ pods: rows });
const pod = (status: string) => json({ id: 'p1', name: 'web', status });
const endpoints = json({ endpoints: [{ id: 'ep1', name: 'demo' }] });
const deleted = text('', 204);

describe('confirm and act', () => {
  const routes: Routes = {
    'GET /v2/pods': pods({ id: 'p1', name: 'web' }),
    'GET /v2/pods/p1': pod('RUNNING'),
    'DELETE /v2/pods/p1': deleted,
  };

  test('a name is looked up once', async () => {
    const server = await serve([routed(routes)]);
    expect((await confirmed(['pods', 'terminate', 'web'], server)).code).toBe(0);
    expect(requestsOf(server)).toEqual(['GET /v2/pods/web', POD_LIST, 'GET /v2/pods/p1', 'DELETE /v2/pods/p1']);
  });

  test('an id costs no list', async () => {
    const server = await serve([routed(routes)]);
    expect((await confirmed(['pods', 'terminate', 'p1'], server)).code).toBe(0);
    expect(requestsOf(server)).toEqual(['GET /v2/pods/p1', 'DELETE /v2/pods/p1']);
  });

  test('what is renamed in between is still the one that was confirmed', async () => {
    const renamed = pods({ id: 'p1', name: 'old' }, { id: 'p2', name: 'web' });
    const server = await serve([
      routed({
        ...routes,
        'GET /v2/pods': inOrder(pods({ id: 'p1', name: 'web' }), renamed),
        'DELETE /v2/pods/p2': deleted,
      }),
    ]);
    expect((await confirmed(['pods', 'terminate', 'web'], server)).code).toBe(0);
    expect(requestsOf(server).filter((each) => each.startsWith('DELETE'))).toEqual(['DELETE /v2/pods/p1']);
  });

  test('several volumes share one list, and each is deleted by the id that was confirmed', async () => {
    const volume = (id: string, name: string) => json({ id, name });
    const server = await serve([
      routed({
        'GET /v2/network-volumes': json({
          networkVolumes: [
            { id: 'v1', name: 'data' },
            { id: 'v2', name: 'logs' },
          ],
        }),
        'GET /v2/network-volumes/v1': volume('v1', 'data'),
        'GET /v2/network-volumes/v2': volume('v2', 'logs'),
        'DELETE /v2/network-volumes/v1': deleted,
        'DELETE /v2/network-volumes/v2': deleted,
        'GET /v2/pods': json({ pods: [] }),
        'GET /v2/serverless': json({ endpoints: [] }),
      }),
    ]);
    const { code, err } = await confirmed(['volumes', 'delete', 'data', 'logs'], server);
    expect([code, err]).toEqual([0, expect.stringContaining('v1 (data), v2 (logs)') as string]);
    const requests = requestsOf(server);
    expect(requests.filter((each) => each === 'GET /v2/network-volumes')).toHaveLength(1);
    expect(requests.slice(-2)).toEqual(['DELETE /v2/network-volumes/v1', 'DELETE /v2/network-volumes/v2']);
  });

  test('a queue is purged by the id whose health was shown', async () => {
    const server = await serve([
      routed({
        'GET /v2/serverless': endpoints,
        'GET /v2/ep1/health': json({ jobs: { inQueue: 3 } }),
        'POST /v2/ep1/purge-queue': json({ removed: 3, status: 'completed' }),
      }),
    ]);
    expect((await confirmed(['queue', 'purge', 'demo'], server)).code).toBe(0);
    expect(requestsOf(server)).toEqual([
      'GET /v2/demo/health',
      'GET /v2/serverless',
      'GET /v2/ep1/health',
      'POST /v2/ep1/purge-queue',
    ]);
  });
});

describe('act and poll', () => {
  const routes: Routes = {
    'GET /v2/pods': pods({ id: 'p1', name: 'web' }),
    'POST /v2/pods/p1/action': pod('STARTING'),
    'GET /v2/pods/p1': inOrder(pod('STARTING'), pod('STARTING'), pod('RUNNING')),
  };

  test('a name is looked up once, and polls use the id', async () => {
    const { ran, requests } = await run(['pods', 'start', 'web', '--wait'], { ...routes });
    expect(ran.code).toBe(0);
    expect(requests).toEqual([
      'POST /v2/pods/web/action',
      POD_LIST,
      'POST /v2/pods/p1/action',
      ...Array.from({ length: 3 }, () => 'GET /v2/pods/p1'),
    ]);
  });

  test('an id costs no list', async () => {
    const { ran, requests } = await run(['pods', 'start', 'p1', '--wait'], {
      ...routes,
      'GET /v2/pods/p1': inOrder(pod('STARTING'), pod('RUNNING')),
    });
    expect(ran.code).toBe(0);
    expect(requests).toEqual(['POST /v2/pods/p1/action', 'GET /v2/pods/p1', 'GET /v2/pods/p1']);
  });

  test('a job is submitted and polled by the id of the endpoint', async () => {
    const { ran, requests } = await run(['jobs', 'run', 'demo', '--input', '{}', '--wait', '--json'], {
      'GET /v2/serverless': endpoints,
      'POST /v2/ep1/run': json({ id: 'j1', status: 'IN_QUEUE' }),
      'GET /v2/ep1/status/j1': inOrder(json({ id: 'j1', status: 'IN_QUEUE' }), json({ id: 'j1', status: 'COMPLETED' })),
    });
    expect(ran.code).toBe(0);
    expect(requests).toEqual([
      'POST /v2/demo/run',
      'GET /v2/serverless',
      'POST /v2/ep1/run',
      'GET /v2/ep1/status/j1',
      'GET /v2/ep1/status/j1',
    ]);
  });

  test('a job that is gone while it is polled is not looked up as a name', async () => {
    const { ran, requests } = await run(['jobs', 'run', 'ep1', '--input', '{}', '--wait'], {
      'POST /v2/ep1/run': json({ id: 'j1', status: 'IN_QUEUE' }),
    });
    expect(ran.code).toBe(4);
    expect(requests).toEqual(['POST /v2/ep1/run', 'GET /v2/ep1/status/j1']);
  });

  test.each([
    ['wait', ['jobs', 'wait', 'demo', 'j1']],
    ['stream', ['jobs', 'stream', 'demo', 'j1']],
    ['retry --wait', ['jobs', 'retry', 'demo', 'j1', '--wait']],
  ])('jobs %s looks the endpoint up once', async (_, argv) => {
    const { requests } = await run(argv, {
      'GET /v2/serverless': endpoints,
      'GET /v2/ep1/status/j1': inOrder(json({ id: 'j1', status: 'FAILED' }), json({ id: 'j1', status: 'COMPLETED' })),
      'GET /v2/ep1/stream/j1': inOrder(json({ stream: [{ output: 'a' }] }), json({ status: 'COMPLETED', stream: [] })),
      'POST /v2/ep1/retry/j1': json({ id: 'j1', status: 'IN_QUEUE' }),
    });
    expect(requests.filter((each) => each.includes('/demo/'))).toHaveLength(1);
    expect(requests.filter((each) => each === 'GET /v2/serverless')).toHaveLength(1);
  });
});

describe('one word', () => {
  test('given twice to one command is looked up once', async () => {
    const { ran, requests } = await run(['jobs', 'cancel', 'demo', 'j1', 'j2', '--yes'], {
      'GET /v2/serverless': endpoints,
      'POST /v2/ep1/cancel/j1': json({ id: 'j1', status: 'CANCELLED' }),
      'POST /v2/ep1/cancel/j2': json({ id: 'j2', status: 'CANCELLED' }),
    });
    expect(ran.code).toBe(0);
    expect(requests).toEqual([
      'POST /v2/demo/cancel/j1',
      'GET /v2/serverless',
      'POST /v2/ep1/cancel/j1',
      'POST /v2/ep1/cancel/j2',
    ]);
  });

  test('that two resources have as their name: 2, with both ids', async () => {
    const { ran } = await run(['pods', 'stop', 'web'], {
      'GET /v2/pods': pods({ id: 'p1', name: 'web' }, { id: 'p2', name: 'web' }),
    });
    expect([ran.code, ran.err]).toEqual([2, expect.stringContaining('Use an id: p1, p2') as string]);
  });

  test('that is the id of one resource and the name of another is the id', async () => {
    const { ran, requests } = await run(['jobs', 'status', 'ep1', 'gone'], {
      'GET /v2/serverless': json({
        endpoints: [
          { id: 'ep1', name: 'demo' },
          { id: 'ep2', name: 'ep1' },
        ],
      }),
    });
    expect(ran.code).toBe(4);
    expect(requests).toEqual(['GET /v2/ep1/status/gone', 'GET /v2/serverless']);
  });

  test('after a 429 is tried again, then looked up: nothing is concluded from the 404', async () => {
    const { ran, requests } = await run(['pods', 'terminate', 'web', '--yes'], {
      'DELETE /v2/pods/web': inOrder(problem(429, 'slow down'), problem(404, 'resource not found')),
      'GET /v2/pods': pods({ id: 'p1', name: 'web' }),
      'DELETE /v2/pods/p1': inOrder(problem(429, 'slow down'), deleted),
    });
    expect([ran.code, ran.err]).toEqual([0, 'pod web is terminated.\n']);
    expect(requests).toEqual([
      'DELETE /v2/pods/web',
      'DELETE /v2/pods/web',
      POD_LIST,
      'DELETE /v2/pods/p1',
      'DELETE /v2/pods/p1',
    ]);
  });

  test('that is a model slug is sent as it is', async () => {
    const { ran, requests } = await run(['jobs', 'run', 'openai/whisper', '--input', '{}'], {
      'POST /v2/openai%2Fwhisper/run': json({ id: 'j1', status: 'IN_QUEUE' }),
    });
    expect([ran.code, ran.out]).toEqual([0, 'j1\n']);
    expect(requests).toEqual(['POST /v2/openai%2Fwhisper/run']);
  });
});

describe('other ways to a resource', () => {
  test('ssh uses the id that the name stands for', async () => {
    const { ran, requests } = await run(['pods', 'ssh', 'web', '--print'], {
      'GET /v2/pods': pods({ id: 'p1', name: 'web' }),
      'GET /v2/pods/p1': json({ id: 'p1', ssh: { direct: { host: 'h.example', port: 22, username: 'root' } } }),
    });
    expect([ran.code, ran.out]).toEqual([0, 'ssh -p 22 root@h.example\n']);
    expect(requests).toEqual(['GET /v2/pods/web', POD_LIST, 'GET /v2/pods/p1']);
  });

  test('logs that are followed look the name up once, whatever the connection does', async () => {
    const event = (id: string) =>
      text(`id: ${id}\ndata: {"line":"x"}\n\n`, 200, { 'content-type': 'text/event-stream' });
    const { ran, requests } = await run(['pods', 'logs', 'web', '--follow'], {
      'GET /v2/pods': pods({ id: 'p1', name: 'web' }),
      'GET /v2/pods/p1': pod('EXITED'),
      'GET /v2/pods/p1/logs': inOrder(event('1'), event('1')),
    });
    expect(ran.code).toBe(0);
    expect(requests.filter((each) => each.startsWith('GET /v2/pods/web/logs'))).toHaveLength(1);
    expect(requests.filter((each) => each === POD_LIST)).toHaveLength(1);
  });

  test('a pod of a cluster is found by its name', async () => {
    const created = ['clusters', 'create', '--name', 'train', '--type', 'TRAINING', '--gpu', 'GPU-80G'];
    const world = createTestWorld({ env: { BERTH_LOCAL: '1' } });
    const more = ['--gpu-count', '8', '--pods', '2', '--image', 'x', '--data-center', 'EU-NORTH-1'];
    expect((await berthIn(world, [...created, ...more])).code).toBe(0);
    const members = await berthIn(world, ['clusters', 'pods', 'train', '--json', '--jq', '.[0].id', '--raw']);
    const { code, out } = await berthIn(world, ['pods', 'get', 'train-0', '-o', 'id']);
    expect([code, out]).toEqual([0, members.out]);
  });

  test('a reference in a body is sent as an id first, and looked up once the service answers 404', async () => {
    const created = ['pods', 'create', '--name', 'n', '--cpu', 'c', '--vcpu', '2', '--template', 'web'];
    const bodies: unknown[] = [];
    const { ran, requests } = await run([...created, '--registry', 'team'], {
      'GET /v2/templates': json({ templates: [{ id: 't1', name: 'web' }] }),
      'GET /v2/registries': json({ registries: [{ id: 'r1', name: 'team' }] }),
      'GET /v2/catalog/cpus': json({ cpus: [] }),
      'POST /v2/pods': (exchange) => {
        const body = JSON.parse(exchange.arrival.body.toString()) as Record<string, unknown>;
        bodies.push([body['templateId'], body['registry']]);
        (body['templateId'] === 't1' ? json({ id: 'p1' }, 201) : problem(404, 'template not found'))(exchange);
      },
    });
    expect(ran.code, ran.err).toBe(0);
    expect(bodies).toEqual([
      ['web', 'team'],
      ['t1', 'r1'],
    ]);
    expect(requests.filter((each) => each.startsWith('GET /v2/templates'))).toHaveLength(1);
  });

  test('an update of a name reads the row and changes it under one id', async () => {
    const { ran, requests } = await run(['volumes', 'update', 'data', '--size', '20'], {
      'GET /v2/network-volumes': json({ networkVolumes: [{ id: 'v1', name: 'data' }] }),
      'GET /v2/network-volumes/v1': json({ id: 'v1', name: 'data', size: 10 }),
      'PATCH /v2/network-volumes/v1': json({ id: 'v1', name: 'data', size: 20 }),
    });
    expect(ran.code, ran.err).toBe(0);
    expect(requests).toEqual([
      'GET /v2/network-volumes/data',
      'GET /v2/network-volumes',
      'GET /v2/network-volumes/v1',
      'PATCH /v2/network-volumes/v1',
    ]);
  });
});
