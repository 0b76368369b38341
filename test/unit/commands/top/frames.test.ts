import { describe, expect, test } from 'vitest';
import { type ScreenInput, screenLines } from '../../../../src/commands/top/screen.ts';
import { FIRST_UI, type Ui } from '../../../../src/commands/top/ui.ts';
import { Fleet } from '../../../../src/commands/top/fleet.ts';
import { Failure } from '../../../../src/core/failure.ts';
import type { JsonObject } from '../../../../src/core/json.ts';
import { createIsSecret } from '../../../../src/core/secret-names.ts';
import { loadPaint, unpainted } from '../../../../src/output/text/colour.ts';
import { textWidth } from '../../../../src/output/text/text-width.ts';
import { LAST, NOW, sampleFleet } from '../../../support/top/sample-fleet.ts';

const input = (ui: Partial<Ui> = {}, more: Partial<ScreenInput> = {}): ScreenInput => ({
  fleet: sampleFleet(),
  ui: { ...FIRST_UI, ...ui },
  now: LAST + 1000,
  serviceNow: NOW,
  canSelect: true,
  output: { format: undefined, fields: undefined, jq: undefined, raw: false, isSecret: createIsSecret([]) },
  ...more,
});

const golden = (name: string): string => `../../../golden/top/${name}.txt`;
const textOf = (lines: readonly string[]): string => `${lines.map((line) => line.trimEnd()).join('\n')}\n`;
const drawn = (given: ScreenInput, columns: number, rows = 20): Promise<readonly string[]> =>
  screenLines(given, { columns, rows }, unpainted);

describe.each([60, 80, 120, 200])('a frame of %i columns', (columns) => {
  test('shows every row and the totals', async () => {
    const lines = await drawn(input(), columns);
    await expect(textOf(lines)).toMatchFileSnapshot(golden(`frame-${String(columns)}`));
    expect(lines).toHaveLength(20);
  });

  test.each(['list', 'detail', 'help', 'filter'] as const)('has no line that is too wide: %s', async (mode) => {
    for (const selected of ['pod pod-train', 'endpoint ep-busy', 'pod pod-odd']) {
      const lines = await drawn(input({ mode, selected }), columns, 24);
      expect(lines).toHaveLength(24);
      expect(lines.filter((line) => textWidth(line) > columns)).toEqual([]);
      // oxlint-disable-next-line no-control-regex -- none may reach the terminal
      expect(lines.join('')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
    }
  });
});

test('colours are the sixteen of the terminal, without a background', async () => {
  const lines = await screenLines(input(), { columns: 100, rows: 20 }, await loadPaint(true));
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(golden('frame-100-colour'));
});

test('states, numbers and prices are never cut, at any width', async () => {
  const fleet = sampleFleet();
  fleet.takePods(
    [
      { id: 'pod-large', name: 'large', status: 'PROVISIONING', cost: 12_345.67 },
      { id: 'pod-small', name: 'small', status: 'RUNNING', cost: 0.312 },
    ],
    LAST,
  );
  for (let columns = 60; columns <= 140; columns += 10) {
    const lines = await drawn(input({}, { fleet }), columns, 30);
    for (const text of ['$12345.67', '$0.31', 'PROVISIONING']) expect(textOf(lines), String(columns)).toContain(text);
    expect(lines.filter((line) => /\d…|[$.]…/.test(line))).toEqual([]);
  }
});

test.each([
  ['detail of a pod', { mode: 'detail', selected: 'pod pod-train' }],
  ['detail of an endpoint', { mode: 'detail', selected: 'endpoint ep-busy' }],
  ['help', { mode: 'help' }],
] as const)('a page: %s', async (name, ui) => {
  await expect(textOf(await drawn(input(ui), 80, 24))).toMatchFileSnapshot(golden(name.replaceAll(' ', '-')));
});

test('a screen with too few rows shows the selected row, and says how many are hidden', async () => {
  for (const selected of ['pod pod-bad', 'endpoint ep-stuck', 'pod pod-train']) {
    const lines = await drawn(input({ selected }), 80, 13);
    expect(lines).toHaveLength(13);
    expect(lines.filter((line) => line.startsWith('> '))).toHaveLength(1);
    expect(lines.join('\n')).toMatch(/\d more pods: the arrows move/);
  }
});

test('the status line says what could not be read, how old the rest is, and what was chosen', async () => {
  const fleet = sampleFleet();
  const failure = new Failure({ code: 'network', exit: 7, message: 'connection refused' });
  fleet.failures = ['pods', 'cost'].map((what) => ({ what, failure }));
  const text = textOf(await drawn(input({ paused: true, filter: 'web' }, { fleet, now: LAST + 75_000 }), 140));
  expect(text).toContain('PAUSED  /web  pods: connection refused (and 1 more)  every 2s, read 1m15s ago');
});

test.each([
  [59, 24],
  [80, 7],
])('a terminal of %i columns and %i rows gets one line that says what is needed', async (columns, rows) => {
  expect(await drawn(input(), columns, rows)).toEqual(['top needs 60 columns and 8 rows']);
});

test('rows of one name have their ids before it, and a detail hides the secrets of variables', async () => {
  const fleet = sampleFleet();
  fleet.endpoints = (fleet.endpoints ?? []).map((row) => ({
    ...(row as JsonObject),
    name: 'twin',
    env: { HF_TOKEN: 'hf-value', MODE: 'a' },
  }));
  expect(textOf(await drawn(input({}, { fleet }), 120))).toMatch(/ {2}ep-busy twin /);
  const detail = await drawn(input({ mode: 'detail', selected: 'endpoint ep-busy' }, { fleet }), 120, 60);
  expect(detail.join('\n')).toMatch(/HF_TOKEN=\*\*\*\s+MODE=a/);
});

test('an account without anything shows that; without keys nothing is selected', async () => {
  const fleet = new Fleet({ pods: true, endpoints: true });
  const lines = await drawn(input({}, { fleet }), 80, 12);
  expect(lines.map((line) => line.trim())).toEqual(expect.arrayContaining(['no pods', 'no endpoints']));
  const unselected = await drawn(input({}, { canSelect: false }), 80);
  expect(unselected.filter((line) => line.startsWith('> '))).toEqual([]);
  expect(unselected.at(-1)).toBe('Ctrl-C quits');
});
