/**
 * The worker part of `npm run bench`: jobs per second through the local service, in memory, end to end: submitted over HTTP,
 * taken by workers that do nothing and speak the worker protocol, and reported. The service has one process and the load
 * another, so two cores are used.
 */
import { fork } from 'node:child_process';
import { once as event } from 'node:events';
import { fileURLToPath } from 'node:url';
import { median, printTable, verdict } from './measure.mjs';
import { startLocalService } from './start-local-service.mjs';

const ROUNDS = 3;
const TARGET = 2000;
const GROWTH_TARGET = 1.2;
const COST_TARGET = 1.05;
const LOAD = { workers: 8, batch: 20, submitters: 16, reporters: 4 };

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

async function startService(folder) {
  const { url, headers, stop, cpuMicroseconds } = await startLocalService(folder);
  const read = async (where) => (await globalThis.fetch(`${url}${where}`, { headers })).json();
  const { key } = await read('/local/workers/bench');
  return { url, key, stop, cpuMicroseconds, health: () => read('/v2/bench/health') };
}

/** Jobs per second. Throws when a job was lost. */
async function measure(service, load) {
  const before = await service.health();
  const child = fork(here('worker-load.mjs'), [JSON.stringify({ ...load, url: service.url, key: service.key })]);
  const [{ seconds }] = await event(child, 'message');
  const after = await service.health();
  const completed = after.jobs.completed - before.jobs.completed;
  const isComplete = before.jobs.inQueue > 0 ? completed >= load.jobs : completed === load.jobs;
  if (!isComplete) throw new Error(`${load.jobs} jobs were submitted and ${completed} completed`);
  return load.jobs / seconds;
}

/** Submits jobs that nobody takes yet: none of the load's workers runs. */
async function fill(service, jobs) {
  const load = { ...LOAD, url: service.url, key: service.key, workers: 0, jobs };
  await event(fork(here('worker-load.mjs'), [JSON.stringify(load)]), 'exit');
}

/** CPU time of the service alone for a job, in microseconds: 64 workers against 3 that take one job at a time. */
async function benchCost(home) {
  const costs = { 3: [], 64: [] };
  for (let round = 0; round < ROUNDS; round++)
    for (const workers of [3, 64]) {
      const service = await startService(home);
      const load = { ...LOAD, workers, batch: 1, reporters: 1 };
      await measure(service, { ...load, jobs: 3000 });
      const before = await service.cpuMicroseconds();
      await measure(service, { ...load, jobs: 10_000 });
      costs[workers].push(((await service.cpuMicroseconds()) - before) / 10_000);
      await service.stop();
    }
  const ratio = median(costs[64].map((cost, round) => cost / costs[3][round]));
  printTable(
    `CPU time of the service for a job, medians of ${ROUNDS} in turn`,
    ['', 'microseconds', 'ratio', 'target', ''],
    [
      ['3 workers', median(costs[3]).toFixed(0), '', '', ''],
      [
        '64 workers',
        median(costs[64]).toFixed(0),
        ratio.toFixed(2),
        String(COST_TARGET),
        verdict(ratio <= COST_TARGET),
      ],
    ],
  );
}

export async function benchWorkers({ home }) {
  await benchCost(home);
  const rows = [];
  for (const load of [LOAD, { ...LOAD, workers: 64 }, { ...LOAD, batch: 1, reporters: 1 }]) {
    const rates = [];
    for (let round = 0; round < ROUNDS; round++) {
      const service = await startService(home);
      rates.push(await measure(service, { ...load, jobs: 20_000 }));
      await service.stop();
    }
    const name = `${load.workers} workers, batches of ${load.batch}`;
    const isTarget = load === LOAD;
    rows.push([
      name,
      median(rates).toFixed(0),
      isTarget ? String(TARGET) : '',
      isTarget ? verdict(median(rates) >= TARGET) : '',
    ]);
  }
  printTable(`Jobs a second by the worker protocol, medians of ${ROUNDS}`, ['', 'a second', 'target', ''], rows);

  const growth = [];
  let first;
  for (const there of [1000, 10_000, 100_000]) {
    const service = await startService(home);
    await fill(service, there);
    const rate = await measure(service, { ...LOAD, jobs: 10_000 });
    await service.stop();
    first ??= rate;
    const ratio = first / rate;
    growth.push([
      String(there),
      rate.toFixed(0),
      ratio.toFixed(2),
      String(GROWTH_TARGET),
      verdict(ratio <= GROWTH_TARGET),
    ]);
  }
  printTable(
    'Jobs a second with jobs that are there already, and the cost of a job against the first line',
    ['jobs', 'a second', 'ratio', 'target', ''],
    growth,
  );
}
