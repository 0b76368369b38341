import { describe, expect, test } from 'vitest';
import { openSpinner } from '../../../../src/output/live/spinner.ts';
import { openWatchView } from '../../../../src/output/live/watch-view.ts';
import { pod, podList, podView } from '../../../support/output/pods.ts';
import { as, screen } from '../../../support/output/screen.ts';
import { Terminal } from '../../../support/output/terminal-emulator.ts';

const WATCH = { intervalMs: 2000, onQuit: () => undefined };
const HIDE = '\u001b[?25l';
const SHOW = '\u001b[?25h';
const list = (...ids: readonly string[]) =>
  ({ kind: 'many', view: podView, values: ids.map((id) => ({ id })) }) as const;

/** Lets a redraw after a key finish. */
const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
};

describe('--watch on a terminal', () => {
  test('redraws in place, and at the end leaves the last frame and shows the cursor', async () => {
    const to = screen({ tty: true, columns: 60, rows: 12 });
    const live = await openWatchView(as({ fields: ['id'] }), to, WATCH);
    await live.show(list('a', 'b', 'c'));
    await live.show(list('d'));
    await live.show({ ...list(), notes: ['all gone'] });
    await live.show(list('e', 'f'));
    await live.close(false);
    const seen = new Terminal(60, 12).write(to.out());
    expect(seen.text()).toBe('id\ne\nf');
    expect(seen.cursor).toBe(true);
    expect(to.out().startsWith(HIDE)).toBe(true);
  });

  test('scrolls by keys below the header of a list, and stays inside it', async () => {
    const to = screen({ tty: true, columns: 60, rows: 10 });
    const live = await openWatchView(as({ fields: ['id'] }), to, WATCH);
    await live.show(list(...Array.from({ length: 20 }, (_, at) => `pod-${String(at)}`)));
    const seen = async (...keys: readonly string[]): Promise<string> => {
      to.press(...keys);
      await settled();
      return new Terminal(60, 10).write(to.out()).text();
    };
    expect(await seen('down', 'j')).toMatch(/^pod-2$/m);
    const last = await seen('G');
    expect(last).toMatch(/^pod-19$/m);
    expect(last.split('\n')[0]).toContain('id');
    expect(await seen('pagedown', 'down')).toBe(last);
    expect(await seen('home', 'up')).toMatch(/^pod-0$/m);
    await live.close(true);
    expect(to.out()).toMatch(/^pod-10$/m);
    expect(to.taken()).toBe(false);
  });

  test('says how old the values are while polls fail', async () => {
    const to = screen({ tty: true, columns: 70 });
    const live = await openWatchView(as(), to, WATCH);
    await live.show(pod(1));
    await live.stale('connection refused', 12_000);
    expect(new Terminal(70, 24).write(to.out()).text()).toContain('12s old: connection refused');
    await live.show(pod(1));
    expect(new Terminal(70, 24).write(to.out()).text()).not.toContain('old:');
  });

  test('an interrupt shows the cursor at once, and nothing is drawn after it', async () => {
    const to = screen({ tty: true });
    const live = await openWatchView(as(), to, WATCH);
    await live.show(podList);
    to.abort();
    expect(to.out().endsWith(SHOW)).toBe(true);
    const before = to.out();
    await live.show(pod(0));
    await live.close(false);
    expect(to.out()).toBe(before);
  });
});

describe('--watch in a pipe', () => {
  test.each([
    ['table', false, 'id\na\n\nid\nb\n'],
    ['json', false, '[\n  {\n    "id": "a"\n  }\n]\n[\n  {\n    "id": "b"\n  }\n]\n'],
    [
      'jsonl',
      true,
      `${['a', 'a', 'b', 'b'].map((id) => `{"at":"2026-01-03T12:00:00.000Z","id":"${id}"}`).join('\n')}\n`,
    ],
    ['yaml', false, '- id: a\n---\n- id: b\n'],
  ] as const)(
    '%s: one rendering after the other; JSON lines at each poll, the others where the data is another',
    async (format, tty, expected) => {
      const to = screen({ tty });
      const live = await openWatchView(as({ format, fields: ['id'] }), to, WATCH);
      for (const id of ['a', 'a', 'b', 'b']) await live.show(list(id));
      await live.close(false);
      expect(to.out()).toBe(expected);
    },
  );
});

describe('spinner', () => {
  test('is one line on stderr that is erased when it stops', async () => {
    const to = screen({ tty: true, columns: 30 });
    const spinner = await openSpinner(to, `waiting for \u001b]52;x\u0007 ${'long '.repeat(20)}`);
    spinner.update('job a: IN_QUEUE');
    const during = new Terminal(30, 5).write(to.err());
    expect(during.text()).toContain('waiting for \\x1b]52;x\\x07');
    expect(during.text().split('\n')).toHaveLength(1);
    expect(during.cursor).toBe(false);
    spinner.stop();
    spinner.stop();
    const after = new Terminal(30, 5).write(to.err());
    expect([after.text(), after.cursor, to.out()]).toEqual(['', true, '']);
  });
});
