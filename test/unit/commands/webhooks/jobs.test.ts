import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { serve } from '../../../support/servers/http-server.ts';
import { berthIn } from '../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../support/worlds/test-world.ts';

it('jobs run --webhook-to posts the document that status shows, and prints it', async () => {
  const receiver = await serve((response) => response.writeHead(200).end());
  const { code, out, world } = await run(receiver.url, ['--json']);
  expect(code).toBe(0);
  const [posted] = receiver.seen;
  const document = JSON.parse(out) as { id: string };
  expect(JSON.parse(posted?.body.toString() ?? '')).toEqual(document);
  const status = await berthIn(world, ['jobs', 'status', 'echo', document.id, '--local', '--json']);
  expect(posted?.body.toString()).toContain('"n":9007199254740993');
  expect(status.out).toContain('9007199254740993');
  expect(posted?.headers).toMatchObject({ 'content-type': 'application/json' });
  expect(posted?.headers['authorization']).toBeUndefined();
});

it('it is posted up to three times, 10 s apart, until the answer is 200', async () => {
  const receiver = await serve((response, _, count) => response.writeHead(count === 3 ? 200 : 204).end());
  const { code, world } = await run(receiver.url);
  expect([code, receiver.seen.length]).toEqual([0, 3]);
  expect(world.clock.slept.filter((span) => span === 10_000)).toHaveLength(2);
});

it('a receiver that never answers 200 ends with 7, after the result is printed; replay posts it later', async () => {
  let status = 500;
  const receiver = await serve((response) => response.writeHead(status).end());
  const { code, out, err, world } = await run(receiver.url, ['--json']);
  expect([code, receiver.seen.length]).toEqual([7, 3]);
  expect(JSON.parse(out)).toMatchObject({ status: 'COMPLETED' });
  const [, id = ''] = /webhooks replay ([\w-]+)/.exec(err) ?? [];
  status = 200;
  expect((await berthIn(world, ['webhooks', 'replay', id])).code).toBe(0);
  expect(receiver.seen[3]?.body).toEqual(receiver.seen[0]?.body);
});

it('a job that failed is posted too, and its exit code stays', async () => {
  const receiver = await serve((response) => response.writeHead(200).end());
  const world = createTestWorld();
  const argv = ['jobs', 'run', 'fail', '--input', '{}', '--local', '--webhook-to', receiver.url];
  expect((await berthIn(world, argv)).code).toBe(10);
  expect(JSON.parse(receiver.seen[0]?.body.toString() ?? '')).toMatchObject({ status: 'FAILED' });
});

it.each([[['--webhook', 'https://example.com']], [['--stream']]])(
  '%j and --webhook-to exclude each other',
  async (flags) => {
    const { code, err } = await run('http://127.0.0.1:3000/hook', flags);
    expect([code, err]).toEqual([2, expect.stringContaining('exclude each other')]);
  },
);

it('reconcile posts the jobs that ended and whose webhook never came, once', async () => {
  const receiver = await serve((response) => response.writeHead(200).end());
  const world = createTestWorld();
  const submit = async (endpoint: string, ...flags: string[]) =>
    await berthIn(world, ['jobs', 'run', endpoint, '--input', '{"seconds":900}', '--local', ...flags]);
  await submit('echo', '--webhook-to', `${receiver.url}/came`);
  await submit('echo', '--wait');
  await submit('fail', '--wait');
  await submit('sleep');
  const file = join(world.cwd, 'jobs.jsonl');
  const { out } = await berthIn(world, ['jobs', 'recent', '-o', 'jsonl', '--local']);
  writeFileSync(file, out);
  const argv = ['webhooks', 'reconcile', '--jobs', file, '--to', `${receiver.url}/late`, '--local'];
  const first = await berthIn(world, [...argv, '--json']);
  expect(first.code).toBe(0);
  expect(first.err).toContain('4 jobs: the webhooks of 1 came, 1 have not ended.');
  expect((JSON.parse(first.out) as { status: string }[]).map(({ status }) => status).sort()).toEqual([
    'COMPLETED',
    'FAILED',
  ]);
  expect(receiver.seen.filter(({ url }) => url === '/late')).toHaveLength(2);
  await berthIn(world, argv);
  expect(receiver.seen).toHaveLength(3);
});

it.each([
  ['nonsense\n', 14, 'line 1: the endpoint of job nonsense is not known'],
  ['{"endpoint":"echo"}\n', 14, 'line 1: there is no job id'],
  ['[{"id":7}]', 14, 'item 1: there is no job id'],
  ['{"id":"gone","endpoint":"echo"}\n', 4, 'gone'],
  ['', 0, '0 jobs'],
])('a file of jobs with %j ends with %i', async (text, exit, words) => {
  const world = createTestWorld({ stdin: text });
  const argv = ['webhooks', 'reconcile', '--jobs', '-', '--to', 'http://127.0.0.1:3000', '--local'];
  const { code, err } = await berthIn(world, argv);
  expect([code, err]).toEqual([exit, expect.stringContaining(words)]);
});

async function run(to: string, flags: readonly string[] = []) {
  const input = '{"n":9007199254740993}';
  return await berthIn(createTestWorld(), [
    'jobs',
    'run',
    'echo',
    '--input',
    input,
    '--local',
    '--webhook-to',
    to,
    ...flags,
  ]);
}
