import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  byId,
  createState,
  noRecords,
  recordsFrom,
  recordsOf,
  type State,
  without,
} from '../../../../src/local/state/state.ts';
import { queuesOf, type EndpointQueue } from '../../../../src/local/queue/records.ts';
import { memoryStore } from '../../../../src/local/state/store.ts';
import { fileStore } from '../../../support/local/file-store.ts';
import { savedState } from '../../../support/local/saved-state.ts';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';
import { localFixture, type LocalFixture } from '../../../support/local/service-fixture.ts';

describe('records', () => {
  it.each([
    ['none', noRecords()],
    ['from entries', recordsFrom([['a', 1]])],
    ['of an object', recordsOf({ a: 1 })],
    ['by id', byId([{ id: 'a' }])],
    ['with one less', without(recordsOf({ a: 1, b: 2 }), 'a')],
  ])('%s have no prototype', (_, records) => {
    expect(Object.getPrototypeOf(records)).toBeNull();
    expect(records['constructor']).toBeUndefined();
  });

  it('keep a record under the name __proto__', () => {
    const records = recordsFrom([
      ['a', 1],
      ['__proto__', 2],
    ]);
    expect(Object.entries(records)).toEqual([
      ['a', 1],
      ['__proto__', 2],
    ]);
    expect(Object.keys(without(records, '__proto__'))).toEqual(['a']);
  });

  it('are all that a state has, after use and after it was read from JSON', async () => {
    const path = join(temporaryDirectory(), 'state.json');
    const state = createState(Date.UTC(2026, 0, 1));
    const send: LocalFixture['send'] = async (...request) => {
      await inFile.send(...request);
      return inMemory.send(...request);
    };
    const inMemory = localFixture({ store: memoryStore(state), queueLimits: true });
    const inFile = localFixture({ store: fileStore(path), queueLimits: true });
    await send('POST', '/v2/echo/runsync', { input: {} });
    await send('POST', '/v2/registries/delegations', { resource: 'arn:x', name: 'd' });
    await send('DELETE', '/v2/network-volumes/vol-scratch');
    await send('GET', '/local/status');
    await inFile.service.stop();
    for (const each of [state, savedState(path)])
      for (const [name, records] of placesIn(each))
        expect([name, Object.getPrototypeOf(records)]).toEqual([name, null]);
  });
});

/** Every object of a state in which a record is looked up by a key. */
const placesIn = (state: State): readonly (readonly [string, object])[] => {
  const queues = queuesOf(state);
  return [
    ['parts', state.parts],
    ...['endpoints', 'pods', 'clusters', 'volumes', 'storage', 'templates', 'registries', 'delegations'].map(
      (name) => [name, state.parts[name] as object] as const,
    ),
    ...(['jobs', 'byEndpoint'] as const).map((name) => [name, queues[name]] as const),
    ...Object.entries<EndpointQueue>(queues.byEndpoint).map(
      ([name, { workers }]) => [`workers of ${name}`, workers] as const,
    ),
  ];
};
