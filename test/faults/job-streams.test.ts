import { describe, expect, test } from 'vitest';
import { berthIn } from '../support/worlds/run-berth.ts';
import { createTestClock, type TestClock } from '../support/clocks/test-clock.ts';
import { createTestWorld } from '../support/worlds/test-world.ts';
import { fails, works } from '../support/worlds/expect-run.ts';
import {
  json,
  pointedAt,
  problem,
  raw,
  reset,
  routed,
  serve,
  type Behaviour,
} from '../support/servers/scripted-server.ts';

// Row 41 of docs/faults.md: job streams that never end, and what ends a stream.

/** Answers every poll with chunks, each after a second. */
const endless =
  (clock: TestClock, chunks: unknown): Behaviour =>
  (exchange) => {
    clock.advance(1000);
    json(chunks)(exchange);
  };

describe('a stream whose chunks never end', () => {
  test.each([
    ['an array', [{ output: 'x' }]],
    ['wrapped', { status: 'IN_PROGRESS', stream: [{ output: 'x' }] }],
    ['wrapped, of a job that has ended', { status: 'COMPLETED', stream: [{ output: 'x' }] }],
  ])('%s: --wait-timeout ends it with 9 and names the command that continues', async (_, chunks) => {
    const clock = createTestClock();
    const { servers } = await fails(
      ['jobs', 'stream', 'ep1', 'job1', '--wait-timeout', '30s'],
      { exit: 9, says: ['job job1 not COMPLETED after 30s', 'berth jobs stream ep1 job1'], out: /x/ },
      [endless(clock, chunks)],
      { clock },
    );
    expect(servers.map(({ seen }) => seen.length)).toEqual([30, 30]);
  });

  test('jobs run --stream ends 9 too', async () => {
    const clock = createTestClock();
    await fails(
      ['jobs', 'run', 'ep1', '--input', '{}', '--stream', '--wait-timeout', '5s'],
      { exit: 9, says: ['job job1 not COMPLETED after 5s'], out: /x/, told: /submitted job job1/ },
      [routed({ 'POST /v2/ep1/run': json({ id: 'job1' }) }, endless(clock, [{ output: 'x' }]))],
      { clock },
    );
  });
});

describe('a terminal status that arrives with the last chunks', () => {
  const last = json({ status: 'FAILED', error: 'broke', stream: [{ output: 'end' }] });

  test.each([
    ['the job is gone', problem(404, 'job not found')],
    ['the next answer is an empty array', json([])],
    ['the next answer has no status', json({ stream: [] })],
  ])('is the outcome if %s', async (_, rest) => {
    const server = await serve([last, rest]);
    const world = createTestWorld({ env: pointedAt(server.url) });
    const ran = await berthIn(world, ['jobs', 'stream', 'ep1', 'job1']);
    expect([ran.code, ran.out]).toEqual([10, 'end\n']);
    expect(ran.err).toContain('job job1 ended FAILED: broke');
    expect(server.seen.map(({ url }) => url)).toEqual(['/v2/ep1/stream/job1', '/v2/ep1/stream/job1']);
  });

  test('chunks after it are printed', async () => {
    const more = json({ status: 'COMPLETED', stream: [{ output: 'b' }] });
    const first = json({ status: 'COMPLETED', stream: [{ output: 'a' }] });
    const { out } = await works(
      ['jobs', 'stream', 'ep1', 'job1'],
      [first, more, json({ status: 'COMPLETED', stream: [] })],
    );
    expect(out).toBe('ab\n');
  });
});

describe('a poll whose answer is lost: its chunks do not come again', () => {
  const chunk = (text: string, status: string) => json({ status, stream: [{ output: text }] });
  const halfBody = raw(
    'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n[{"output":"b"}',
  );

  test.each([
    ['a reset', reset],
    ['half a body', halfBody],
    ['a 502 of what is between', problem(502, 'bad gateway')],
  ])('%s: what follows is printed, and the end is 7', async (_, lost) => {
    const { error, servers } = await fails(
      ['jobs', 'stream', 'ep1', 'job1'],
      { exit: 7, says: ['lost 1 stream response', 'berth jobs status ep1 job1'], out: /a[^b]*c/ },
      [chunk('a', 'IN_PROGRESS'), lost, chunk('c', 'COMPLETED'), json([])],
    );
    expect([error.code, servers[0].seen.map(({ url }) => url.split('/')[3])]).toEqual([
      'incomplete-stream',
      ['stream', 'stream', 'stream', 'stream'],
    ]);
  });

  test('an outage that outlasts the retries loses chunks too', async () => {
    await fails(
      ['jobs', 'stream', 'ep1', 'job1'],
      { exit: 7, says: ['lost 6 stream responses', 'berth jobs status ep1 job1'], out: /a[^b]*c/ },
      [chunk('a', 'IN_PROGRESS'), ...Array<Behaviour>(6).fill(reset), chunk('c', 'COMPLETED'), json([])],
    );
  });

  test('a job that failed ends 10 all the same, and says both', async () => {
    const failed = json({ status: 'FAILED', error: 'broke', stream: [{ output: 'c' }] });
    const server = await serve([reset, failed, json([])]);
    const ran = await berthIn(createTestWorld({ env: pointedAt(server.url) }), ['jobs', 'stream', 'ep1', 'job1']);
    expect([ran.code, ran.out]).toEqual([10, 'c\n']);
    expect(ran.err).toMatch(/job job1 ended FAILED: broke\nlost 1 stream response/);
  });

  test.each([
    ['a 429', problem(429, 'slow down', { 'retry-after': '1' })],
    ['a 408', problem(408, 'too slow')],
  ])('%s has handed out nothing', async (_, refused) => {
    await works(['jobs', 'stream', 'ep1', 'job1'], [refused, chunk('c', 'COMPLETED'), json([])]);
  });
});

test('a job that does not exist: 4', async () => {
  const says = ['404', 'Results are kept'];
  await fails(['jobs', 'stream', 'ep1', 'job1'], { exit: 4, says }, [problem(404, 'job not found')]);
});

describe('a wrapped answer that has the status FAILED and no error', () => {
  const failed = json({ status: 'FAILED', stream: [] });

  test.each([
    [
      'the reason that the job has',
      json({ id: 'job1', status: 'FAILED', error: 'out of memory' }),
      ': out of memory\n',
    ],
    ['no reason where the job is gone', problem(404, 'job not found'), '\n'],
    ['no reason where it cannot be asked', problem(503, 'later'), '\n'],
  ])('ends 10 with %s', async (_, status, reason) => {
    const server = await serve([
      routed({ 'GET /v2/ep1/status/job1': status, 'GET /v2/serverless': json({ endpoints: [] }) }, failed),
    ]);
    const ran = await berthIn(createTestWorld({ env: pointedAt(server.url) }), ['jobs', 'stream', 'ep1', 'job1']);
    expect([ran.code, ran.err]).toEqual([10, `job job1 ended FAILED${reason}`]);
  });
});
