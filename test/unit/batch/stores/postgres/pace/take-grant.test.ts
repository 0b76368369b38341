import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  NEW_PACE,
  requestsIn,
  slowDown,
  type PaceState,
  leave,
  takeGrant,
  type DatabaseGrant,
} from '../../../../../../src/batch/stores/postgres/pace/pace-state.ts';

/** A whole second, in milliseconds. */
const START = 1_800_000_000_000;

interface DriverSetup {
  readonly batch?: string;
  readonly batchRate?: number;
  readonly rate?: number;
  readonly concurrency?: number;
}

/** A pace with its time, for one call after the other. */
function createPace(drivers: Readonly<Record<string, DriverSetup>>) {
  let state: PaceState = NEW_PACE;
  let now = START;
  return {
    advance: (milliseconds: number) => (now += milliseconds),
    now: () => now,
    ask: (driver: string, wanted = 1000): DatabaseGrant => {
      const { batch = driver, batchRate = 1000, rate = 100, concurrency = 200 } = drivers[driver] ?? {};
      const taken = takeGrant(state, driver, { batch, batchRate, limits: { rate, concurrency }, wanted }, now);
      // Through the form in which it is stored.
      state = JSON.parse(JSON.stringify(taken.state)) as PaceState;
      return taken.grant;
    },
    slowDown: (retryAfterMs?: number, agoMs = 0) => (state = slowDown(state, now, now - agoMs, retryAfterMs)),
    leave: (driver: string) => (state = leave(state, driver, now)),
  };
}

/** Lets all drivers ask in each second until they have a grant for the next one. Returns what each was granted in each second. */
function askEachSecond(
  pace: ReturnType<typeof createPace>,
  seconds: number,
  wanted: Readonly<Record<string, number>>,
): Record<string, number[]> {
  const names = Object.keys(wanted);
  const granted = Object.fromEntries(names.map((name): [string, number[]] => [name, []]));
  for (let second = 0; second < seconds; second += 1) {
    for (const name of names) {
      const end = pace.now() - (pace.now() % 1000) + 1000;
      const first = pace.ask(name, wanted[name]);
      const next = first.until === end ? pace.ask(name, wanted[name]) : { requests: 0 };
      granted[name]?.push(first.requests + next.requests);
      pace.advance(Math.floor(900 / names.length));
    }
    pace.advance(1000 - (pace.now() % 1000));
  }
  return granted;
}

const sum = (numbers: readonly number[] = []): number => numbers.reduce((total, each) => total + each, 0);

describe('a grant', () => {
  test('of a single driver is the whole rate, for the current second and then for the next', () => {
    const pace = createPace({ one: {} });
    expect(pace.ask('one')).toEqual({ requests: 100, from: START, until: START + 1000, concurrency: 200 });
    expect(pace.ask('one')).toEqual({ requests: 100, from: START + 1000, until: START + 2000, concurrency: 200 });
    expect(pace.ask('one')).toMatchObject({ requests: 0, from: START + 1000 });
  });

  test('for a second that has begun is a part of the rate', () => {
    const pace = createPace({ one: {} });
    pace.advance(750);
    expect(pace.ask('one')).toMatchObject({ requests: 25, from: START + 750, until: START + 1000 });
  });

  test('for the last moment of a second is one for the next second', () => {
    const pace = createPace({ one: {} });
    pace.advance(995);
    expect(pace.ask('one')).toMatchObject({ requests: 100, from: START + 1000, until: START + 2000 });
  });

  test('of a driver that comes when others have taken all is for a later second', () => {
    const pace = createPace({ one: {}, two: {} });
    pace.ask('one');
    pace.ask('one');
    expect(pace.ask('two')).toMatchObject({ requests: 0, from: START + 1000 });
    pace.advance(1000);
    expect(pace.ask('one').requests).toBe(50);
    expect(pace.ask('two')).toMatchObject({ requests: 50, from: START + 2000 });
  });

  test.each([
    { said: 'two drivers of one batch', drivers: { a: { batch: 'x' }, b: { batch: 'x' } }, totals: [500, 500] },
    { said: 'two batches', drivers: { a: {}, b: {} }, totals: [500, 500] },
    { said: 'two batches at an odd rate', drivers: { a: { rate: 99 }, b: { rate: 99 } }, totals: [495, 495] },
    {
      said: 'two batches, one with two drivers',
      drivers: { a: { batch: 'x' }, b: { batch: 'x' }, c: { batch: 'y' } },
      totals: [250, 250, 500],
    },
    { said: 'a batch with a lower rate', drivers: { a: { batchRate: 20 }, b: {} }, totals: [200, 800] },
    { said: 'drivers that know other limits', drivers: { a: { rate: 60 }, b: { rate: 500 } }, totals: [300, 300] },
    { said: 'a rate of one for two', drivers: { a: { rate: 1 }, b: { rate: 1 } }, totals: [5, 5] },
  ])('is a fair share: $said', ({ drivers, totals }) => {
    const setup: Readonly<Record<string, DriverSetup>> = drivers;
    const wanted = Object.fromEntries(Object.keys(setup).map((name) => [name, 1000]));
    const pace = createPace(setup);
    askEachSecond(pace, 3, wanted);
    const granted = askEachSecond(pace, 10, wanted);
    expect(Object.values(granted).map((each) => sum(each))).toEqual(totals);
  });

  test('a driver gets what another driver does not want', () => {
    const pace = createPace({ a: {}, b: {} });
    askEachSecond(pace, 3, { a: 10, b: 1000 });
    expect(askEachSecond(pace, 2, { a: 10, b: 1000 })).toEqual({ a: [10, 10], b: [90, 90] });
  });

  test('of a driver that is gone goes to the other after three seconds, and at once when it says so', () => {
    const pace = createPace({ a: {}, b: {} });
    askEachSecond(pace, 3, { a: 1000, b: 1000 });
    expect(askEachSecond(pace, 6, { b: 1000 })['b']).toEqual([50, 50, 100, 100, 100, 100]);
    askEachSecond(pace, 3, { a: 1000, b: 1000 });
    pace.leave('a');
    expect(askEachSecond(pace, 2, { b: 1000 })['b']).toEqual([100, 100]);
  });

  test('has an equal part of the concurrent requests', () => {
    const pace = createPace({ a: {}, b: { concurrency: 90 }, c: {} });
    pace.ask('a');
    pace.ask('b');
    expect(pace.ask('c').concurrency).toBe(30);
  });

  test('is for the time after a wait that the service asked for', () => {
    const pace = createPace({ a: {}, b: {} });
    askEachSecond(pace, 3, { a: 1000, b: 1000 });
    const at = pace.now();
    pace.slowDown(2500);
    expect(pace.ask('b')).toMatchObject({ requests: 0, from: at + 1000 });
    pace.advance(1600);
    // Half of half the rate, for the half of a second that is left.
    expect(pace.ask('a')).toMatchObject({ requests: 12, from: at + 2500, until: at + 3000 });
    expect(pace.ask('b')).toMatchObject({ requests: 12, from: at + 2500, until: at + 3000 });
  });

  test('becomes larger again after a slow-down', () => {
    const pace = createPace({ a: {} });
    pace.slowDown(0);
    expect(askEachSecond(pace, 14, { a: 1000 })['a']).toEqual([
      50 + 50,
      55,
      60,
      65,
      70,
      75,
      80,
      85,
      90,
      95,
      100,
      100,
      100,
      100,
    ]);
  });

  test('is halved once for requests that were sent before the slow-down', () => {
    const pace = createPace({ a: {} });
    pace.slowDown(0);
    pace.advance(50);
    pace.slowDown(0, 60);
    pace.advance(50);
    pace.slowDown(0, 101);
    pace.advance(900);
    expect(pace.ask('a').requests).toBe(55);
  });

  test.each([
    { said: 'set back by a minute', byMs: -60_000 },
    { said: 'set back by two seconds', byMs: -2000 },
    { said: 'set forward by an hour', byMs: 3_600_000 },
  ])('is given again after the clock of the database was $said', ({ byMs }) => {
    const pace = createPace({ a: {}, b: {} });
    askEachSecond(pace, 3, { a: 1000, b: 1000 });
    pace.advance(byMs);
    askEachSecond(pace, 4, { a: 1000, b: 1000 });
    expect(askEachSecond(pace, 2, { a: 1000, b: 1000 })).toEqual({ a: [50, 50], b: [50, 50] });
  });
});

describe('all grants together', () => {
  const RATE = 40;
  const NAMES = ['a', 'b', 'c', 'd', 'e'];
  const step = fc.record({
    pause: fc.oneof(fc.nat(300), fc.nat(1500)),
    driver: fc.nat(NAMES.length - 1),
    action: fc.oneof(
      { weight: 12, arbitrary: fc.record({ kind: fc.constant('ask' as const), wanted: fc.nat(60) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('leave' as const) }) },
      {
        weight: 1,
        arbitrary: fc.record({
          kind: fc.constant('slow' as const),
          retryAfterMs: fc.option(fc.nat(5000), { nil: undefined }),
          agoMs: fc.nat(3000),
        }),
      },
    ),
  });

  test('never exceed the rate, nor the rate of a batch, nor begin before the end of a wait', () => {
    const batches = fc.array(
      fc.record({ batch: fc.constantFrom('x', 'y', 'z'), batchRate: fc.constantFrom(3, 25, 1000) }),
      {
        minLength: NAMES.length,
        maxLength: NAMES.length,
      },
    );
    fc.assert(
      fc.property(batches, fc.array(step, { maxLength: 150 }), (setups, steps) => {
        // A batch has one rate.
        const rates = new Map<string, number>(setups.map(({ batch, batchRate }) => [batch, batchRate]));
        const setup = Object.fromEntries(
          NAMES.map((name, index) => {
            const batch = setups[index]?.batch ?? '';
            return [name, { batch, batchRate: rates.get(batch) ?? 0, rate: RATE }];
          }),
        );
        const pace = createPace(setup);
        const ofAll = new Map<number, number>();
        const ofBatch = new Map<string, number>();
        let blockedUntil = 0;
        for (const { pause, driver, action } of steps) {
          pace.advance(pause);
          const name = NAMES[driver] ?? '';
          if (action.kind === 'leave') pace.leave(name);
          if (action.kind === 'slow') {
            pace.slowDown(action.retryAfterMs, action.agoMs);
            blockedUntil = Math.max(blockedUntil, pace.now() + (action.retryAfterMs ?? 0));
          }
          if (action.kind !== 'ask') continue;
          const { requests, from, until } = pace.ask(name, action.wanted);
          expect(from).toBeGreaterThanOrEqual(pace.now());
          if (requests === 0) continue;
          const second = Math.floor(from / 1000);
          expect(requests).toBeLessThanOrEqual(action.wanted);
          expect(from).toBeGreaterThanOrEqual(blockedUntil);
          expect(until).toBe((second + 1) * 1000);
          ofAll.set(second, (ofAll.get(second) ?? 0) + requests);
          const batch = setup[name]?.batch ?? '';
          const key = `${batch} ${String(second)}`;
          ofBatch.set(key, (ofBatch.get(key) ?? 0) + requests);
          expect(ofAll.get(second)).toBeLessThanOrEqual(RATE);
          expect(ofBatch.get(key)).toBeLessThanOrEqual(rates.get(batch) ?? 0);
        }
      }),
      { numRuns: 300 },
    );
  });

  test.each([1, 2.5, 99, 0.3, 1_000_000])('allow exactly the rate of %d over many seconds', (rate) => {
    const seconds = Array.from({ length: 1000 }, (_, second) => requestsIn(rate, 1_800_000_000 + second));
    expect(sum(seconds)).toBe(rate * 1000);
    expect(Math.max(...seconds) - Math.min(...seconds)).toBeLessThanOrEqual(1);
  });
});
