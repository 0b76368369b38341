import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Json, stringAt } from '../../../../src/core/json.ts';
import { Fleet } from '../../../../src/commands/top/fleet.ts';
import { listed, rowsOf, SORTS, type TopRows } from '../../../../src/commands/top/rows.ts';
import { FIRST_UI, pressed, selectedOf, type Ui } from '../../../../src/commands/top/ui.ts';
import { LAST, sampleFleet } from '../../../support/top/sample-fleet.ts';

const fleetOf = (pods: readonly Json[], endpoints: readonly Json[] = []): Fleet => {
  const fleet = new Fleet({ pods: true, endpoints: true });
  fleet.takePods(pods, 0);
  fleet.endpoints = endpoints;
  return fleet;
};

const all = ({ pods = [], endpoints = [] }: TopRows) => [...pods, ...endpoints];
const dataOf = (fleet: Fleet, key: string, now = LAST) => all(rowsOf(fleet, now)).find((row) => row.key === key)?.data;

describe('the rows', () => {
  test('have the mean of the GPUs, rates of the last minute, and the cost of today', () => {
    const fleet = sampleFleet();
    expect(dataOf(fleet, 'pod pod-train', LAST + 1000)).toMatchObject({
      ...{ gpuMemoryUtil: 62, cpuUtil: 18, memoryUtil: 55, costPerHour: 4.78, costToday: 57.4, readSecondsAgo: 1 },
    });
    expect(dataOf(fleet, 'endpoint ep-busy')).toMatchObject({
      ...{ completedPerMinute: 150, failedPerMinute: 10, costToday: 3.5 },
    });
  });

  test('of one reading have no rates; a counter that went back has none', () => {
    const fleet = fleetOf([], [{ id: 'a', type: 'QUEUE' }]);
    for (const completed of [5, 2]) {
      fleet.takeHealth('a', { jobs: { completed } }, 10 - completed);
      expect(dataOf(fleet, 'endpoint a')?.['completedPerMinute']).toBeNull();
    }
  });

  test('remember the last 60 values of a pod, and forget what is no longer listed', () => {
    const fleet = fleetOf([]);
    for (let at = 0; at < 80; at++) fleet.takePods([{ id: 'p' }], at);
    expect(fleet.samples.get('pod p')).toHaveLength(60);
    fleet.takePods([], 80);
    expect(fleet.samples.size).toBe(0);
  });

  test('come from any JSON without an exception', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue({ maxDepth: 3 })), fc.jsonValue({ maxDepth: 3 }), (rows, document) => {
        const fleet = fleetOf(rows as readonly Json[], [...(rows as readonly Json[]), { id: 'e' }]);
        fleet.takeHealth('e', document as Json, 0);
        for (const sort of SORTS) expect(all(listed(rowsOf(fleet, 1), sort))).toHaveLength(2 * rows.length + 1);
      }),
      { numRuns: 100 },
    );
  });

  test.each([
    ['TRAIN', ['pod-train']],
    ['provisioning', ['pod-new']],
    ['pod-b', ['pod-bad']],
    ['load_bal', ['ep-web']],
    ['nothing has this', []],
  ])('are filtered by %j in the name, id, status or type', (filter, ids) => {
    const shown = all(listed(rowsOf(sampleFleet(), LAST), 'name', filter));
    expect(shown.map(({ data }) => stringAt(data, 'id'))).toEqual(ids);
  });
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
