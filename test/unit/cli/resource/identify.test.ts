import { describe, expect, test } from 'vitest';
import { berthIn, type Ran } from '../../../support/worlds/run-berth.ts';
import { json, pointedAt, routed, serve, text, type Behaviour } from '../../../support/servers/scripted-server.ts';
import { inOrder, requestsOf, runRecorded } from '../../../support/servers/recorded-requests.ts';
import { createTestWorld } from '../../../support/worlds/test-world.ts';

type Routes = Readonly<Record<string, Behaviour>>;

/** Runs a command on a terminal, where its question is answered: with yes, or with the text that it asks for. */
async function confirmed(argv: readonly string[], server: { readonly url: string }, typed?: string): Promise<Ran> {
  const world = createTestWorld({ tty: true, env: pointedAt(server.url) });
  const running = berthIn(world, argv);
  const question = typed === undefined ? 'Continue?' : `Type "${typed}" to continue:`;
  for (let turns = 0; turns < 20_000 && !world.err().includes(question); turns++) await new Promise(setImmediate);
  await world.type(typed ?? 'y', '\r');
  return await running;
}

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

  test('a queue is purged by the id whose health was shown', async () => {
    const server = await serve([
      routed({
        'GET /v2/serverless': endpoints,
        'GET /v2/ep1/health': json({ jobs: { inQueue: 3 } }),
        'POST /v2/ep1/purge-queue': json({ removed: 3, status: 'completed' }),
      }),
    ]);
    expect((await confirmed(['queue', 'purge', 'demo'], server)).code).toBe(0);
    expect(requestsOf(server)).toEqual(['GET /v2/serverless', 'GET /v2/ep1/health', 'POST /v2/ep1/purge-queue']);
  });
});

describe('act and poll', () => {
  test('a job that is gone while it is polled is not looked up as a name', async () => {
    const { ran, requests } = await runRecorded(['jobs', 'run', 'ep1', '--input', '{}', '--wait'], {
      'POST /v2/ep1/run': json({ id: 'j1', status: 'IN_QUEUE' }),
    });
    expect(ran.code).toBe(4);
    expect(new Set(requests)).toEqual(new Set(['POST /v2/ep1/run', 'GET /v2/ep1/status/j1']));
  });

  test.each([
    ['wait', ['jobs', 'wait', 'demo', 'j1']],
    ['stream', ['jobs', 'stream', 'demo', 'j1']],
    ['retry --wait', ['jobs', 'retry', 'demo', 'j1', '--wait']],
  ])('jobs %s looks the endpoint up once', async (_, argv) => {
    const { requests } = await runRecorded(argv, {
      'GET /v2/serverless': endpoints,
      'GET /v2/ep1/status/j1': inOrder(json({ id: 'j1', status: 'FAILED' }), json({ id: 'j1', status: 'COMPLETED' })),
      'GET /v2/ep1/stream/j1': inOrder(json({ stream: [{ output: 'a' }] }), json({ status: 'COMPLETED', stream: [] })),
      'POST /v2/ep1/retry/j1': json({ id: 'j1', status: 'IN_QUEUE' }),
    });
    expect(requests.filter((each) => each.includes('/demo/'))).toHaveLength(1);
    expect(requests.filter((each) => each === 'GET /v2/serverless')).toHaveLength(1);
  });
});
