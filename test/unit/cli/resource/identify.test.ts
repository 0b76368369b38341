/** From a word to a thing: an id, a name, or neither. */
import { describe, expect, test } from 'vitest';
import { answerQuestion } from '../../../support/worlds/answer-question.ts';
import { createAccount } from '../../../support/worlds/local-account.ts';
import { inOrder, requestsOf, runRecorded } from '../../../support/servers/recorded-requests.ts';
import { json, pointedAt, routed, serve, text } from '../../../support/servers/scripted-server.ts';
import { berth } from '../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../support/worlds/test-world.ts';

const endpoints = json({ endpoints: [{ id: 'ep1', name: 'demo' }] });

describe('a name', () => {
  test('that is given to another pod in between is still the one that was confirmed', async () => {
    const pods = (...rows: readonly object[]) => json({ pods: rows });
    const server = await serve([
      routed({
        'GET /v2/pods': inOrder(
          pods({ id: 'p1', name: 'web' }),
          pods({ id: 'p1', name: 'old' }, { id: 'p2', name: 'web' }),
        ),
        'DELETE /v2/pods/p1': text('', 204),
        'DELETE /v2/pods/p2': text('', 204),
      }),
    ]);
    const world = createTestWorld({ tty: true, env: pointedAt(server.url) });
    expect((await answerQuestion(world, ['pods', 'terminate', 'web'], 'Continue?', 'y')).code).toBe(0);
    expect(requestsOf(server).filter((each) => each.startsWith('DELETE'))).toEqual(['DELETE /v2/pods/p1']);
  });

  test('of a queue is looked up first: it is purged by the id whose health was shown', async () => {
    const server = await serve([
      routed({
        'GET /v2/serverless': endpoints,
        'GET /v2/ep1/health': json({ jobs: { inQueue: 3 } }),
        'POST /v2/ep1/purge-queue': json({ removed: 3, status: 'completed' }),
      }),
    ]);
    const world = createTestWorld({ tty: true, env: pointedAt(server.url) });
    expect((await answerQuestion(world, ['queue', 'purge', 'demo'], 'Continue?', 'y')).code).toBe(0);
    expect(requestsOf(server)).toEqual(['GET /v2/serverless', 'GET /v2/ep1/health', 'POST /v2/ep1/purge-queue']);
  });

  test.each([
    ['wait', ['jobs', 'wait', 'demo', 'j1']],
    ['stream', ['jobs', 'stream', 'demo', 'j1']],
    ['retry --wait', ['jobs', 'retry', 'demo', 'j1', '--wait']],
  ])('is looked up once by jobs %s', async (_, argv) => {
    const { requests } = await runRecorded(argv, {
      'GET /v2/serverless': endpoints,
      'GET /v2/ep1/status/j1': inOrder(json({ id: 'j1', status: 'FAILED' }), json({ id: 'j1', status: 'COMPLETED' })),
      'GET /v2/ep1/stream/j1': inOrder(json({ stream: [{ output: 'a' }] }), json({ status: 'COMPLETED', stream: [] })),
      'POST /v2/ep1/retry/j1': json({ id: 'j1', status: 'IN_QUEUE' }),
    });
    expect(requests.filter((each) => each.includes('/demo/'))).toHaveLength(1);
    expect(requests.filter((each) => each === 'GET /v2/serverless')).toHaveLength(1);
  });

  test('of a pod of a cluster is found', async () => {
    const account = createAccount();
    const flags = '--gpu GPU-80G --gpu-count 8 --pods 2 --image x --data-center EU-NORTH-1';
    expect((await account(`clusters create --name train --type TRAINING ${flags}`)).code).toBe(0);
    const members = await account('clusters pods train --json --jq .[0].id --raw');
    expect((await account('pods get train-0 -o id')).out).toBe(members.out);
  });

  test.each([
    'pods stop train-llm pod-train --dry-run',
    'pods terminate train-llm pod-train --yes --force',
    'volumes delete scratch vol-scratch --yes --force',
  ])('and the id of one thing are one thing: %s', async (line) => {
    const { code, out } = await createAccount()(`${line} --json`);
    expect([code, [JSON.parse(out) as unknown].flat().length]).toEqual([0, 1]);
  });
});

describe('an id', () => {
  test('that is also the name of another thing is the id', async () => {
    const rows = [
      { id: 'ep1', name: 'demo' },
      { id: 'ep2', name: 'ep1' },
    ];
    const { ran, requests } = await runRecorded(['jobs', 'status', 'ep1', 'gone'], {
      'GET /v2/serverless': json({ endpoints: rows }),
    });
    expect([ran.code, requests]).toEqual([4, ['GET /v2/ep1/status/gone', 'GET /v2/serverless']]);
  });

  test('of a job that is gone while it is polled is not looked up as a name', async () => {
    const { ran, requests } = await runRecorded(['jobs', 'run', 'ep1', '--input', '{}', '--wait'], {
      'POST /v2/ep1/run': json({ id: 'j1', status: 'IN_QUEUE' }),
    });
    expect(ran.code).toBe(4);
    expect(new Set(requests)).toEqual(new Set(['POST /v2/ep1/run', 'GET /v2/ep1/status/j1']));
  });

  test('that is a model slug is sent as it is', async () => {
    const { ran, requests } = await runRecorded(['jobs', 'run', 'openai/whisper', '--input', '{}'], {
      'POST /v2/openai%2Fwhisper/run': json({ id: 'j1', status: 'IN_QUEUE' }),
    });
    expect([ran.out, requests]).toEqual(['j1\n', ['POST /v2/openai%2Fwhisper/run']]);
  });
});

test.each([
  ['pods get nope', 'pods list'],
  ['pods stop nope', 'pods list'],
  ['health nope', 'endpoints list'],
  ['registries delegations revoke nope --yes', 'registries delegations list'],
  ['volumes delete nope --yes', 'volumes list'],
  ['catalog gpus nope', 'catalog gpus'],
])('what nothing has ends 4 and names the command that lists what exists: %s', async (line, list) => {
  const { code, err } = await berth(['--local', ...line.split(' ')]);
  expect([code, err]).toEqual([4, expect.stringContaining(`Run berth --local ${list}\n`)]);
});

test.each([
  ["templates create --name t --image i --registry 'team registry'"],
  ["endpoints create --name e --image i --gpu-pool POOL-24G --registry 'team registry'"],
  ["pods update pod-stopped --registry 'team registry'"],
  [
    'clusters create --name c --type RAY --gpu GPU-80G --gpu-count 1 --pods 2 --image i --network-volume datasets:/data',
  ],
  ["endpoints create --name e --gpu-pool POOL-24G --template 'team worker'"],
  ['pods create --name p --image i --gpu GPU-24G --network-volume datasets:/data'],
  ["pods update pod-stopped --template 'team training'"],
])('a name works in a body: %s', async (line) => {
  const { code, out, err } = await createAccount()(`${line} --json`);
  expect([code, line.includes('registry') && !out.includes('reg-team')], err).toEqual([0, false]);
});

test.each([
  ['pods', ['pods', 'terminate', 'a', '--yes']],
  ['network-volumes', ['volumes', 'delete', 'a', '--yes', '--force']],
  ['serverless', ['endpoints', 'delete', 'a', '--yes']],
  ['clusters', ['clusters', 'delete', 'a', '--yes']],
  ['templates', ['templates', 'delete', 'a', '--yes']],
  ['registries', ['registries', 'delete', 'a', '--yes']],
])('a removal below %s is done after 204, and unknown after 200', async (path, argv) => {
  const removal = (answer: ReturnType<typeof json>) =>
    runRecorded(argv, {
      [`DELETE /v2/${path}/a`]: answer,
      [`GET /v2/${path}/a`]: json({ id: 'a', name: 'a', status: 'RUNNING' }),
      'GET /v2/pods': json({ pods: [] }),
      'GET /v2/serverless': json({ endpoints: [] }),
      'GET /v2/templates': json({ templates: [] }),
    });
  const [done, unknown] = [await removal(text('', 204)), await removal(json({}))];
  expect([done.ran.code, unknown.ran.code], done.ran.err).toEqual([0, 8]);
  expect(unknown.ran.err).toMatch(/answered 200 to DELETE a, not 204\n.*find out: berth /);
});
