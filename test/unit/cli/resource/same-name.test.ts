import { expect, test } from 'vitest';
import { berthIn } from '../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../support/worlds/test-world.ts';
import { json, pointedAt, routed, serve } from '../../../support/servers/scripted-server.ts';

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
  const script = await berthIn(createTestWorld(), ['--local', ...argv, '-o', 'id']);
  expect([script.code, script.err.includes('is also that of')]).toEqual([0, false]);
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
