import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { hasTerminal, inShell, inTerminal, type TerminalSession } from './terminal.ts';
import { berthPath, cleanEnvironment, temporaryFolder } from './support.ts';

// What live views do to a real terminal.

const local = (extra: Readonly<Record<string, string>> = {}) => cleanEnvironment({ BERTH_LOCAL: '1', ...extra });

const widest = (screen: string): number => Math.max(...screen.split('\n').map((line) => Array.from(line).length));

/** The SGR codes of a screen. */
const codesOf = (screen: string): readonly number[] =>
  // oxlint-disable-next-line no-control-regex -- the colours are meant
  [...new Set([...screen.matchAll(/\u001b\[([\d;]*)m/g)].flatMap(([, codes = '']) => codes.split(';').map(Number)))];

/** Ends a view, so that it writes nothing into folders that are removed. */
async function quit(session: TerminalSession): Promise<void> {
  session.press('q');
  await session.waitFor('ended 0');
}

describe.skipIf(!hasTerminal)('in a terminal', () => {
  test('watches fit their terminal, and show what is live', async () => {
    const columns = 60;
    const pod = await inTerminal({ columns, rows: 40 }, ['pods', 'get', 'pod-train', '--watch'], await local());
    const shown = await pod.waitFor(/gpu 0 [^]*q ends/);
    for (const live of ['status', 'uptime', 'gpu 1', 'cpu', 'open ports']) expect(shown).toContain(live);
    expect(widest(shown)).toBeLessThanOrEqual(columns);
    pod.press('q');
    expect(await pod.waitFor('ended 0')).not.toContain('q ends');
    const health = await inTerminal({ columns, rows: 24 }, ['health', 'demo', '--watch'], await local());
    const counts = await health.waitFor(/in queue +0\n[^]*initializing[^]*q ends/);
    expect(widest(counts)).toBeLessThanOrEqual(columns);
    await quit(health);
  });

  test('colours are of the sixteen, without black, white or a background: for light and dark terminals', async () => {
    const coloured = await inTerminal({ columns: 100, rows: 24 }, ['top'], await local());
    await coloured.waitFor(/RUNNING +\d+%/);
    const codes = codesOf(coloured.screen({ colours: true }));
    expect(codes.filter((code) => ![0, 1, 2, 22, 31, 32, 33, 36, 39, 49].includes(code))).toEqual([]);
    expect(codes).toContain(32);
    await quit(coloured);
    const plain = await inTerminal({ columns: 100, rows: 24 }, ['top'], await local({ NO_COLOR: '1' }));
    await plain.waitFor(/RUNNING +\d+%/);
    expect(codesOf(plain.screen({ colours: true })).filter((code) => code !== 0 && code !== 49)).toEqual([]);
    await quit(plain);
  });

  test('top fits its terminal, is drawn again for a new size while it runs, and gives the terminal back', async () => {
    const session = await inTerminal({ columns: 120, rows: 30 }, ['top'], await local());
    await session.waitFor(/RUNNING +\d+% +[▁-█][^]*q quit/);
    expect([session.alternateShown(), session.cursorShown()]).toEqual([true, false]);
    for (const [columns, rows] of [
      [60, 20],
      [200, 40],
      [80, 12],
    ] as const) {
      session.resize(columns, rows);
      const screen = await session.waitFor(new RegExp(`^([^\n]*\n){${String(rows - 1)}}q quit`));
      expect(widest(screen)).toBeLessThanOrEqual(columns);
    }
    await quit(session);
    expect([session.alternateShown(), session.cursorShown()]).toEqual([false, true]);
    expect(session.screen()).not.toContain('ENDPOINT');
  });
});

/** An interactive shell on the local service. `pid` reads the number of the berth that `run` started. */
async function shell(): Promise<{ session: TerminalSession; run: (line: string) => void; pid: () => number }> {
  const folder = await temporaryFolder();
  const session = await inShell(folder);
  return {
    session,
    run: (line) => {
      session.type(`sh -c 'echo $$ > ~/pid; exec "${berthPath()}" ${line}'`);
      session.press('Enter');
    },
    pid: () => Number(readFileSync(path.join(folder, 'pid'), 'utf8')),
  };
}

/** Checks that the terminal works: what is typed is shown, lines are read, the cursor is there, the screen is the first. */
async function expectSane(session: TerminalSession): Promise<void> {
  session.type('clear; stty -a | tr " ;" "\\n\\n" | grep -E "^-?(icanon|echo|isig)$" | xargs; echo do""ne');
  session.press('Enter');
  const screen = await session.waitFor('done');
  expect(screen).toMatch(/^isig icanon echo$/m);
  expect([session.alternateShown(), session.cursorShown()]).toEqual([false, true]);
  session.type('echo typed');
  await session.waitFor('echo typed');
  session.press('Enter');
}

/** Ends an interactive shell and its local service. */
async function leave(session: TerminalSession): Promise<void> {
  session.type('clear; exit 0');
  session.press('Enter');
  await session.waitFor('ended 0');
}

const VIEWS = [
  ['top', /RUNNING +\d+%/],
  ['pods get pod-train --watch', /gpu 0/],
] as const;

test.skipIf(!hasTerminal).each(VIEWS)(
  '`%s` leaves a sane terminal after a signal, Ctrl-C and Ctrl-Z; fg draws it again',
  async (line, shown) => {
    const { session, run, pid } = await shell();
    for (const signal of ['SIGTERM', 'SIGQUIT'] as const) {
      run(line);
      await session.waitFor(shown);
      process.kill(pid(), signal);
      await expect.poll(() => session.alternateShown()).toBe(false);
      session.press('Enter');
      await session.waitFor(/shell> *$/);
      await expectSane(session);
    }
    run(line);
    await session.waitFor(shown);
    session.press('C-z');
    await session.waitFor('Stopped');
    await expectSane(session);
    session.type('clear; fg');
    session.press('Enter');
    await session.waitFor(shown);
    expect([session.alternateShown(), session.cursorShown()]).toEqual([line === 'top', false]);
    session.press('C-c');
    await session.waitFor(/shell> *$/);
    await expectSane(session);
    await leave(session);
  },
);
