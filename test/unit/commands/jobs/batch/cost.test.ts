import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { LOCAL_KEY } from '../../../../../src/local/http/admission.ts';
import type { LocalRequest } from '../../../../../src/local/http/operation.ts';
import { serveLocal } from '../../../../../src/local/http/server.ts';
import { createLocalService } from '../../../../../src/local/service.ts';
import { memoryStore } from '../../../../../src/local/state/store.ts';
import { createAutoAdvancingClock } from '../../../../support/clocks/auto-advancing-clock.ts';
import { berthIn, type Ran } from '../../../../support/worlds/run-berth.ts';
import { createTestWorld, type TestWorld, type TestWorldOptions } from '../../../../support/worlds/test-world.ts';

/** A test world and a local service on one clock, and the requests to the management API. */
async function createCostWorld(options: TestWorldOptions = {}): Promise<{ world: TestWorld; asked: string[] }> {
  const clock = createAutoAdvancingClock();
  const service = createLocalService({ clock, random: () => 0.5, store: memoryStore(), queueLimits: true });
  const asked: string[] = [];
  const watched = {
    answer: (request: LocalRequest) => {
      const { method, path } = request;
      if (/^\/v2\/(serverless|catalog)/.test(path)) asked.push(`${method} ${path}`);
      return service.answer(request);
    },
  };
  const served = await serveLocal({ ...service, ...watched }, { port: 0, host: '127.0.0.1' });
  onTestFinished(async () => {
    await served.stop();
    await service.stop();
  });
  const env = { BERTH_BASE_URL: served.url, BERTH_QUEUE_URL: served.url, BERTH_API_KEY: LOCAL_KEY, ...options.env };
  return { world: createTestWorld({ ...options, clock, env }), asked };
}

const batchOf = (world: TestWorld, endpoint: string, count: number, ...flags: string[]): Promise<Ran> => {
  writeFileSync(
    join(world.directory, 'in.jsonl'),
    Array.from({ length: count }, (_, at) => `{"n":${String(at)}}\n`).join(''),
  );
  return berthIn(world, [...['jobs', 'batch', 'run', endpoint, '--input', 'in.jsonl', '--out', 'out.jsonl'], ...flags]);
};

const resultsOf = (world: TestWorld): readonly string[] => {
  const path = join(world.directory, 'out.jsonl');
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
};
/** The sum of the execution times in the results. Milliseconds. */
const executed = (world: TestWorld): number =>
  resultsOf(world)
    .map((line) => (JSON.parse(line) as { executionTime: number }).executionTime)
    .reduce((sum, each) => sum + each, 0);

interface Cost {
  readonly low: number;
  readonly high: number;
  readonly sinceResume: boolean;
}
const costIn = ({ out }: Ran): Cost | null =>
  (JSON.parse(out) as { readonly executionCostUsd: Cost | null }).executionCostUsd;

/** Price of the two general vCPUs on which the built-in endpoints of the local service run. Dollars an hour. */
const HOUR = 0.09;

describe('the cost of a batch', () => {
  test('is the execution time of its jobs at the price of a worker', async () => {
    const { world, asked } = await createCostWorld();
    const ran = await batchOf(world, 'demo', 6, '--json');
    expect(ran.code, ran.err).toBe(0);
    const cost = costIn(ran);
    expect(executed(world)).toBeGreaterThan(0);
    expect(cost?.low).toBeCloseTo((executed(world) * HOUR) / 3_600_000, 12);
    expect(cost).toEqual({ low: cost?.low, high: cost?.low, sinceResume: false });
    expect(asked).toEqual(['GET /v2/serverless/demo', 'GET /v2/catalog/cpus']);
  });

  test('is a range when workers may run on GPUs of different prices', async () => {
    const { world } = await createCostWorld();
    const create = ['endpoints', 'create', '--name', 'mixed', '--image', 'example/demo:1', '--gpu-count', '2'];
    const created = await berthIn(world, [...create, '--gpu-pool', 'POOL-24G', '--gpu-pool', 'POOL-48G']);
    expect(created.code, created.err).toBe(0);
    const ran = await batchOf(world, 'mixed', 40, '--json');
    const cost = costIn(ran);
    expect(cost?.low).toBeCloseTo((executed(world) * 2 * 1.12) / 3_600_000, 12);
    expect(cost?.high).toBeCloseTo((executed(world) * 2 * 1.9) / 3_600_000, 12);
    const shown = await berthIn(world, [
      ...['jobs', 'batch', 'run', 'mixed', '--input', 'in.jsonl'],
      '--out',
      'b.jsonl',
    ]);
    expect(shown.out).toMatch(/^execution cost\t~\$0\.\d\d to \$0\.\d\d$/m);
  });

  test('covers the jobs that ended since the resume, and says so', async () => {
    const { world } = await createCostWorld();
    const running = batchOf(world, 'demo', 100);
    while (resultsOf(world).length < 3) await new Promise(setImmediate);
    world.signal('SIGINT');
    expect((await running).code).toBe(130);
    const before = executed(world);
    const rest = await berthIn(world, ['jobs', 'batch', 'resume', 'out.jsonl', '--json']);
    expect(rest.code, rest.err).toBe(0);
    expect(costIn(rest)?.sinceResume).toBe(true);
    expect(costIn(rest)?.low).toBeCloseTo(((executed(world) - before) * HOUR) / 3_600_000, 12);
  });
});

describe('an unknown cost is null and does not affect the batch', () => {
  const unknown = (ran: Ran): void => {
    expect([ran.code, costIn(ran)], ran.err).toEqual([0, null]);
    expect(ran.err).toBe('');
  };

  test.each([
    ['refuses', 'server-error', 'GET /v2/serverless/demo'],
    ['is throttled', 'rate-limit', 'GET /v2/catalog/cpus'],
  ])('for a management API that %s', async (_, kind, match) => {
    const { world, asked } = await createCostWorld();
    const fault = await berthIn(world, ['local', 'fault', 'add', kind, '--match', match, '--count', '50']);
    expect(fault.code, fault.err).toBe(0);
    unknown(await batchOf(world, 'demo', 3, '--json'));
    expect(asked.filter((each) => each === match)).toHaveLength(1);
  });
});
