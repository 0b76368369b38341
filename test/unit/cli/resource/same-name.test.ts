import { expect, test } from 'vitest';
import { berthIn } from '../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../support/worlds/test-world.ts';
import { json, pointedAt, routed, serve } from '../../../support/servers/scripted-server.ts';

/** The names of what a new account has. */
const NAMES: Readonly<Record<string, string>> = { 'pod-train': 'train-llm', 'vol-datasets': 'datasets', demo: 'demo' };
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
])(
  '%s that gets the name of another one is told so, at a terminal and in a script, in a new account too',
  async (_, argv, other) => {
    for (const tty of [true, false]) {
      const world = createTestWorld({ tty: { stderr: tty } });
      const run = (...line: readonly string[]) => berthIn(world, ['--local', ...line]);
      const told = await run(...argv, '-o', 'id');
      expect(told.code, told.err).toBe(0);
      const id = told.out.trim();
      const note = (text: string) => expect(text.replace(/\s+/g, ' '));
      note(told.err).toMatch(new RegExp(`is also that of ${other}: name this \\w+ by its id, ${id}\\.`));
      // One that was made with another name, and renamed.
      const second = (await run(...argv.map((word) => (word === NAMES[other] ? 'free' : word)), '-o', 'id')).out.trim();
      for (const given of [
        ['--name', NAMES[other] ?? ''],
        ['--set', `name=${NAMES[other] ?? ''}`],
      ]) {
        const renamed = await run(argv[0] ?? '', 'update', second, ...given, '-o', 'id');
        expect(renamed.code, renamed.err).toBe(0);
        note(renamed.err).toMatch(new RegExp(`is also that of \\S+ and 1 more: .* by its id, ${second}\\.`));
      }
      const free = await run(argv[0] ?? '', 'update', second, '--name', 'free', '-o', 'id');
      expect([free.code, free.err.includes('is also that of')]).toEqual([0, false]);
    }
  },
);

test('the list is read once, and never with --quiet; a failing list changes nothing', async () => {
  const created = json({ id: 't2', name: 'web', image: 'i' }, 201);
  for (const [flags, requests] of [
    [[], ['POST /v2/templates', 'GET /v2/templates']],
    [['--quiet'], ['POST /v2/templates']],
  ] as const) {
    const server = await serve([routed({ 'POST /v2/templates': created })]);
    const world = createTestWorld({ env: pointedAt(server.url) });
    const ran = await berthIn(world, [...TEMPLATE, ...flags, '-o', 'id']);
    expect([ran.code, ran.out, ran.err]).toEqual([0, 't2\n', '']);
    expect(server.seen.map(({ method, url }) => `${method} ${url}`)).toEqual(requests);
  }
});

test('what was created is printed after an interrupt while the list is read', async () => {
  const created = json({ id: 't2', name: 'web', image: 'i' }, 201);
  const server = await serve([
    routed({
      'POST /v2/templates': created,
      'GET /v2/templates': () => {
        world.signal('SIGINT');
      },
    }),
  ]);
  const world = createTestWorld({ env: pointedAt(server.url) });
  expect((await berthIn(world, [...TEMPLATE, '-o', 'id'])).out).toBe('t2\n');
});

test('an update that does not rename reads no list', async () => {
  const server = await serve([json({ id: 't1', name: 'web', image: 'j' })]);
  await berthIn(createTestWorld({ env: pointedAt(server.url) }), ['templates', 'update', 't1', '--image', 'j']);
  expect(server.seen.map(({ method }) => method)).not.toContain('GET');
});
