import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createTestWorld } from '../../../support/worlds/test-world.ts';
import {
  type Behaviour,
  hangUp,
  json,
  pointedAt,
  problem,
  routed,
  serve,
} from '../../../support/servers/scripted-server.ts';
import { hasSsh } from '../../../support/servers/sshd.ts';
import { berthIn } from '../../../support/worlds/run-berth.ts';

const GPU = ['--gpu', 'GPU-24G', '--image', 'a/b:1'];

test.each<[string, readonly string[], number, RegExp]>([
  ['no command', [...GPU], 2, /missing COMMAND/],
  ['a command without --', ['a/b:1', 'python'], 2, /unexpected "a\/b:1": the command goes after --/],
  ['no hardware', ['--image', 'a/b:1', '--', 'true'], 2, /missing --gpu or --cpu/],
  ['half a copy', [...GPU, '--out', ':x', '--', 'true'], 2, /is not PATH/],
  ['what is not here', [...GPU, '--in', 'nothere', '--', 'true'], 4, /no such file or folder: nothere/],
  ['no amount', [...GPU, '--max-cost', 'two', '--', 'true'], 2, /--max-cost is not an amount/],
  ['what attach does', [...GPU, '--detach', '--out', 'x', '--', 'true'], 2, /use either --detach or --out/],
  ['attach without a pod', ['attach'], 2, /missing POD/],
  ['attach to a pod of no run', ['attach', 'pod-train'], 2, /was not made by a run/],
  ['end of what is no mark', ['end', '../../key', '--yes'], 2, /is not the mark of a run/],
  ['end of no run', ['end', 'run-1', '--yes'], 4, /no pod of a run/],
  ['end without --yes in a script', ['end', 'run-1'], 2, /confirm/],
])('%s is refused', async (_, argv, code, says) => {
  const world = createTestWorld({ env: { BERTH_LOCAL: '1' } });
  const ran = await berthIn(world, ['run', ...argv]);
  expect([ran.code, ran.err]).toEqual([code, expect.stringMatching(says)]);
});

test.skipIf(!hasSsh)('a refused create leaves no key, tells the second process, and asks for no list', async () => {
  const told: string[] = [];
  const companion = () => Promise.resolve({ tell: (word: string) => void told.push(word) });
  const world = createTestWorld({ env: { BERTH_LOCAL: '1' }, companion });
  await berthIn(world, ['local', 'fault', 'add', 'refuse', '--count', '1', '--detail', 'this cannot be']);
  const ran = await berthIn(world, ['run', ...GPU, '--verbose', '--', 'true']);
  expect([ran.code, told]).toEqual([5, ['done']]);
  expect(ran.err).not.toMatch(/GET \S*\/v2\/pods/);
  const ssh = path.join(world.directory, '.local/share/berth/ssh');
  expect(existsSync(path.join(ssh, 'run-i'))).toBe(false);
});

test.skipIf(!hasSsh)(
  'a create that is interrupted unanswered is looked for by its mark for a minute, then 8',
  async () => {
    const server = await serve([
      routed({
        'GET /v2/catalog/gpus': json({ gpus: [] }),
        'GET /v2/pods': json({ pods: [] }),
        'POST /v2/pods': (exchange) => {
          world.signal('SIGINT');
          hangUp(exchange);
        },
      }),
    ]);
    const world = createTestWorld({ env: pointedAt(server.url) });
    const startedAt = world.clock.monotonic();
    const ran = await berthIn(world, ['run', ...GPU, '--', 'true']);
    expect([ran.code, ran.err]).toEqual([8, expect.stringMatching(/run end run-i/)]);
    expect(world.clock.monotonic() - startedAt).toBeGreaterThanOrEqual(60_000);
    expect(server.seen.filter(({ method }) => method === 'POST')).toHaveLength(1);
  },
);

test.skipIf(!hasSsh).each<[string, Behaviour]>([
  ['is too dear', json({ id: 'pod-1', name: 'run-i', status: 'PROVISIONING', cost: 99 }, 201)],
  ['finds no room', problem(400, 'There are no instances currently available')],
])('an interrupt while a pod is made that %s: no other is, and the second process ends it', async (_, answer) => {
  const told: string[] = [];
  const companion = () => Promise.resolve({ tell: (word: string) => void told.push(word) });
  const gpus = ['GPU-24G', 'GPU-48G'].map((id) => ({ id, price: { secure: 0.5 }, availability: 'HIGH' }));
  const server = await serve([
    routed({
      'GET /v2/catalog/gpus': json({ gpus }),
      'POST /v2/pods': (exchange) => {
        world.signal('SIGINT');
        answer(exchange);
      },
    }),
  ]);
  const world = createTestWorld({ env: pointedAt(server.url), companion });
  const ran = await berthIn(world, ['run', ...GPU, '--gpu', 'GPU-48G', '--max-price', '1', '--', 'true']);
  expect([ran.code, told]).toEqual([130, []]);
  expect(server.seen.filter(({ method }) => method === 'POST')).toHaveLength(1);
});

test('the end of a run whose pod is gone removes its key', async () => {
  const world = createTestWorld({ env: { BERTH_LOCAL: '1' } });
  const key = path.join(world.directory, '.local/share/berth/ssh/run-1');
  mkdirSync(path.dirname(key), { recursive: true });
  writeFileSync(key, 'key');
  expect((await berthIn(world, ['run', 'end', 'run-1', '--yes'])).code).toBe(4);
  expect(existsSync(key)).toBe(false);
});

test.skipIf(!hasSsh).each([
  ['an interrupt', '30s', 130, /interrupted/],
  ['the time limit', '0s', 9, /command not started after 0s \(--timeout\)/],
])('%s while the pod starts terminates it, and offers no wait for it', async (what, timeout, code, says) => {
  const pod = { id: 'pod-1', name: 'run-i', status: 'PROVISIONING' };
  const creates = [problem(429, 'too many requests'), json(pod, 201)];
  const server = await serve([
    routed({
      'GET /v2/catalog/gpus': json({ gpus: [] }),
      'POST /v2/pods': (exchange) => creates.shift()?.(exchange),
      'GET /v2/pods/pod-1': (exchange) => {
        if (what === 'an interrupt') world.signal('SIGINT');
        json(pod)(exchange);
      },
      'DELETE /v2/pods/pod-1': ({ response }) => {
        response.writeHead(204).end();
      },
    }),
  ]);
  const world = createTestWorld({ env: pointedAt(server.url) });
  const ran = await berthIn(world, ['run', ...GPU, '--timeout', timeout, '--', 'true']);
  expect([ran.code, ran.err]).toEqual([code, expect.stringMatching(says)]);
  expect(ran.err).toContain('terminated pod-1');
  expect(ran.err).not.toContain('Go on with');
});

test.each([
  ['two reads five seconds apart find none', () => false, 0, /terminated pod pod-1/],
  ['a later read finds it', (reads: number) => reads % 2 === 0, 8, /run-1 may still run: pod pod-1 is RUNNING/],
])('an end that is answered with 404: %s', async (_, isThere, code, says) => {
  let reads = 0;
  const pod = { id: 'pod-1', name: 'run-1', status: 'RUNNING', env: { BERTH_CREATE_KEY: 'run-1' } };
  const server = await serve([
    routed({
      'GET /v2/pods': json({ pods: [pod] }),
      'DELETE /v2/pods/pod-1': json({ title: 'Not Found', status: 404, detail: 'no such pod' }, 404),
      'GET /v2/pods/pod-1': (exchange) =>
        (isThere((reads += 1)) ? json(pod) : json({ title: 'Not Found', status: 404, detail: 'no such pod' }, 404))(
          exchange,
        ),
    }),
  ]);
  const world = createTestWorld({ env: pointedAt(server.url) });
  const startedAt = world.clock.monotonic();
  const ran = await berthIn(world, ['run', 'end', 'run-1', '--yes']);
  expect([ran.code, ran.err]).toEqual([code, expect.stringMatching(says)]);
  expect(world.clock.monotonic() - startedAt).toBeGreaterThanOrEqual(5000);
});
