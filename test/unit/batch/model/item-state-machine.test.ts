import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  countsAddUp,
  createItemStates,
  type ItemEvent,
  type ItemState,
  nextState,
  STATES,
} from '../../../../src/batch/model/item-states.ts';
import { decodeRecord, encodeRecord, type JournalRecord } from '../../../../src/batch/store/record.ts';

const ITEMS = 5;

const endings = fc.constantFrom('completed', 'failed', 'cancelled', 'timedOut', 'expired' as const);
const events: fc.Arbitrary<ItemEvent> = fc.oneof(
  fc.constantFrom<ItemEvent>(
    { kind: 'send' },
    { kind: 'withdraw' },
    { kind: 'refuse' },
    { kind: 'lose' },
    { kind: 'resubmit' },
  ),
  fc.record({ kind: fc.constantFrom('accept' as const, 'retry' as const), job: fc.string() }),
  fc.record({ kind: fc.constant('end' as const), ending: endings as fc.Arbitrary<'completed'> }),
);
const history = fc.array(fc.record({ item: fc.integer({ min: 0, max: ITEMS + 1 }), event: events }), { maxLength: 60 });

/** The same machine, told in another way: what an item has been through decides what may happen to it. */
function mayHappen(state: ItemState, { kind }: ItemEvent): boolean {
  switch (kind) {
    case 'send':
      return state === 'waiting';
    case 'withdraw':
    case 'accept':
    case 'refuse':
    case 'lose':
      return state === 'sending';
    case 'end':
    case 'retry':
      return state === 'submitted';
    case 'resubmit':
      return ['failed', 'cancelled', 'timedOut', 'expired', 'unknown'].includes(state);
  }
}

describe('the state of an item', () => {
  test('only valid events change it, and the counts always add up', () => {
    fc.assert(
      fc.property(history, (steps) => {
        const states = createItemStates(ITEMS);
        const model = new Map<number, ItemState>(Array.from({ length: ITEMS }, (_, at) => [at + 1, 'waiting']));
        for (const { item, event } of steps) {
          const before = model.get(item);
          const legal = before !== undefined && mayHappen(before, event);
          expect(states.apply(item, event)).toBe(legal);
          if (legal) model.set(item, nextState(before, event) ?? before);
          const sum = states.counts();
          expect(countsAddUp(sum)).toBe(true);
          expect(sum.planned).toBe(ITEMS);
          const values = [...model.values()];
          for (const state of STATES) {
            expect(states.count(state)).toBe(values.filter((each) => each === state).length);
            expect([...states.items(state)]).toEqual([...model].filter(([, each]) => each === state).map(([at]) => at));
          }
        }
      }),
    );
  });
});

describe('a record', () => {
  const ids = fc.option(fc.json(), { nil: undefined });
  const ends = fc.option(fc.record({ at: fc.nat() }), { nil: {} });
  const record: fc.Arbitrary<JournalRecord> = fc
    .record({ item: fc.integer({ min: 1 }), event: events, id: ids, at: fc.nat(), resultBytes: fc.nat(), end: ends })
    .map(({ item, event, id, at, resultBytes, end }) => {
      const data =
        event.kind === 'send'
          ? { id }
          : event.kind === 'accept'
            ? { at }
            : event.kind === 'retry'
              ? { at }
              : event.kind === 'end' || event.kind === 'refuse'
                ? { resultBytes, ...end }
                : {};
      return { kind: 'event', item, event, data } as const;
    });

  test('is one line that parses back to the same record', () => {
    fc.assert(
      fc.property(record, (written) => {
        const bytes = Buffer.from(encodeRecord(written).line);
        expect(bytes.indexOf('\n')).toBe(bytes.length - 1);
        expect(decodeRecord(bytes.subarray(0, -1))).toEqual(written);
      }),
    );
  });
});
