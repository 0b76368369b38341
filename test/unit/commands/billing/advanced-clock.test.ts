import { expect, onTestFinished, test } from 'vitest';
import { serveLocal } from '../../../../src/local/http/server.ts';
import { localFixture } from '../../../support/local/service-fixture.ts';
import { berth } from '../../../support/worlds/run-berth.ts';

const DAY = /\d{4}-\d\d-\d\d/;

/** The variables with the address of a local service, and the day by its clock after two and a half days of an advance. */
async function advanced() {
  const server = await serveLocal(localFixture().service, { port: 0, host: '127.0.0.1' });
  onTestFinished(() => server.stop());
  const addresses = { BERTH_BASE_URL: server.url, BERTH_QUEUE_URL: server.url, BERTH_REST_URL: server.url };
  const env = { ...addresses, BERTH_API_KEY: 'berth-local-full-access' };
  await berth(['local', 'clock', 'advance', '60h'], { env });
  const { out } = await berth(['local', 'clock', 'show', '--json'], { env });
  return { env, today: DAY.exec(out)?.[0] ?? out };
}

test('a report and its budget count until the time of a service whose clock was advanced', async () => {
  const { env, today } = await advanced();
  const ran = await berth(['billing', 'report', '--last', '1d', '--budget', '1', '--json'], { env });
  expect([ran.code, (JSON.parse(ran.out) as { readonly from: string }).from.slice(0, 10)]).toEqual([15, today]);
});

test('top counts as today what the service whose clock was advanced charges since its midnight', async () => {
  const { env } = await advanced();
  const { out } = await berth(['top', '--once', '--json'], { env });
  const pods = JSON.parse(out) as readonly Readonly<Record<'id' | 'costPerHour' | 'costToday', unknown>>[];
  const pod = pods.find(({ id }) => id === 'pod-train');
  const hours = Number(pod?.costToday) / Number(pod?.costPerHour);
  expect(hours).toBeGreaterThan(11);
  expect(hours).toBeLessThan(14);
});
