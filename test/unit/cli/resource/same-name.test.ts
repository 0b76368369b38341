import { expect, test } from 'vitest';
import { berthIn } from '../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../support/worlds/test-world.ts';
import { json, pointedAt, problem, routed, serve } from '../../../support/servers/scripted-server.ts';

const TEMPLATE = ['templates', 'create', '--name', 'web', '--image', 'i'];

test.each([
  [
    'a pod',
    ['pods', 'create', '--name', 'train-llm', '--image', 'i', '--cpu', 'cpu-general', '--vcpu', '2'],
    'pod-train',
  ],
  [
    'a volume',
    ['volumes', 'create', '--name', 'datasets', '--size', '20', '--data-center', 'EU-WEST-1'],
    'vol-datasets',
  ],
  ['an endpoint', ['endpoints', 'create', '--name', 'demo', '--image', 'i', '--gpu-pool', 'POOL-24G'], 'demo'],
])('%s that gets the name of another one is created, and a person is told', async (_, argv, other) => {
  const terminal = createTestWorld({ tty: { stderr: true } });
  const told = await berthIn(terminal, ['--local', ...argv, '-o', 'id']);
  expect(told.code, told.err).toBe(0);
  const words = told.err.replace(/\s+/g, ' ');
  expect(words).toMatch(new RegExp(`is also that of ${other}: name this \\w+ by its id, ${told.out.trim()}\\.`));
  const script = createTestWorld();
  const first = await berthIn(script, ['--local', ...argv, '-o', 'id']);
  expect([first.code, first.err.includes('is also that of')]).toEqual([0, false]);
  const second = await berthIn(script, ['--local', ...argv, '-o', 'id']);
  expect([second.code, second.err]).toEqual([0, expect.stringContaining(`is also that of ${first.out.trim()}: name`)]);
});

test('the list is read once at a terminal, and never for a script; a failing list changes nothing', async () => {
  const created = json({ id: 't2', name: 'web', image: 'i' }, 201);
  for (const [tty, requests] of [
    [true, ['POST /v2/templates', 'GET /v2/templates']],
    [false, ['POST /v2/templates']],
  ] as const) {
    const server = await serve([routed({ 'POST /v2/templates': created })]);
    const world = createTestWorld({ env: { ...pointedAt(server.url), BERTH_RETRIES: '0' }, tty: { stderr: tty } });
    const ran = await berthIn(world, [...TEMPLATE, '-o', 'id']);
    expect([ran.code, ran.out]).toEqual([0, 't2\n']);
    expect(ran.err).not.toContain('also');
    expect(server.seen.map(({ method, url }) => `${method} ${url}`)).toEqual(requests);
  }
});

test('a script reads only the rows that it remembers by the name; one that is gone, or has another name now, is no note', async () => {
  for (const [known, told] of [
    [problem(404, 'not found'), false],
    [json({ id: 'p1', name: 'other' }), false],
    [json({ id: 'p1', name: 'a' }), true],
  ] as const) {
    const ids = ['p1', 'p2'];
    const server = await serve([
      routed({
        'POST /v2/pods': (to) => {
          json({ id: ids.shift() ?? '', name: 'a', status: 'RUNNING' }, 201)(to);
        },
        'GET /v2/pods/p1': known,
      }),
    ]);
    const world = createTestWorld({ env: { ...pointedAt(server.url), BERTH_RETRIES: '0', BERTH_QUIET: '1' } });
    const create = ['pods', 'create', '--name', 'a', '--cpu', 'c', '--vcpu', '2', '--image', 'i', '-o', 'id'];
    expect((await berthIn(world, create)).err).toBe('');
    const second = await berthIn(world, create);
    expect([second.code, second.out, second.err.includes('is also that of p1: name this pod by its id, p2.')]).toEqual([
      0,
      'p2\n',
      told,
    ]);
    expect(server.seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST /v2/pods',
      'POST /v2/pods',
      'GET /v2/pods/p1',
    ]);
  }
});
