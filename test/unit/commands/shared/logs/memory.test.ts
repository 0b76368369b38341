import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createMemory } from '../../../../../src/commands/shared/logs/memory.ts';
import type { ServerEvent } from '../../../../../src/core/api.ts';

const event = (id: string | undefined, data: string): ServerEvent => ({ id, event: undefined, data });

it('keeps all events of one connection, even equal ones', () => {
  const memory = createMemory();
  const alike = [event('1', 'a'), event('1', 'a'), event(undefined, 'a'), event(undefined, 'a')];
  expect(alike.map((each) => memory.isNew(each))).toEqual([true, true, true, true]);
  expect([memory.count, memory.cursor]).toEqual([4, '1']);
});

it('continues from the given cursor, and then from the last event id that was not empty', () => {
  const memory = createMemory('c7');
  expect(memory.cursor).toBe('c7');
  for (const id of ['c8', undefined, '']) memory.isNew(event(id, 'x'));
  expect(memory.cursor).toBe('c8');
});

interface Line {
  readonly id: string | undefined;
  readonly data: string;
}

/** The events that pass the memory when a log is read over connections that each repeat and add some events. */
function newLinesOf(
  log: readonly Line[],
  runs: readonly { readonly back: number; readonly on: number }[],
): readonly Line[] {
  const memory = createMemory();
  const passed: Line[] = [];
  let at = 0;
  for (const { back, on } of [...runs, { back: 0, on: log.length }]) {
    const from = Math.max(0, at - back);
    at = Math.min(log.length, at + on);
    passed.push(...log.slice(from, at).filter(({ id, data }) => memory.isNew(event(id, data))));
    memory.reconnect();
  }
  return passed;
}

const words = fc.array(fc.constantFrom('a', 'b'), { maxLength: 60 });
const runs = (back: fc.Arbitrary<number>) => fc.array(fc.record({ back, on: fc.nat(12) }));

it('passes each event once, whatever a connection repeats', () => {
  fc.assert(
    fc.property(words, runs(fc.nat(12)), (texts, connections) => {
      const log = texts.map((data, at) => ({ id: String(at), data }));
      expect(newLinesOf(log, connections)).toEqual(log);
    }),
  );
});

it('passes equal events as often as they occur if each connection repeats the whole log', () => {
  fc.assert(
    fc.property(words, runs(fc.constant(Infinity)), (texts, connections) => {
      const log = texts.map((data) => ({ id: undefined, data }));
      const rest = { back: Infinity, on: Infinity };
      expect(
        newLinesOf(log, [...connections, rest])
          .map(({ data }) => data)
          .sort(),
      ).toEqual([...texts].sort());
    }),
  );
});

it('remembers more events than a service repeats, but a bounded number', () => {
  const memory = createMemory();
  for (let at = 0; at < 20_000; at++) memory.isNew(event(String(at), 'x'));
  memory.reconnect();
  const repeated = Array.from({ length: 5000 }, (_, at) => event(String(15_000 + at), 'x'));
  expect(repeated.filter((each) => memory.isNew(each))).toEqual([]);
  expect(memory.isNew(event('0', 'x'))).toBe(true);
});
