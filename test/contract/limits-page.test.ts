import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MAX_GB, MIN_GB } from '../../src/commands/volumes.ts';
import { DURATION_BOUNDS, PAYLOAD_LIMITS, RATE_LIMITS, RESULT_RETENTION_MS } from '../../src/queue/limits.ts';
import { SETTING } from '../../src/settings/settings-table.ts';
import { localFixture } from '../support/local/service-fixture.ts';

/** The numbers of docs/guides/prices-and-limits.md are those of the program and of the local service. */

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/guides/prices-and-limits.md'), 'utf8');
const TEXT = PAGE.replaceAll(/\s+/g, ' ');

/** The rest of a row of a table, without its alignment. */
const row = (first: string): string | undefined =>
  PAGE.split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .find(([, cell]) => cell === first)
    ?.slice(2, -1)
    .join(' | ');

const seconds = (ms: number): string => String(ms / 1000);
const minutes = (ms: number): string => String(ms / 60_000);
const days = (ms: number): string => String(ms / 86_400_000);
const megabytes = (bytes: number): string => String(bytes / 1_000_000);

const ENDPOINT = { name: 'e', type: 'QUEUE', scaling: { type: 'QUEUE_DELAY', queueDelay: 4 }, image: 'example/a:1' };

test('limits of jobs', () => {
  const { executionTimeout, ttl } = DURATION_BOUNDS;
  expect(row('input of a job')).toBe(
    `${megabytes(PAYLOAD_LIMITS.run)} MB; with \`--sync\` ${megabytes(PAYLOAD_LIMITS.runsync)} MB`,
  );
  expect(row('result of a job')).toContain(`kept for ${minutes(RESULT_RETENTION_MS)} minutes after its end`);
  expect(row('`--ttl` of a job, in the queue and at work')).toBe(
    `${seconds(ttl[0])} seconds to ${days(ttl[1])} days; 24 hours if you do not set it`,
  );
  expect(row('`--execution-timeout` of a job')).toBe(
    `${seconds(executionTimeout[0])} seconds to ${days(executionTimeout[1])} days; that of its endpoint if you do not set it`,
  );
});

test('the execution timeout of a new endpoint', async () => {
  const { send } = localFixture();
  const { body } = await send('POST', '/v2/serverless', { ...ENDPOINT, gpu: { pools: ['POOL-24G'] } });
  expect(row('`--execution-timeout` of an endpoint')).toBe(
    `${minutes(Number(body['timeout']))} minutes if you do not set it`,
  );
});

test('a job without --ttl is kept for 24 hours', async () => {
  const { send, clock } = localFixture();
  const created = await send('POST', '/v2/serverless', {
    ...ENDPOINT,
    gpu: { pools: ['POOL-24G'] },
    workers: { max: 0 },
  });
  const queue = `/v2/${String(created.body['id'])}`;
  const { body } = await send('POST', `${queue}/run`, { input: {} });
  const status = async () => (await send('GET', `${queue}/status/${String(body['id'])}`)).status;
  clock.advance(86_400_000 - 1);
  expect(await status()).toBe(200);
  clock.advance(1);
  expect(await status()).toBe(404);
});

test('volumes, answers and rates', () => {
  expect(row('size of a volume')).toContain(`${String(MIN_GB)} to ${String(MAX_GB)} GB`);
  const largest = Number(SETTING['max-answer-bytes'].default) / 1024 / 1024;
  expect(row('answer of the service')).toContain(`${String(largest)} MiB`);
  expect(TEXT).toContain(`at most ${String(RATE_LIMITS.run.rate)} jobs a second`);
  expect(TEXT).toContain(`\`--retries\` times (${String(SETTING.retries.default)})`);
});

test.each([
  ['run', '`run`'],
  ['status', '`runsync`, `status`, `stream`'],
] as const)('requests in ten seconds: %s', async (operation, cell) => {
  const [perWindow, concurrent] = (row(cell) ?? '').split(' | ').map(Number);
  const { rate, concurrency } = RATE_LIMITS[operation];
  // berth stays 5% below the rate.
  expect([concurrent, perWindow]).toEqual([concurrency, (rate * 10) / 0.95]);
});
