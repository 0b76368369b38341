import { describe, expect, test } from 'vitest';
import { type ScreenInput, screenLines } from '../../../../src/commands/top/screen.ts';
import { FIRST_UI, type Ui } from '../../../../src/commands/top/ui.ts';
import { createIsSecret } from '../../../../src/core/secret-names.ts';
import { loadPaint, unpainted } from '../../../../src/output/text/colour.ts';
import { textWidth } from '../../../../src/output/text/text-width.ts';
import { EMPTY_FLEET } from '../../../../src/commands/top/fleet.ts';
import type { JsonObject } from '../../../../src/core/json.ts';
import { LAST, NOW, sampleFleet } from '../../../support/top/sample-fleet.ts';

const input = (ui: Partial<Ui> = {}, more: Partial<ScreenInput> = {}): ScreenInput => ({
  session: { fleet: sampleFleet(), intervalMs: 2000, isPaced: false, failures: [] },
  shown: { pods: true, endpoints: true },
  ui: { ...FIRST_UI, ...ui },
  now: LAST + 1000,
  serviceNow: NOW,
  log: [],
  canSelect: true,
  output: { format: undefined, fields: undefined, jq: undefined, raw: false, isSecret: createIsSecret([]) },
  ...more,
});

/** The lines above the first empty one. */
const headOf = (lines: readonly string[]): readonly string[] => lines.slice(0, lines.indexOf(''));

const REASON =
  'at least: the cost of 1 pod is not known, the workers of 3 endpoints could not be read, the volumes could not be read';

const golden = (name: string): string => `../../../golden/top/${name}.txt`;
const textOf = (lines: readonly string[]): string => `${lines.map((line) => line.trimEnd()).join('\n')}\n`;

describe.each([60, 80, 120, 200])('a frame of %i columns', (columns) => {
  test('shows every row and the totals', async () => {
    const lines = screenLines(input(), { columns, rows: 20 }, unpainted);
    await expect(textOf(lines)).toMatchFileSnapshot(golden(`frame-${String(columns)}`));
    expect(lines).toHaveLength(20);
  });

  test.each(['list', 'detail', 'logs', 'help', 'filter'] as const)('has no line that is too wide: %s', (mode) => {
    const log = ['short', 'x'.repeat(500), '日本語'.repeat(90), '\u001b]52;c;aGk=\u0007'];
    for (const selected of ['pod pod-train', 'endpoint ep-busy', 'pod pod-odd']) {
      const lines = screenLines(input({ mode, selected }, { log }), { columns, rows: 24 }, unpainted);
      expect(lines).toHaveLength(24);
      expect(lines.filter((line) => textWidth(line) > columns)).toEqual([]);
      // eslint-disable-next-line no-control-regex -- none may reach the terminal
      expect(lines.join('')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
    }
  });
});

test('colours are the sixteen of the terminal, without a background: they can be read on light and on dark', async () => {
  const lines = screenLines(input(), { columns: 100, rows: 20 }, await loadPaint(true));
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(golden('frame-100-colour'));
  // eslint-disable-next-line no-control-regex -- the colours are meant
  const codes = new Set([...lines.join('').matchAll(/\u001b\[(\d+)m/g)].map(([, code]) => Number(code)));
  expect([...codes].filter((code) => code >= 40 || [30, 37].includes(code))).toEqual([]);
});

test('the head is never cut within a word, and names what the cost of an hour leaves out', () => {
  const words = new Set(
    headOf(screenLines(input(), { columns: 400, rows: 20 }, unpainted)).flatMap((line) => line.split(/ +/)),
  );
  for (let columns = 60; columns <= 200; columns++) {
    const head = headOf(screenLines(input(), { columns, rows: 20 }, unpainted));
    expect(
      head.flatMap((line) => line.replace('…', '').split(/ +/)).filter((word) => !words.has(word) && word !== ''),
    ).toEqual([]);
    expect(head[0]).toMatch(/^at least \$8\.15\/h/);
  }
});

test('what the cost of an hour leaves out stands whole below it, or is left out where there are few rows', () => {
  for (let columns = 60; columns <= 200; columns++)
    for (const [mode, rows] of [
      ['list', 20],
      ['help', 20],
      ['list', 12],
    ] as const) {
      const lines = screenLines(input({ mode }), { columns, rows }, unpainted);
      const reason = headOf(lines).slice(1, -1);
      expect(rows === 20 ? [REASON] : [REASON, '']).toContain(reason.join(' '));
      expect(headOf(lines).at(-1)).toMatch(/^every 2s, age: /);
      expect(lines).toHaveLength(rows);
    }
  expect(headOf(screenLines(input(), { columns: 60, rows: 12 }, unpainted))).toHaveLength(2);
});

test('a state is never cut: columns that do not fit are left out whole', () => {
  const large = sampleFleet();
  const workers = { initializing: 345, idle: 1 };
  const health = new Map([['ep-busy', [{ at: LAST, row: { jobs: { inQueue: 1 }, workers } }]]]);
  const session = { fleet: { ...large, health }, intervalMs: 2000, isPaced: false, failures: [] };
  for (let columns = 60; columns <= 200; columns++) {
    const text = textOf(screenLines(input({}, { session }), { columns, rows: 20 }, unpainted));
    for (const state of ['PROVISIONING', 'HIBERNATING', 'RUNNING', '345 initializing'])
      expect(text, String(columns)).toContain(`${state} `);
  }
});

test('a state that is longer than any of the service is cut', () => {
  const pods = [{ id: 'p', name: 'a', status: 'S'.repeat(500) }];
  const fleet = { ...sampleFleet(), pods: { value: pods, at: LAST } };
  const session = { fleet, intervalMs: 2000, isPaced: false, failures: [] };
  expect(textOf(screenLines(input({}, { session }), { columns: 60, rows: 20 }, unpainted))).toMatch(/ a +S{19}… /);
});

test('a number is never cut: columns that do not fit are left out whole', () => {
  const large = sampleFleet();
  const pods = [
    { id: 'pod-large', name: 'large', status: 'RUNNING', cost: 12_345.67, createdAt: '2026-01-01T00:00:00Z' },
    { id: 'pod-small', name: 'small', status: 'RUNNING', cost: 0.312, createdAt: '2026-01-01T00:00:00Z' },
  ];
  const workers = { running: 12, idle: 345, throttled: 6 };
  const fleet = {
    ...large,
    pods: { value: pods, at: LAST },
    spent: { value: { byId: new Map([['pod-large', 98_765.43]]), total: 98_765.43 }, at: LAST },
    health: new Map([['ep-busy', [{ at: LAST, row: { jobs: { inQueue: 1 }, workers } }]]]),
  };
  const session = { fleet, intervalMs: 2000, isPaced: false, failures: [] };
  for (let columns = 60; columns <= 140; columns++) {
    const lines = screenLines(input({}, { session }), { columns, rows: 30 }, unpainted);
    expect(
      lines.find((line) => line.includes('large')),
      String(columns),
    ).toContain('$12345.67');
    expect(
      lines.find((line) => line.includes('small')),
      String(columns),
    ).toContain('$0.31');
    expect(lines.filter((line) => /\d…|[$.]…/.test(line))).toEqual([]);
  }
});

test('rows of one name have their ids before it; others do not', () => {
  const twins = ['ep-one', 'ep-two', 'ep-web'].map((id) => ({
    id,
    name: id === 'ep-web' ? 'web' : 'twin',
    type: 'QUEUE',
  }));
  const fleet = { ...sampleFleet(), endpoints: { value: twins, at: LAST } };
  const session = { fleet, intervalMs: 5000, isPaced: true, failures: [] };
  const lines = textOf(screenLines(input({}, { session }), { columns: 120, rows: 20 }, unpainted));
  expect(lines).toMatch(/ {2}ep-one twin .*\n {2}ep-two twin .*\n {2}web /);
  expect(lines).toContain('every 5s (rate limit), age');
});

test.each([
  ['detail of a pod', { mode: 'detail', selected: 'pod pod-train' }],
  ['detail of an endpoint', { mode: 'detail', selected: 'endpoint ep-busy' }],
  ['help', { mode: 'help' }],
] as const)('a page: %s', async (name, ui) => {
  const lines = screenLines(input(ui), { columns: 80, rows: 24 }, unpainted);
  await expect(textOf(lines)).toMatchFileSnapshot(golden(name.replaceAll(' ', '-')));
});

test('a screen with too few rows shows the selected row, and says how many are hidden', () => {
  for (const selected of ['pod pod-bad', 'endpoint ep-stuck', 'pod pod-train']) {
    const lines = screenLines(input({ selected }), { columns: 80, rows: 13 }, unpainted);
    expect(lines).toHaveLength(13);
    expect(lines.filter((line) => line.startsWith('> '))).toHaveLength(1);
    expect(lines.join('\n')).toMatch(/\d more pods: the arrows move/);
  }
});

test('says what could not be read, and how old the rest is', () => {
  const failure = Object.assign(new Error('connection refused'), {}) as never;
  const session = {
    ...input().session,
    failures: [
      { what: 'pods', failure },
      { what: 'cost', failure },
    ],
  };
  const lines = screenLines(input({}, { session, now: LAST + 75_000 }), { columns: 120, rows: 20 }, unpainted);
  const status = headOf(lines).at(-1);
  expect(status).toContain('pods: connection refused (and 1 more)');
  expect(status).toContain('pods 75s, jobs 76s, cost 115s');
});

test('a pause, an order and a filter are shown', () => {
  const paused = input({ paused: true, sort: 'cost', filter: 'web' });
  const status = headOf(screenLines(paused, { columns: 120, rows: 20 }, unpainted)).at(-1);
  expect(status).toMatch(/^PAUSED {2}\/web .*by cost$/);
});

test.each([
  [59, 24],
  [80, 7],
])('a terminal of %i columns and %i rows gets one line that says what is needed', (columns, rows) => {
  const lines = screenLines(input(), { columns, rows }, unpainted);
  expect(lines).toEqual(['top needs 60 columns and 8 rows']);
});

test('the detail of an endpoint hides the secrets of its variables', () => {
  const { fleet, ...session } = input().session;
  const rows = (fleet.endpoints?.value ?? []).map((row) => ({
    ...(row as JsonObject),
    env: { HF_TOKEN: 'hf-value', MODE: 'a' },
  }));
  const changed = { ...fleet, endpoints: { at: LAST, value: rows } };
  const lines = screenLines(
    input({ mode: 'detail', selected: 'endpoint ep-busy' }, { session: { ...session, fleet: changed } }),
    { columns: 120, rows: 60 },
    unpainted,
  ).join('\n');
  expect(lines).toMatch(/HF_TOKEN=\*\*\*\s+MODE=a/);
});

test('an account without anything shows that', () => {
  const session = { fleet: EMPTY_FLEET, intervalMs: 2000, isPaced: false, failures: [] };
  const lines = screenLines(input({}, { session }), { columns: 80, rows: 12 }, unpainted);
  expect(lines.map((line) => line.trim())).toEqual(expect.arrayContaining(['no pods', 'no endpoints']));
});

test('without keys there is no selection, and Ctrl-C is named', () => {
  const lines = screenLines(input({}, { canSelect: false }), { columns: 80, rows: 20 }, unpainted);
  expect(lines.filter((line) => line.startsWith('> '))).toEqual([]);
  expect(lines.at(-1)).toBe('Ctrl-C quits');
});
