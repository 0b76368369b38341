import fc from 'fast-check';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { SharedPace } from '../../../../../../src/batch/model/run-records.ts';
import { parseStoreAddress } from '../../../../../../src/batch/stores/postgres/database/store-address.ts';
import { type Database, openDatabase } from '../../../../../../src/batch/stores/postgres/database/database.ts';
import {
  openSharedPace,
  PACE_TABLE,
  type SharedPaceOptions,
} from '../../../../../../src/batch/stores/postgres/pace/shared-pace.ts';
import { createTestClock, type TestClock } from '../../../../../support/clocks/test-clock.ts';
import { describeWithPostgres, useCluster } from '../../../../../support/postgres/postgres.ts';

/**
 * The database's clock of the test: the function is found before the one of PostgreSQL, because the search path names its
 * schema first. Seconds since the epoch.
 */
const CLOCK = `
  CREATE SCHEMA berth;
  CREATE SCHEMA test;
  CREATE TABLE test.clock AS SELECT 1800000000::float8 AS seconds;
  CREATE FUNCTION test.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE
    AS 'SELECT to_timestamp(seconds) FROM test.clock';`;

describeWithPostgres('the pace that drivers share', () => {
  const cluster = useCluster();
  let database: Database;
  let clock: TestClock;

  beforeEach(async () => {
    const name = await cluster().createDatabase();
    await cluster().query(`${CLOCK} ${PACE_TABLE}; ALTER DATABASE ${name} SET search_path = test, pg_catalog`, name);
    const { address, password } = parseStoreAddress(cluster().url(name), {});
    database = await openDatabase({ address, password: () => Promise.resolve(password ?? ''), connections: 8 });
    clock = createTestClock();
    onTestFinished(() => database.close());
  });

  const advance = async (milliseconds: number): Promise<void> => {
    await database.query('UPDATE test.clock SET seconds = seconds + $1', [milliseconds / 1000]);
    clock.advance(milliseconds);
  };
  const open = (options: Partial<SharedPaceOptions> & Pick<SharedPaceOptions, 'driver'>): SharedPace =>
    openSharedPace({
      database,
      // The clocks of the driver and of the database move together, by `advance` alone.
      clock: { ...clock, sleep: () => new Promise((resolve) => setImmediate(resolve)) },
      random: () => 0.5,
      key: 'the service/the endpoint/submit',
      batch: options.driver,
      batchRate: 1000,
      limits: { rate: 100, concurrency: 200 },
      ...options,
    });

  test('grants the whole rate to one driver, by its own clock', async () => {
    clock.advance(5000);
    const pace = open({ driver: 'one' });
    expect(await pace.next(1000)).toEqual({ requests: 100, concurrency: 200, validFrom: 5000, validUntil: 6000 });
    await advance(400);
    expect(await pace.next(1000)).toMatchObject({ requests: 100, validFrom: 6000, validUntil: 7000 });
    expect(await pace.next(1000)).toMatchObject({ requests: 0, validFrom: 6000 });
  });

  test('is another one for each endpoint and kind of request', async () => {
    const one = await open({ driver: 'one', key: 'a' }).next(1000);
    const two = await open({ driver: 'two', key: 'b' }).next(1000);
    expect([one.requests, two.requests]).toEqual([100, 100]);
  });

  test('never grants more than the rate to many drivers at once', async () => {
    const schedule = fc.record({
      drivers: fc.integer({ min: 2, max: 12 }),
      rate: fc.constantFrom(7, 40, 99, 1000),
      pauses: fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 4, maxLength: 10 }),
    });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(schedule, async ({ drivers, rate, pauses }) => {
        run += 1;
        const paces = Array.from({ length: drivers }, (_, index) =>
          open({
            driver: String(index),
            batch: String(index % 3),
            key: String(run),
            limits: { rate, concurrency: 200 },
          }),
        );
        const granted = new Map<number, number>();
        for (const pause of pauses) {
          for (const { requests, validFrom } of await Promise.all(paces.map((pace) => pace.next(1000)))) {
            const from = Math.round(validFrom - clock.monotonic() + (await databaseNow()));
            const second = Math.floor(from / 1000);
            granted.set(second, (granted.get(second) ?? 0) + requests);
          }
          await advance(pause);
        }
        for (const requests of granted.values()) expect(requests).toBeLessThanOrEqual(rate);
      }),
      { numRuns: 15 },
    );
  });
  const databaseNow = async (): Promise<number> => {
    const [row] = await database.query<{ now: number }>('SELECT seconds * 1000 AS now FROM test.clock');
    return row?.now ?? 0;
  };

  test('slows down all drivers after a 429 at one', async () => {
    const [one, two] = [open({ driver: 'one' }), open({ driver: 'two' })];
    for (const pace of [one, two]) await pace.next(1000);
    await advance(1000);
    await one.slowDown(3000, clock.monotonic());
    expect(await two.next(1000)).toMatchObject({ requests: 0 });
    await advance(3000);
    const now = clock.monotonic();
    expect(await one.next(1000)).toMatchObject({ requests: 50, validFrom: now });
    expect(await two.next(1000)).toMatchObject({ requests: 25, validFrom: now + 1000 });
  });

  test('gives the share of a driver that was closed to the others', async () => {
    const [one, two] = [open({ driver: 'one' }), open({ driver: 'two' })];
    for (const pace of [one, two, one, two]) await pace.next(1000);
    await one.close();
    await advance(1000);
    expect((await two.next(1000)).requests).toBe(100);
  });
});
