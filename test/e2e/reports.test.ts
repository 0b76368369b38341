import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { berth, cleanEnvironment, type Environment } from './support.ts';
import { hasTerminal, inTerminal } from './terminal.ts';

const COLUMNS = [60, 80, 120, 200];
const ROWS = 100;
const ESCAPE = String.fromCharCode(0x1b);

/** An environment with a batch of failed items in its home. */
async function withBatch(extra: Environment = {}): Promise<{ readonly env: Environment; readonly results: string }> {
  const env = await cleanEnvironment({ BERTH_LOCAL: '1', ...extra });
  const folder = env['HOME'] ?? '';
  writeFileSync(path.join(folder, 'items.jsonl'), '{"n":1}\n{"n":2}\n{"n":3}\n');
  const results = path.join(folder, 'r.jsonl');
  const { code } = await berth(
    ['jobs', 'batch', 'run', 'fail', '--input', path.join(folder, 'items.jsonl'), '--out', results],
    { env },
  );
  expect(code).toBe(13);
  return { env, results };
}

/** Colours and weights that follow the theme of the terminal: never black, white or a background. */
const THEME_CODES = ['0', '1', '2', '22', '31', '32', '33', '36', '39', '49'];
/** What tmux prints for text without colour. */
const PLAIN_CODES = ['', '0', '39', '49'];

const codesIn = (screen: string): ReadonlySet<string> =>
  new Set(
    [...screen.matchAll(new RegExp(`${ESCAPE}\\[([\\d;]*)m`, 'g'))].flatMap(([, codes = '']) => codes.split(';')),
  );

describe.skipIf(!hasTerminal)('reports in a terminal', () => {
  test.each(COLUMNS)('fit %d columns', async (columns) => {
    const { env, results } = await withBatch();
    for (const [args, last] of [
      [['billing', 'report'], /Total \$/],
      [['billing', 'report', '--by', 'pod'], /Total \$/],
      [['jobs', 'batch', 'report', results], /asked to/],
    ] as const) {
      const session = await inTerminal({ columns, rows: ROWS }, args, env);
      const screen = await session.waitFor('ended 0');
      expect(screen).toMatch(last);
    }
  });

  test('use colours that follow the theme of the terminal, and none with NO_COLOR', async () => {
    const { env, results } = await withBatch();
    const coloured = await inTerminal({ columns: 80, rows: ROWS }, ['jobs', 'batch', 'report', results], env);
    await coloured.waitFor('ended 0');
    const codes = codesIn(coloured.screen({ colours: true }));
    expect(codes.size).toBeGreaterThan(0);
    for (const code of codes) expect(THEME_CODES).toContain(code);
    const plain = await inTerminal({ columns: 80, rows: ROWS }, ['jobs', 'batch', 'report', results], {
      ...env,
      NO_COLOR: '1',
    });
    await plain.waitFor('ended 0');
    for (const code of codesIn(plain.screen({ colours: true }))) expect(PLAIN_CODES).toContain(code);
  });
});
