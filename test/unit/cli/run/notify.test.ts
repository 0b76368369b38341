import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createAutoAdvancingClock } from '../../../support/clocks/auto-advancing-clock.ts';
import { createTestClock } from '../../../support/clocks/test-clock.ts';
import { type Behaviour, json, pointedAt, serve, silent, text } from '../../../support/servers/scripted-server.ts';
import { berthIn } from '../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../support/worlds/test-world.ts';

const WAIT = ['--local', 'pods', 'wait', 'pod-train', '--for', 'RUNNING', '--quiet'];
const LATE = ['--local', 'pods', 'wait', 'pod-stopped', '--wait-timeout', '1s'];

test('a command gets the result on stdin and a line in BERTH_NOTICE', async () => {
  const world = createTestWorld();
  const ran = await berthIn(world, [...WAIT, '--json', '--notify', 'cat > got; echo "$BERTH_NOTICE" > line; echo out']);
  expect([ran.code, ran.err]).toEqual([0, '']);
  const file = (name: string): string => readFileSync(path.join(world.directory, name), 'utf8');
  expect(file('line')).toMatch(/^berth pods wait pod-train: done after \S+\n$/);
  const body = JSON.parse(file('got')) as Record<string, unknown>;
  expect(body).toEqual({
    notice: file('line').trim(),
    exitCode: 0,
    durationMs: expect.any(Number) as number,
    result: JSON.parse(ran.out) as unknown,
    error: null,
  });
});

test('an address gets it as a POST, with the error of a wait that failed', async () => {
  const server = await serve([text('', 204)]);
  const ran = await berthIn(createTestWorld(), [...LATE, '--notify', `${server.url}/hook?token=1`]);
  expect([ran.code, ran.err]).toEqual([9, expect.not.stringContaining('notice')]);
  const [{ method, url, headers, body } = expect.fail()] = server.seen;
  expect([method, url, headers['content-type'], headers.authorization]).toEqual([
    ...['POST', '/hook?token=1', 'application/json'],
    undefined,
  ]);
  expect(JSON.parse(body.toString())).toMatchObject({
    notice: expect.stringMatching(/^berth pods wait pod-stopped: exit code 9 after \S+: /) as string,
    exitCode: 9,
    error: { code: expect.any(String) as string },
  });
});

test.each<[string, readonly Behaviour[], number, string]>([
  ['answers 500', [text('', 500)], 3, 'answered 500'],
  ['redirects', [text('', 302, { location: '/elsewhere' })], 1, 'answered 302'],
  ['is slow', [silent], 3, 'did not answer in 5s'],
])('a receiver that %s changes no exit code', async (_, script, tries, says) => {
  const server = await serve(script);
  const world = createTestWorld({ clock: createAutoAdvancingClock() });
  const ran = await berthIn(world, [...WAIT, '--notify', server.url]);
  expect([ran.code, server.seen.length]).toEqual([0, tries]);
  expect(ran.err).toBe(`notice failed: 127.0.0.1 ${says}\n`);
});

test.each<[string, string, RegExp]>([
  ['a receiver that is down', 'http://127.0.0.1:9', /^notice failed: 127\.0\.0\.1 is not reachable: .+\n$/],
  ['a command that fails', 'echo why >&2; exit 3', /^why\nnotice failed: exit code 3\n$/],
])('%s is a line on stderr', async (_, target, says) => {
  const ran = await berthIn(createTestWorld(), [...WAIT, '--notify', target]);
  expect([ran.code, ran.err]).toEqual([0, expect.stringMatching(says)]);
});

test('a command that hangs is ended after 10s', async () => {
  const deadline = (_: number, onOver: () => void) => {
    setImmediate(onOver);
    return () => undefined;
  };
  const clock = { ...createTestClock(), deadline };
  const ran = await berthIn(createTestWorld({ clock }), [...WAIT, '--notify', 'exec sleep 600']);
  expect([ran.code, ran.err]).toEqual([0, 'notice failed: the command did not end in 10s\n']);
});

test.each<[string, readonly string[], RegExp]>([
  ['plain http to another machine', [...WAIT, '--notify', 'http://hooks.example.com/x'], /invalid --notify: use https/],
  ['what does not wait', ['--local', 'pods', 'start', 'pod-train', '--notify', 'true'], /--notify .*--wait/s],
])('%s is refused before anything is sent', async (_, argv, says) => {
  const ran = await berthIn(createTestWorld(), argv);
  expect([ran.code, ran.err]).toEqual([2, expect.stringMatching(says)]);
});

test.each([
  [30_000, 0],
  [90_000, 1],
])(
  'the setting tells of what took longer than a minute: of %i ms, %i notices; secrets are hidden',
  async (ms, told) => {
    const clock = createTestClock();
    const pod = (status: string): Behaviour =>
      json({ id: 'p1', name: 'lab', status, env: { HF_TOKEN: 'token-of-a-user' } });
    const receiver = await serve([text('ok')]);
    const slow: Behaviour = (exchange) => {
      clock.advance(ms);
      pod('EXITED')(exchange);
    };
    const service = await serve([pod('RUNNING'), slow, pod('EXITED')]);
    const world = createTestWorld({ clock, env: { ...pointedAt(service.url), BERTH_NOTIFY: receiver.url } });
    const ran = await berthIn(world, ['pods', 'wait', 'p1', '--for', 'EXITED', '-o', 'json']);
    expect([ran.code, ran.err, receiver.seen.length]).toEqual([0, expect.not.stringContaining('notice'), told]);
    const body = receiver.seen[0]?.body.toString() ?? '"HF_TOKEN":"***"';
    expect(body).toContain('"HF_TOKEN":"***"');
  },
);

test('an interrupt and a dry run tell nobody', async () => {
  const receiver = await serve([text('ok')]);
  const told = ['--notify', receiver.url];
  const start = ['--local', 'pods', 'start', 'pod-stopped', '--wait', '--dry-run'];
  const dry = await berthIn(createTestWorld(), [...start, ...told]);
  expect(dry.code).toBe(0);
  const world = createTestWorld();
  const service = await serve([({ response }) => (world.signal('SIGINT'), response.destroy())]);
  const stopped = await berthIn({ ...world, env: { ...world.env, ...pointedAt(service.url) } }, [
    ...['pods', 'wait', 'p1', ...told],
  ]);
  expect([stopped.code, receiver.seen.length]).toEqual([130, 0]);
});
