import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SeenEvents } from '../../../../../src/cli/logs.ts';
import type { ServerEvent } from '../../../../../src/core/api.ts';

const event = (id: string | undefined, data: string): ServerEvent => ({ id, event: undefined, data });

it('counts identical events of one connection as different events', () => {
  const seenEvents = new SeenEvents();
  const alike = [event('1', 'a'), event('1', 'a'), event(undefined, 'a'), event(undefined, 'a')];
  expect(alike.map((each) => seenEvents.isNew(each))).toEqual([true, true, true, true]);
  expect([seenEvents.count, seenEvents.cursor]).toEqual([4, '1']);
});

it('starts with the given cursor and moves it to the last event id that is not empty', () => {
  const seenEvents = new SeenEvents('c7');
  expect(seenEvents.cursor).toBe('c7');
  for (const id of ['c8', undefined, '']) seenEvents.isNew(event(id, 'x'));
  expect(seenEvents.cursor).toBe('c8');
});

interface Line {
  readonly id: string | undefined;
  readonly data: string;
}

/** The new events over several connections: each starts `back` events earlier and sends up to `on` new ones. */
function newEventsOf(
  log: readonly Line[],
  runs: readonly { readonly back: number; readonly on: number }[],
): readonly Line[] {
  const seenEvents = new SeenEvents();
  const fresh: Line[] = [];
  let at = 0;
  for (const { back, on } of [...runs, { back: 0, on: log.length }]) {
    const from = Math.max(0, at - back);
    at = Math.min(log.length, at + on);
    fresh.push(...log.slice(from, at).filter(({ id, data }) => seenEvents.isNew(event(id, data))));
    seenEvents.reconnect();
  }
  return fresh;
}

const words = fc.array(fc.constantFrom('a', 'b'), { maxLength: 60 });
const runs = (back: fc.Arbitrary<number>) => fc.array(fc.record({ back, on: fc.nat(12) }));

it('yields each event once when later connections send earlier events again', () => {
  fc.assert(
    fc.property(words, runs(fc.nat(12)), (texts, connections) => {
      const log = texts.map((data, at) => ({ id: String(at), data }));
      expect(newEventsOf(log, connections)).toEqual(log);
    }),
  );
});

it('yields identical events without ids as often as one connection sends them', () => {
  fc.assert(
    fc.property(words, runs(fc.constant(Infinity)), (texts, connections) => {
      const log = texts.map((data) => ({ id: undefined, data }));
      const rest = { back: Infinity, on: Infinity };
      expect(
        newEventsOf(log, [...connections, rest])
          .map(({ data }) => data)
          .sort(),
      ).toEqual([...texts].sort());
    }),
  );
});

it('remembers the last 5000 events and forgets older ones', () => {
  const seenEvents = new SeenEvents();
  for (let at = 0; at < 20_000; at++) seenEvents.isNew(event(String(at), 'x'));
  seenEvents.reconnect();
  const repeated = Array.from({ length: 5000 }, (_, at) => event(String(15_000 + at), 'x'));
  expect(repeated.filter((each) => seenEvents.isNew(each))).toEqual([]);
  expect(seenEvents.isNew(event('0', 'x'))).toBe(true);
});
