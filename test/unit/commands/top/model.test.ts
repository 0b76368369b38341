import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../../src/core/json.ts';
import { GAP, placed, type TopColumn } from '../../../../src/commands/top/row-columns.ts';
import { EMPTY_FLEET, type Fleet, fleetAfter, type Read, spentById } from '../../../../src/commands/top/fleet.ts';
import { endpointRows, ordered, podRows, SORTS, totalsOf } from '../../../../src/commands/top/rows.ts';
import { FIRST_UI, pressed, selectedOf, type Ui } from '../../../../src/commands/top/ui.ts';
import { dueReads } from '../../../../src/commands/top/schedule.ts';
import { LAST, sampleFleet } from '../../../support/top/sample-fleet.ts';

const fleetOf = (reads: readonly Read[]): Fleet => reads.reduce(fleetAfter, EMPTY_FLEET);
const health = (id: string, at: number, jobs: Json): Read => ({ kind: 'health', id, at, document: { jobs } });
const endpoints = (...ids: readonly string[]): Read => ({
  kind: 'endpoints',
  at: 0,
  rows: ids.map((id) => ({ id, type: 'QUEUE' })),
});

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
    expect(totalsOf(fleet, { pods: true, endpoints: true }, LAST)).toMatchObject({
      rate: { total: 4.78 + 0.34 + 0.12 + 0.22 + 2.69 },
      spentToday: 61.9,
      running: 4,
      completedRate: 150,
    });
  });

  test('of one reading have no rates; a counter that went back has none', () => {
    const one = fleetOf([endpoints('a'), health('a', 1000, { completed: 5 })]);
    expect(endpointRows(one, 1000)[0]?.completedRate.now).toBeUndefined();
    const back = fleetAfter(one, health('a', 3000, { completed: 2 }));
    expect(endpointRows(back, 3000)[0]?.completedRate).toEqual({ now: undefined, history: [undefined, undefined] });
  });

  test('remember the last 60 values, and forget what is no longer listed', () => {
    const reads = Array.from({ length: 80 }, (_, at): Read => ({ kind: 'pods', at, rows: [{ id: 'p' }] }));
    const fleet = fleetOf(reads);
    expect(fleet.use.get('p')).toHaveLength(60);
    expect(fleetAfter(fleet, { kind: 'pods', at: 80, rows: [] }).use.size).toBe(0);
    const gone = fleetOf([endpoints('a', 'b'), health('a', 1, {}), health('b', 1, {}), endpoints('b')]);
    expect([...gone.health.keys()]).toEqual(['b']);
  });

  test('of 2000 pods remember the history of 500', () => {
    const rows = Array.from({ length: 2000 }, (_, at) => ({ id: `p${String(at)}` }));
    const fleet = fleetOf([{ kind: 'pods', at: 0, rows }]);
    expect([fleet.use.size, podRows(fleet, 0).length]).toEqual([500, 2000]);
  });

  test('come from any JSON without an exception', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue({ maxDepth: 3 })), fc.jsonValue({ maxDepth: 3 }), (rows, document) => {
        const fleet = fleetOf([
          { kind: 'pods', at: 0, rows: rows },
          { kind: 'endpoints', at: 0, rows: [...(rows as readonly Json[]), { id: 'e' }] },
          { kind: 'health', id: 'e', at: 0, document: document as Json },
          { kind: 'spent', at: 0, spent: { byId: spentById(rows, 'podId'), total: 0 } },
        ]);
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
    const fleet = fleetOf([
      { kind: 'pods', at: 0, rows: pods },
      { kind: 'spent', at: 0, spent: { byId: new Map([['stopped', 99]]), total: 99 } },
    ]);
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

describe('the schedule', () => {
  const all = { pods: true, endpoints: true };

  test('reads pods each time, endpoints every 30 s, costs every minute', () => {
    const fleet = fleetOf([
      { kind: 'pods', at: 0, rows: [] },
      endpoints('a'),
      { kind: 'spent', at: 0, spent: { byId: new Map(), total: 0 } },
    ]);
    const due = (now: number) => dueReads(fleet, all, now);
    expect(dueReads(EMPTY_FLEET, all, 0)).toEqual({
      pods: true,
      endpoints: true,
      spent: true,
      otherCosts: false,
      health: [],
    });
    expect(due(29_000)).toEqual({ pods: true, endpoints: false, spent: false, otherCosts: true, health: ['a'] });
    expect(due(30_000)).toMatchObject({ endpoints: true, spent: false });
    expect(due(60_000)).toMatchObject({ endpoints: true, spent: true });
    expect(dueReads(fleet, { pods: true, endpoints: false }, 30_000)).toMatchObject({ endpoints: false, health: [] });
  });

  test('never asks the queue of a load balancer, nor of an id that cannot be sent', () => {
    const rows = [{ id: 'lb', type: 'LOAD_BALANCER' }, { id: '..' }, { id: '' }, null, { id: 'q' }];
    expect(dueReads(fleetOf([{ kind: 'endpoints', at: 0, rows }]), all, 1).health).toEqual(['q']);
  });

  test('of many endpoints reads eight at a time, all of them in turn, those with jobs more often', () => {
    const ids = Array.from({ length: 40 }, (_, at) => `e${String(at)}`);
    let fleet = fleetOf([endpoints(...ids)]);
    const reads = new Map<string, number>();
    for (let tick = 1; tick <= 40; tick++) {
      const { health: due } = dueReads(fleet, all, tick * 2000);
      expect(due.length).toBe(8);
      for (const id of due) {
        reads.set(id, (reads.get(id) ?? 0) + 1);
        // One of them never answers, and must not take the place of others.
        fleet = fleetAfter(
          fleet,
          id === 'e7'
            ? { kind: 'no-health', id, at: tick * 2000 }
            : health(id, tick * 2000, { inQueue: id === 'e3' ? 5 : 0 }),
        );
      }
    }
    expect(Math.min(...ids.map((id) => reads.get(id) ?? 0))).toBeGreaterThanOrEqual(5);
    expect(reads.get('e3')).toBeGreaterThan(2 * (reads.get('e4') ?? 0));
  });
});

describe('the columns', () => {
  const column = (widths: readonly [number, ...number[]], rank: number): TopColumn<string> => ({
    header: 'X',
    widths,
    rank,
    cell: () => [],
  });

  test('fit any width that the first of them fits, and grow with it', () => {
    const widths = fc
      .array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 4 })
      .map((all) => [...all].sort((a, b) => a - b) as [number, ...number[]]);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(widths, fc.integer({ min: 0, max: 5 })), { minLength: 1, maxLength: 9 }),
        fc.integer({ min: 1, max: 250 }),
        (specs, width) => {
          const shown = placed(
            specs.map(([each, rank]) => column(each, rank)),
            [],
            width,
          );
          const total = shown.reduce((sum, each) => sum + each.width, GAP * (shown.length - 1));
          if (shown.length > 1) expect(total).toBeLessThanOrEqual(width);
        },
      ),
    );
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
