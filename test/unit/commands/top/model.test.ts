import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../../src/core/json.ts';
import { Fleet } from '../../../../src/commands/top/fleet.ts';
import { endpointRows, ordered, podRows, SORTS, totalsOf } from '../../../../src/commands/top/rows.ts';
import { FIRST_UI, pressed, selectedOf, type Ui } from '../../../../src/commands/top/ui.ts';
import { LAST, sampleFleet } from '../../../support/top/sample-fleet.ts';

const fleetOf = (pods: readonly Json[], endpoints: readonly Json[] = []): Fleet => {
  const fleet = new Fleet({ pods: true, endpoints: true });
  fleet.takePods(pods, 0);
  fleet.endpoints = { value: endpoints, at: 0 };
  return fleet;
};

describe('the rows', () => {
  test('have the mean of the GPUs, the history, and the cost of today', () => {
    const fleet = sampleFleet();
    const train = podRows(fleet, LAST + 1000).find(({ id }) => id === 'pod-train');
    expect(train).toMatchObject({
      gpuMemory: { now: 62 },
      cpu: 18,
      memory: 55,
      cost: 4.78,
      spentToday: 57.4,
      readMs: 1000,
    });
    expect(train?.gpu.history).toHaveLength(31);
    const busy = endpointRows(fleet, LAST).find(({ id }) => id === 'ep-busy');
    expect(busy).toMatchObject({ completedRate: { now: 150 }, failedRate: { now: 10 }, spentToday: 3.5, readMs: 500 });
    expect(totalsOf(fleet, LAST)).toMatchObject({
      rate: { total: 4.78 + 0.34 + 0.12 + 0.22 + 2.69 },
      spentToday: 61.9,
      running: 4,
      completedRate: 150,
    });
  });

  test('of one reading have no rates; a counter that went back has none', () => {
    const fleet = fleetOf([], [{ id: 'a', type: 'QUEUE' }]);
    fleet.takeHealth('a', { jobs: { completed: 5 } }, 1000);
    expect(endpointRows(fleet, 1000)[0]?.completedRate.now).toBeUndefined();
    fleet.takeHealth('a', { jobs: { completed: 2 } }, 3000);
    expect(endpointRows(fleet, 3000)[0]?.completedRate).toEqual({ now: undefined, history: [undefined, undefined] });
  });

  test('remember the last 60 values of at most 500 pods, and forget what is no longer listed', () => {
    const fleet = fleetOf([]);
    for (let at = 0; at < 80; at++) fleet.takePods([{ id: 'p' }], at);
    expect(fleet.use.get('p')).toHaveLength(60);
    fleet.takePods(
      Array.from({ length: 2000 }, (_, at) => ({ id: `p${String(at)}` })),
      80,
    );
    expect([fleet.use.size, fleet.use.has('p'), podRows(fleet, 0).length]).toEqual([500, false, 2000]);
  });

  test('come from any JSON without an exception', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue({ maxDepth: 3 })), fc.jsonValue({ maxDepth: 3 }), (rows, document) => {
        const fleet = fleetOf(rows as readonly Json[], [...(rows as readonly Json[]), { id: 'e' }]);
        fleet.takeHealth('e', document as Json, 0);
        for (const sort of SORTS) {
          expect(ordered(podRows(fleet, 1), sort, '')).toHaveLength(rows.length);
          expect(ordered(endpointRows(fleet, 1), sort, '')).toHaveLength(rows.length + 1);
        }
      }),
      { numRuns: 100 },
    );
  });

  test.each([
    ['name', ['evil', 'forgotten', 'long', 'train', 'web', 'évaluation']],
    ['cost', ['train', 'evil', 'forgotten', 'évaluation', 'web', 'long']],
    ['use', ['train', 'forgotten', 'evil', 'long', 'web', 'évaluation']],
  ] as const)('are ordered by %s', (sort, names) => {
    const found = ordered(podRows(sampleFleet(), LAST), sort, '').map(({ name }) => /^\p{L}+/u.exec(name)?.[0]);
    expect(found).toEqual(names);
  });

  test('by cost, pods that are stopped come last, also if they cost something today', () => {
    const pods = [
      { id: 'stopped', status: 'EXITED', cost: 0 },
      { id: 'unknown', status: 'RUNNING' },
      { id: 'cheap', status: 'RUNNING', cost: 0.1 },
      { id: 'dear', status: 'RUNNING', cost: 2 },
      { id: 'free', status: 'ERROR', cost: 0 },
    ];
    const fleet = fleetOf(pods);
    fleet.spent = { value: { byId: new Map([['stopped', 99]]), total: 99 }, at: 0 };
    const ids = ordered(podRows(fleet, 0), 'cost', '').map(({ id }) => id);
    expect(ids).toEqual(['dear', 'cheap', 'free', 'unknown', 'stopped']);
  });

  test.each([
    ['TRAIN', ['pod-train']],
    ['provisioning', ['pod-new']],
    ['pod-b', ['pod-bad']],
    ['nothing has this', []],
  ])('are filtered by %j in the name, id or status', (filter, ids) => {
    expect(ordered(podRows(sampleFleet(), LAST), 'name', filter).map(({ id }) => id)).toEqual(ids);
  });
});

test('of an endpoint of which nothing was read the queue comes first, never that of a load balancer or of an id that cannot be sent', () => {
  const rows = [{ id: 'lb', type: 'LOAD_BALANCER' }, { id: '..' }, { id: '' }, null, { id: 'q' }];
  expect(fleetOf([], rows).dueHealth(1)).toEqual(['q']);
});

describe('the keys', () => {
  const rows = ['a', 'b', 'c'];
  const press = (start: Partial<Ui>, ...names: readonly string[]): Ui =>
    names.reduce<Ui>(
      (ui, name) => pressed(ui, { name, text: Array.from(name).length === 1 ? name : undefined }, rows, 2),
      { ...FIRST_UI, ...start },
    );

  test.each([
    [['down'], { selected: 'b' }],
    [['j', 'j', 'j', 'j'], { selected: 'c' }],
    [['G', 'k'], { selected: 'b' }],
    [['pagedown', 'up', 'home'], { selected: 'a' }],
    [['s'], { sort: 'use' }],
    [['s', 's', 's', 's'], { sort: 'cost' }],
    [['p'], { paused: true }],
    [['p', 'p'], { paused: false }],
    [['?', 'x'], { mode: 'list' }],
    [['/', 'w', 'q', 'backspace', 'enter'], { mode: 'list', filter: 'w', quit: false }],
    [['/', 'w', 'escape'], { mode: 'list', filter: '' }],
    [['j', 'enter'], { mode: 'detail', selected: 'b' }],
    [['enter', 'j', 'j'], { mode: 'detail', scroll: 2 }],
    [['enter', 'q'], { mode: 'list', quit: false }],
    [['enter', 'l'], { mode: 'logs', scroll: 0 }],
    [['l', 'k', 'k', 'j'], { mode: 'logs', scroll: 1, selected: 'a' }],
    [['q'], { quit: true }],
    [['z', 'left', 'tab'], { ...FIRST_UI }],
  ] as const)('%j', (keys, expected) => {
    expect(press({}, ...keys)).toMatchObject(expected);
  });

  test('the first row is selected where the selected one is gone; without rows none is', () => {
    expect(selectedOf({ ...FIRST_UI, selected: 'gone' }, rows)).toBe('a');
    expect(pressed(FIRST_UI, { name: 'down', text: undefined }, [], 2).selected).toBeUndefined();
    expect(pressed(FIRST_UI, { name: 'enter', text: undefined }, [], 2).mode).toBe('list');
  });

  test('a filter takes what is typed or pasted, up to 64 characters', () => {
    expect(press({ mode: 'filter' }, ...Array.from('日本'.repeat(50))).filter).toBe('日本'.repeat(32));
  });
});
