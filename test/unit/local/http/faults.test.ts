import { describe, expect, it } from 'vitest';
import { type FaultRecord, takeFaults } from '../../../../src/local/http/faults.ts';

const request = { method: 'POST', path: '/v2/echo/run' };
const never = () => 0.999;
const taken = (faults: FaultRecord[], random = never) =>
  [...takeFaults(faults, ['request'], request, random).values()].map(({ id }) => id);

describe('which requests a fault applies to', () => {
  it.each<[string | undefined, boolean]>([
    [undefined, true],
    ['POST', true],
    ['post', true],
    ['GET', false],
    ['/v2/echo', true],
    ['/v2/echo/run', true],
    ['/v2/demo', false],
    ['POST /v2/echo', true],
    ['GET /v2/echo', false],
    ['POST /v2/pods', false],
    ['v2/echo', false],
  ])('match %j: %j', (match, struck) => {
    const fault: FaultRecord = { id: 'f', kind: 'drop', ...(match === undefined ? {} : { match }) };
    expect(taken([fault])).toHaveLength(struck ? 1 : 0);
  });

  it('applies to a limited number of requests and is then removed', () => {
    const faults: FaultRecord[] = [{ id: 'f', kind: 'drop', count: 2 }];
    const struck = [1, 2, 3].map(() => taken(faults).length);
    expect([struck, faults]).toEqual([[1, 1, 0], []]);
  });

  it('applies one fault of each kind per request', () => {
    const faults: FaultRecord[] = [
      { id: 'a', kind: 'latency', latencyMs: 5 },
      { id: 'b', kind: 'drop', count: 1 },
      { id: 'c', kind: 'drop', count: 1 },
    ];
    expect(taken(faults)).toEqual(['a', 'b']);
    expect(taken(faults)).toEqual(['a', 'c']);
    expect(faults.map(({ id }) => id)).toEqual(['a']);
  });

  it('does not count requests that its probability skipped', () => {
    const faults: FaultRecord[] = [{ id: 'f', kind: 'drop', count: 1, probability: 0.5 }];
    expect(taken(faults)).toEqual([]);
    expect(taken(faults, () => 0.4)).toHaveLength(1);
    expect(faults).toEqual([]);
  });
});
