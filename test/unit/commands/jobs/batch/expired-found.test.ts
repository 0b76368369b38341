import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  items,
  OUT,
  read,
  RESUME,
  RUN,
  secondProcess,
  summary,
  write,
} from '../../../../support/batch/command-fixture.ts';
import { createAutoAdvancingClock } from '../../../../support/clocks/auto-advancing-clock.ts';
import { json, pointedAt, problem, serve } from '../../../../support/servers/scripted-server.ts';
import { berthIn } from '../../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../../support/worlds/test-world.ts';

const COUNT = 2;

/** A service that does not have its jobs for a while, and has them after all. */
async function forgetfulService() {
  const service = { hasJobs: false, submitted: 0, before: (): void => undefined };
  const server = await serve([
    (exchange) => {
      const { url } = exchange.arrival;
      service.before();
      const [, , , operation = '', job = ''] = url.split('/');
      if (operation === 'run') {
        service.submitted += 1;
        json({ id: `job-${service.submitted}`, status: 'IN_QUEUE' })(exchange);
      } else if (operation !== 'status') json({ jobs: {}, workers: {} })(exchange);
      else if (service.hasJobs) json({ id: job, status: 'COMPLETED', output: job })(exchange);
      else problem(404, 'job not found')(exchange);
    },
  ]);
  return { service, env: pointedAt(server.url) };
}

test('an item whose job expired, and is there after all, is sent once, wherever the resume that found it was killed', async () => {
  const { service, env } = await forgetfulService();
  const world = createTestWorld({ clock: createAutoAdvancingClock(), env });
  write(world, 'in.jsonl', items(COUNT));
  const at = (name: string): string => join(world.directory, name);
  const state = () => ({
    journal: readFileSync(at(`${OUT}.journal`)),
    end: readFileSync(at(`${OUT}.journal.end`)),
    results: readFileSync(at(OUT)),
  });
  const resume = async () => await berthIn(secondProcess(world), [...RESUME, '--json']);
  expect((await berthIn(world, [...RUN, '--json'])).code).toBe(13);
  const before = state();
  expect(summary(await berthIn(secondProcess(world), ['jobs', 'batch', 'status', OUT, '--json']))).toMatchObject({
    expired: COUNT,
  });
  const listed = await berthIn(secondProcess(world), ['jobs', 'batch', 'list']);
  const [header, row] = listed.out.split('\n').map((line) => line.split('\t'));
  expect(header?.slice(2, 8)).toEqual(['PLANNED', 'COMPLETED', 'FAILED', 'EXPIRED', 'UNKNOWN', 'WAITING']);
  expect(row?.slice(2, 8)).toEqual(['2', '0', '0', '2', '0', '0']);
  const wide = await berthIn(secondProcess(world), ['jobs', 'batch', 'list', '-o', 'wide']);
  expect(wide.out).toMatch(/^BATCH\t.*\tTIMED OUT\tCANCELLED\tEXPIRED\tUNKNOWN\tIN FLIGHT\tWAITING\tENDPOINT\t/);
  service.hasJobs = true;
  const killedAt: ReturnType<typeof state>[] = [];
  service.before = () => killedAt.push(state());
  expect(summary(await resume())).toMatchObject({ completed: COUNT, expired: 0 });
  service.before = () => undefined;
  // Each is asked for once more: the files as a process that is killed at that moment leaves them.
  expect(killedAt.length).toBeGreaterThanOrEqual(COUNT);
  for (const { journal, end, results } of killedAt)
    // Also in the middle of a record, before it was synced.
    for (const cut of [0, 3]) {
      if (journal.byteLength - cut < before.journal.byteLength) continue;
      writeFileSync(at(`${OUT}.journal`), journal.subarray(0, journal.byteLength - cut));
      writeFileSync(at(`${OUT}.journal.end`), cut === 0 ? end : before.end);
      writeFileSync(at(OUT), results);
      const ran = await resume();
      expect([ran.code, summary(ran)], ran.err).toMatchObject([0, { completed: COUNT, expired: 0 }]);
      const rows = read(world, OUT).trimEnd().split('\n');
      expect(rows.filter((row) => row.includes('"COMPLETED"'))).toHaveLength(COUNT);
      expect(service.submitted).toBe(COUNT);
    }
});
