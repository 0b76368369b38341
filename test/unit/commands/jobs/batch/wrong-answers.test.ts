import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  json,
  pointedAt,
  problem,
  routed,
  serve,
  type Behaviour,
} from '../../../../support/servers/scripted-server.ts';
import { createAutoAdvancingClock } from '../../../../support/clocks/auto-advancing-clock.ts';
import { berthIn, type Ran } from '../../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../../support/worlds/test-world.ts';

// Rows 12 and 38 of docs/faults.md for batches: what a submission may be answered with.

const health = json({ jobs: {}, workers: {} });

/** A batch of two items against a server that answers submissions so. */
async function batch(submission: Behaviour): Promise<{ ran: Ran; submissions: number }> {
  const done: Behaviour = (exchange) => {
    const id = exchange.arrival.url.split('/').at(-1) ?? '';
    json({ id, status: 'COMPLETED', output: 1 })(exchange);
  };
  const server = await serve([
    routed({ 'GET /v2/ep1/health': health, 'POST /v2/ep1/run': submission }, (exchange) => {
      (exchange.arrival.url.includes('/status/') ? done : problem(404, 'not here'))(exchange);
    }),
  ]);
  const world = createTestWorld({ env: pointedAt(server.url), clock: createAutoAdvancingClock() });
  writeFileSync(join(world.directory, 'in.jsonl'), '{"n":1}\n{"n":2}\n');
  const ran = await berthIn(world, [
    'jobs',
    'batch',
    'run',
    'ep1',
    '--input',
    'in.jsonl',
    '--out',
    'out.jsonl',
    '--json',
  ]);
  return { ran, submissions: server.seen.filter(({ method }) => method === 'POST').length };
}

describe('a submission answered with an unusable id', () => {
  test.each(['".."', '"."', '""', 'null', '7', '"a\\nb"', '"a\\u0000"'])(
    '%s: its outcome is unknown, 13',
    async (id) => {
      const { ran, submissions } = await batch(json(`{"id":${id},"status":"IN_QUEUE"}`));
      expect(ran.code, ran.err).toBe(13);
      expect(submissions).toBe(2);
      expect(JSON.parse(ran.out)).toMatchObject({ planned: 2, unknown: 2, completed: 0 });
    },
  );

  test('a problem document with status 200 is treated the same', async () => {
    const answer = json({ id: 'job1', status: 'IN_QUEUE' }, 200, { 'content-type': 'application/problem+json' });
    const { ran } = await batch(answer);
    expect(ran.code, ran.err).toBe(13);
    expect(JSON.parse(ran.out)).toMatchObject({ unknown: 2 });
  });
});

test.each([408, 425])('a submission answered with %i is sent again', async (status) => {
  let count = 0;
  const { ran, submissions } = await batch((exchange) => {
    count += 1;
    (count % 2 === 1 ? problem(status, 'again') : json({ id: `job${String(count)}`, status: 'IN_QUEUE' }))(exchange);
  });
  expect(ran.code, ran.err).toBe(0);
  expect(JSON.parse(ran.out)).toMatchObject({ completed: 2, unknown: 0 });
  expect(submissions).toBe(4);
});
