import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createMemory } from '../../../../../src/commands/shared/logs/memory.ts';
import type { ServerEvent } from '../../../../../src/core/api.ts';

const event = (id: string | undefined, data: string): ServerEvent => ({ id, event: undefined, data });

it('takes what one connection sends as it is, however alike', () => {
  const memory = createMemory();
  const alike = [event('1', 'a'), event('1', 'a'), event(undefined, 'a'), event(undefined, 'a')];
  expect(alike.map((each) => memory.isNew(each))).toEqual([true, true, true, true]);
  expect([memory.count, memory.cursor]).toEqual([4, '1']);
});

it('goes on from a cursor of before, and from the last id that was one', () => {
  const memory = createMemory('c7');
  expect(memory.cursor).toBe('c7');
  for (const id of ['c8', undefined, '']) memory.isNew(event(id, 'x'));
  expect(memory.cursor).toBe('c8');
});

interface Line {
  readonly id: string | undefined;
  readonly data: string;
}

/** What is heard of a log over connections, each of which begins so far back and comes so far on. */
function heardOf(
  log: readonly Line[],
  runs: readonly { readonly back: number; readonly on: number }[],
): readonly Line[] {
  const memory = createMemory();
  const heard: Line[] = [];
  let at = 0;
  for (const { back, on } of [...runs, { back: 0, on: log.length }]) {
    const from = Math.max(0, at - back);
    at = Math.min(log.length, at + on);
    heard.push(...log.slice(from, at).filter(({ id, data }) => memory.isNew(event(id, data))));
    memory.reconnect();
  }
  return heard;
}

const words = fc.array(fc.constantFrom('a', 'b'), { maxLength: 60 });
const runs = (back: fc.Arbitrary<number>) => fc.array(fc.record({ back, on: fc.nat(12) }));

it('hears each event once, whatever is sent again from wherever back', () => {
  fc.assert(
    fc.property(words, runs(fc.nat(12)), (said, connections) => {
      const log = said.map((data, at) => ({ id: String(at), data }));
      expect(heardOf(log, connections)).toEqual(log);
    }),
  );
});

it('hears events that nothing tells apart as often as they were said, where all is sent again', () => {
  fc.assert(
    fc.property(words, runs(fc.constant(Infinity)), (said, connections) => {
      const log = said.map((data) => ({ id: undefined, data }));
      const rest = { back: Infinity, on: Infinity };
      expect(
        heardOf(log, [...connections, rest])
          .map(({ data }) => data)
          .sort(),
      ).toEqual([...said].sort());
    }),
  );
});

it('remembers more than a service ever repeats, and not all there ever was', () => {
  const memory = createMemory();
  for (let at = 0; at < 20_000; at++) memory.isNew(event(String(at), 'x'));
  memory.reconnect();
  const repeated = Array.from({ length: 5000 }, (_, at) => event(String(15_000 + at), 'x'));
  expect(repeated.filter((each) => memory.isNew(each))).toEqual([]);
  expect(memory.isNew(event('0', 'x'))).toBe(true);
});
