import { describe, expect, it } from 'vitest';
import { byId, noRecords, recordsFrom, recordsOf, without, withRecord } from '../../../../src/local/state/records.ts';
import { seed } from '../../../../src/local/seed.ts';
import { memoryStore } from '../../../../src/local/state/store.ts';
import { revived, type State } from '../../../../src/local/state/state.ts';
import { localFixture } from '../../../support/local/service-fixture.ts';

describe('records', () => {
  it.each([
    ['none', noRecords()],
    ['from entries', recordsFrom([['a', 1]])],
    ['of an object', recordsOf({ a: 1 })],
    ['by id', byId([{ id: 'a' }])],
    ['with one more', withRecord(noRecords<number>(), '__proto__', 1)],
    ['with one less', without(recordsOf({ a: 1, b: 2 }), 'a')],
  ])('%s have no prototype', (_, records) => {
    expect(Object.getPrototypeOf(records)).toBeNull();
    expect(records['constructor']).toBeUndefined();
  });

  it('keep a record under the name __proto__', () => {
    const records = withRecord(recordsOf({ a: 1 }), '__proto__', 2);
    expect(Object.entries(records)).toEqual([
      ['a', 1],
      ['__proto__', 2],
    ]);
    expect(Object.keys(without(records, '__proto__'))).toEqual(['a']);
  });

  it('are all that a state has, after use and after it was read from JSON', async () => {
    const state = seed(Date.UTC(2026, 0, 1));
    const { send } = localFixture({ store: memoryStore(state), queueLimits: true });
    await send('POST', '/v2/echo/runsync', { input: {} });
    await send('POST', '/v2/registries/delegations', { resource: 'arn:x', name: 'd' });
    await send('DELETE', '/v2/network-volumes/vol-scratch');
    for (const each of [state, revived(JSON.parse(JSON.stringify(state)) as State)])
      for (const [name, records] of placesIn(each))
        expect([name, Object.getPrototypeOf(records)]).toEqual([name, null]);
  });
});

/** Every place of a state where a record is looked up by a key. */
const placesIn = ({ queue, ...state }: State): readonly (readonly [string, object])[] => [
  ...(['endpoints', 'pods', 'clusters', 'volumes', 'storage', 'templates', 'registries', 'shelves'] as const).map(
    (name) => [name, state[name]] as const,
  ),
  ...Object.entries(state.shelves),
  ...(['jobs', 'lanes', 'awaited', 'usage', 'windows'] as const).map((name) => [name, queue[name]] as const),
  ...Object.entries(queue.lanes).map(([name, { workers }]) => [`workers of ${name}`, workers] as const),
];
