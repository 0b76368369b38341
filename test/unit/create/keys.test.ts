import { describe, expect, test } from 'vitest';
import { offersOf, type Wanted } from '../../../src/create/candidates.ts';
import { podsOfKey } from '../../../src/create/key.ts';
import { dueOffers, offersOnce, withRefusal, type Tries } from '../../../src/create/wait.ts';

const pod = (id: string, at: number, status = 'RUNNING') => ({
  id,
  status,
  createdAt: new Date(at * 1000).toISOString(),
  env: { BERTH_CREATE_KEY: 'k' },
});

const ids = (pods: readonly unknown[]): readonly string[] => pods.map((each) => (each as { id: string }).id);

describe('the pods of a key', () => {
  test('are in one order for all that look: by creation, then by id; the ended and those of other keys are left out', () => {
    const pods = [pod('c', 2), pod('b', 1), pod('a', 1), pod('d', 0, 'TERMINATED'), { id: 'e', env: {} }];
    expect(ids(podsOfKey(pods, 'k'))).toEqual(['a', 'b', 'c']);
    expect(ids(podsOfKey(pods.toReversed(), 'k'))).toEqual(['a', 'b', 'c']);
    expect(podsOfKey(pods, 'other')).toEqual([]);
  });
});

describe('which candidate is due', () => {
  const wanted: Wanted = {
    gpus: ['A', 'B'],
    dataCenters: ['X', 'Y'],
    count: 2,
    cloud: 'SECURE',
    maxPrice: undefined,
    prefer: 'order',
  };
  const rows = [
    { id: 'A', price: { secure: 2 }, availability: 'LOW', dataCenters: [{ id: 'Y', availability: 'LOW' }] },
    { id: 'B', price: { secure: 1 }, availability: 'HIGH' },
  ];
  const offers = offersOf(wanted, rows);
  const shown = (some: typeof offers) => some.map(({ gpu, dataCenter = '' }) => gpu + dataCenter).join(' ');
  const due = (now: number, tries: Tries = new Map(), maxPrice?: number) =>
    shown(dueOffers(offers, { tries, maxPrice, beganAt: 0, now }));

  test('in the order of GPU types and data centers, those with stock; without a word of the catalog too', () => {
    expect(shown(offers)).toBe('AX AY BX BY');
    expect(due(0)).toBe('AY BX BY');
    expect(offers.map(({ price }) => price)).toEqual([4, 4, 2, 2]);
    expect(shown(offersOf({ ...wanted, prefer: 'price' }, rows))).toBe('BX BY AX AY');
  });

  test('a refused one after 15 seconds, then 30, up to 5 minutes; one that is left never', () => {
    const [, offer = offers[0]] = offers;
    if (offer === undefined) throw new Error('no offer');
    let tries: Tries = withRefusal(new Map(), offer, { at: 0, why: 'no room' });
    expect([due(14_999, tries), due(15_000, tries)]).toEqual(['BX BY', 'AY BX BY']);
    tries = withRefusal(tries, offer, { at: 15_000, why: 'no room' });
    expect([due(44_999, tries), due(45_000, tries)]).toEqual(['BX BY', 'AY BX BY']);
    for (let more = 0; more < 20; more++) tries = withRefusal(tries, offer, { at: 100_000, why: 'no room' });
    expect([due(399_999, tries), due(400_000, tries)]).toEqual(['BX BY', 'AY BX BY']);
    expect(due(1e6, withRefusal(tries, offer, { at: 0, why: 'not allowed', isLeft: true }))).toBe('AX BX BY');
  });

  test('one without stock every ten minutes, because the catalog may lag', () => {
    expect([due(599_999), due(600_000)]).toEqual(['AY BX BY', 'AX AY BX BY']);
  });

  test('none above the price, or of an unknown one', () => {
    expect([due(0, new Map(), 3), due(1e9, new Map(), 1)]).toEqual(['BX BY', '']);
    const unknown = offersOf(wanted, [{ id: 'A' }, { id: 'B', price: { secure: 0 } }]);
    expect([offersOnce(unknown, 9), shown(offersOnce(unknown, undefined))]).toEqual([[], 'AX AY BX BY']);
  });

  test('once: those in stock, and all where there are none', () => {
    expect(shown(offersOnce(offers, undefined))).toBe('AY BX BY');
    expect(shown(offersOnce(offers.slice(0, 1), undefined))).toBe('AX');
  });
});
