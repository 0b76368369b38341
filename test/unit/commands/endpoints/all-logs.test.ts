import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { createAutoAdvancingClock } from '../../../support/clocks/auto-advancing-clock.ts';
import { EVENTS } from '../../../support/servers/log-server.ts';
import { json, pointedAt, problem, serve, text, type Behaviour } from '../../../support/servers/scripted-server.ts';
import { berthIn } from '../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../support/worlds/test-world.ts';

const line = (worker: string, number: number): string => {
  const ts = new Date(Date.UTC(2026, 0, 1) + number).toISOString();
  return `id: ${worker}-${number}\ndata: ${JSON.stringify({ ts, source: 'container', line: `${worker} says ${number}` })}\n\n`;
};
const linesOf = (worker: string, count: number): string =>
  Array.from({ length: count }, (_, at) => line(worker, at)).join('');
const workerIds = (from: number, to: number): readonly string[] =>
  Array.from({ length: to - from + 1 }, (_, at) => `w${from + at}`);
const workers = (ids: readonly string[]): Behaviour =>
  json({ workers: ids.map((id) => ({ id, status: 'RUNNING', gpuCount: 1, isStale: false })) });

test('follows 50 workers of which ten end and ten come: every line once, and each end is said once', async () => {
  const each = 300;
  let lists = 0;
  const open = new Set<ServerResponse>();
  const came = new Set<string>();
  const server = await serve([
    (exchange) => {
      const { url, headers } = exchange.arrival;
      const worker = /workers\/(\w+)\/logs/.exec(url)?.[1];
      const isOver = came.size === 60;
      if (worker === undefined) {
        const listed = ++lists === 1 ? workerIds(1, 50) : workerIds(11, 60);
        (isOver ? problem(404, 'endpoint not found') : workers(listed))(exchange);
        return;
      }
      const { response } = exchange;
      response.writeHead(200, EVENTS);
      response.write(headers['last-event-id'] === undefined ? linesOf(worker, each) : ': nothing\n\n');
      came.add(worker);
      if (workerIds(1, 10).includes(worker)) response.end();
      else open.add(response);
      if (came.size === 60) for (const held of open) held.end();
    },
  ]);
  const before = process.memoryUsage().heapUsed;
  const world = createTestWorld({ env: pointedAt(server.url), clock: createAutoAdvancingClock() });
  const { code, out, err } = await berthIn(world, ['endpoints', 'logs', 'ep1', '--follow', '--times', 'none']);
  expect(code, err).toBe(0);
  const said = out.trimEnd().split('\n');
  expect(said.length).toBe(60 * each);
  expect(new Set(said).size).toBe(60 * each);
  expect(said.every((one) => /^(w\d+) +container \1 says \d+$/.test(one))).toBe(true);
  expect(err.trimEnd().split('\n').sort()).toEqual(
    workerIds(1, 60)
      .map((id) => `${id} ended`)
      .sort(),
  );
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(300e6);
});

test('past lines of several workers are in the order of their times, and --search and --until choose among them', async () => {
  const server = await serve([
    (exchange) => {
      const worker = /workers\/(\w+)\/logs/.exec(exchange.arrival.url)?.[1];
      (worker === undefined ? workers(['w1', 'w2']) : text(linesOf(worker, 4), 200, EVENTS))(exchange);
    },
  ]);
  const shown = async (...flags: readonly string[]) => {
    const ran = await berthIn(createTestWorld({ env: pointedAt(server.url) }), [
      ...['endpoints', 'logs', 'ep1', '--times', 'none'],
      ...flags,
    ]);
    expect(ran.code, ran.err).toBe(0);
    return ran.out.trimEnd().replaceAll(' container', '').split('\n');
  };
  const all = [0, 1, 2, 3].flatMap((at) => ['w1', 'w2'].map((id) => `${id} ${id} says ${at}`));
  expect(await shown()).toEqual(all);
  expect(await shown('--search', 'w2 says')).toEqual(all.filter((one) => one.startsWith('w2')));
  expect(await shown('--search', 'says [23]$', '--regex')).toEqual(all.slice(4));
  const since = ['--since', '2025-12-31T00:00:00Z'];
  expect(await shown(...since, '--until', '2026-01-01T00:00:00.001Z')).toEqual(all.slice(0, 4));
});
