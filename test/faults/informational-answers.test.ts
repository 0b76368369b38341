import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createAutoAdvancingClock } from '../support/clocks/auto-advancing-clock.ts';
import { json, pointedAt, routed, serve, type Behaviour } from '../support/servers/scripted-server.ts';
import { works } from '../support/worlds/expect-run.ts';
import { berthIn } from '../support/worlds/run-berth.ts';
import { createTestWorld } from '../support/worlds/test-world.ts';

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const PROCESSING = 'HTTP/1.1 102 Processing\r\nx-progress: half\r\n\r\n';
const HINTS = 'HTTP/1.1 103 Early Hints\r\nlink: </a>; rel=preload\r\ncontent-length: 5\r\n\r\n';

/** Sends `bytes` before the answer. */
const preceded =
  (bytes: string, answer: Behaviour): Behaviour =>
  (exchange) => {
    exchange.socket.write(bytes);
    answer(exchange);
  };

const run = ['jobs', 'run', 'ep1', '--input', '{}'];
const done = json({ id: 'job1', status: 'COMPLETED', output: 7 });

/** A service with one endpoint, whose jobs are done at once. */
function answers(): Behaviour {
  let streamed = 0;
  return routed({
    'POST /v2/ep1/run': json({ id: 'job1', status: 'IN_QUEUE' }),
    'POST /v2/ep1/runsync': done,
    'GET /v2/ep1/status/job1': done,
    'GET /v2/ep1/stream/job1': (exchange) => {
      streamed++;
      json({ status: 'COMPLETED', stream: streamed === 1 ? [{ output: 7 }] : [] })(exchange);
    },
  });
}

/** A service with one endpoint, whose jobs have ids of their own. */
function batchAnswers(): Behaviour {
  let jobs = 0;
  return routed(
    {
      'GET /v2/ep1/health': json({ jobs: {}, workers: {} }),
      'POST /v2/ep1/run': (exchange) => {
        jobs++;
        json({ id: `job${String(jobs)}`, status: 'IN_QUEUE' })(exchange);
      },
    },
    (exchange) => {
      json({ id: exchange.arrival.url.split('/').at(-1) ?? '', status: 'COMPLETED', output: 1 })(exchange);
    },
  );
}

describe.each([
  ['100, 103 and 102', CONTINUE + HINTS + PROCESSING],
  ['a hundred times 100', CONTINUE.repeat(100)],
])('an unasked %s before each answer is skipped', (_, bytes) => {
  test.each([
    ['jobs run', run, 'job1\n'],
    ['jobs run --wait', [...run, '--wait'], '7\n'],
    ['jobs run --stream', [...run, '--stream'], '7\n'],
    ['jobs status', ['jobs', 'status', 'ep1', 'job1', '--fields', 'output'], /7\n$/],
  ])('%s', async (__, argv, out) => {
    const ran = await works(argv, [preceded(bytes, answers())]);
    expect(ran.out).toMatch(out);
  });

  test('pods list', async () => {
    const ran = await works(['pods', 'list', '-o', 'id'], [preceded(bytes, json({ pods: [{ id: 'p1', name: 'a' }] }))]);
    expect(ran.out).toBe('p1\n');
  });

  test('jobs batch run', async () => {
    const server = await serve([preceded(bytes, batchAnswers())]);
    const world = createTestWorld({ env: pointedAt(server.url), clock: createAutoAdvancingClock() });
    writeFileSync(join(world.directory, 'in.jsonl'), '{"n":1}\n'.repeat(30));
    const argv = ['jobs', 'batch', 'run', 'ep1', '--input', 'in.jsonl', '--out', 'out.jsonl', '--json'];
    const ran = await berthIn(world, argv);
    expect(ran.code, ran.err).toBe(0);
    expect(JSON.parse(ran.out)).toMatchObject({ planned: 30, completed: 30 });
    for (const { headers } of server.seen) expect(headers['user-agent']).toMatch(/^berth\/\d/);
  });

  test('several requests use one connection', async () => {
    const ran = await works([...run, '--wait'], [preceded(bytes, answers())]);
    expect([ran.server.seen.length, ran.server.connections()]).toEqual([2, 1]);
  });
});
