import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Fleet } from '../../../../src/commands/top/fleet.ts';
import { listed, rowsOf, SORTS, type TopRows } from '../../../../src/commands/top/rows.ts';
import type { Json, JsonObject } from '../../../../src/core/json.ts';
import { loadPaint } from '../../../../src/output/text/colour.ts';
import { textWidth } from '../../../../src/output/text/text-width.ts';
import { frameOf, LAST, sampleFleet } from '../../../support/top/sample-fleet.ts';

const golden = (name: string): string => `../../../golden/top/${name}.txt`;
const textOf = (lines: readonly string[]): string => `${lines.map((line) => line.trimEnd()).join('\n')}\n`;

test('a frame shows every row and the totals, and no control character', async () => {
  const lines = await frameOf(sampleFleet(), { columns: 120, rows: 20 });
  await expect(textOf(lines)).toMatchFileSnapshot(golden('frame-120'));
  // oxlint-disable-next-line no-control-regex -- none may reach the terminal
  expect(lines.join('')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
});

test('colours are the sixteen of the terminal, without a background', async () => {
  const lines = await frameOf(sampleFleet(), { columns: 100, rows: 20 }, {}, await loadPaint(true));
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(golden('frame-100-colour'));
});

test('no line is too wide; states, numbers and prices are never cut, at any width', async () => {
  const fleet = sampleFleet();
  fleet.takePods(
    [
      { id: 'pod-large', name: 'large', status: 'PROVISIONING', cost: 12_345.67 },
      { id: 'pod-small', name: 'small', status: 'RUNNING', cost: 0.312 },
    ],
    LAST,
  );
  for (let columns = 60; columns <= 140; columns += 10) {
    const lines = await frameOf(fleet, { columns, rows: 30 });
    for (const text of ['$12345.67', '$0.31', 'PROVISIONING']) expect(textOf(lines), String(columns)).toContain(text);
    expect(lines.filter((line) => textWidth(line) > columns || /\d…|[$.]…/.test(line))).toEqual([]);
  }
});

test('a screen with too few rows shows the selected row, and says how many are hidden', async () => {
  for (const selected of ['pod pod-bad', 'endpoint ep-stuck', 'pod pod-train']) {
    const lines = await frameOf(sampleFleet(), { columns: 80, rows: 13 }, { selected });
    expect(lines).toHaveLength(13);
    expect(lines.filter((line) => line.startsWith('> '))).toHaveLength(1);
    expect(lines.join('\n')).toMatch(/\d more pods: the arrows move/);
  }
  expect(await frameOf(sampleFleet(), { columns: 20, rows: 3 })).toHaveLength(3);
});

test('rows of one name have their ids before it; an account without anything shows that', async () => {
  const fleet = sampleFleet();
  fleet.endpoints = (fleet.endpoints ?? []).map((row) => ({ ...(row as JsonObject), name: 'twin' }));
  expect(textOf(await frameOf(fleet, { columns: 120, rows: 20 }))).toMatch(/ {2}ep-busy twin /);
  const empty = await frameOf(new Fleet({ pods: true, endpoints: true }), { columns: 80, rows: 12 });
  expect(empty.map((line) => line.trim())).toEqual(expect.arrayContaining(['no pods', 'no endpoints']));
});

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
    // A counter that went back has no rate.
    fleet.takeHealth('ep-busy', { jobs: { completed: 1 } }, LAST + 1);
    expect(dataOf(fleet, 'endpoint ep-busy')?.['completedPerMinute']).toBeNull();
  });

  test('come from any JSON without an exception', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue({ maxDepth: 3 })), fc.jsonValue({ maxDepth: 3 }), (rows, document) => {
        const fleet = new Fleet({ pods: true, endpoints: true });
        fleet.takePods(rows as readonly Json[], 0);
        fleet.endpoints = [...(rows as readonly Json[]), { id: 'e' }];
        fleet.takeHealth('e', document as Json, 0);
        for (const sort of SORTS) expect(all(listed(rowsOf(fleet, 1), sort))).toHaveLength(2 * rows.length + 1);
      }),
      { numRuns: 100 },
    );
  });
});
