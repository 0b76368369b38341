import { describe, expect, test } from 'vitest';
import { safeText } from '../../../../src/core/safe-text.ts';
import { piecesWidth } from '../../../../src/output/text/text-width.ts';
import { render } from '../../../../src/output/render.ts';
import { OUTPUT_FORMATS } from '../../../../src/core/settings.ts';
import { as, screen } from '../../../support/output/screen.ts';
import { pod, podList } from '../../../support/output/pods.ts';

/** The path of a golden file. Golden files are read by people in reviews: they hold exactly what is printed. */
const golden = (name: string): string => `../../../golden/output/${name}.txt`;

/** Whether a text holds no control characters except line ends. */
const harmless = (text: string): boolean => safeText(text, true) === text;

describe('a table on a terminal', () => {
  test.each([40, 80, 200])('a list fits %i columns', async (columns) => {
    const to = screen({ tty: true, columns });
    await render(podList, as(), to);
    const lines = to.out().split('\n');
    for (const line of lines) expect(piecesWidth([{ text: safeText(line) }])).toBeLessThanOrEqual(columns);
    expect(harmless(to.out())).toBe(true);
    expect(to.err()).toBe('');
    await expect(to.out()).toMatchFileSnapshot(golden(`list-${String(columns)}`));
  });

  test.each([60])('-o wide keeps every column in %i columns', async (columns) => {
    const to = screen({ tty: true, columns });
    await render(podList, as({ format: 'wide' }), to);
    expect(to.out()).toContain('PORTS');
    await expect(to.out()).toMatchFileSnapshot(golden(`wide-${String(columns)}`));
  });

  test('has the colours of its tones and is otherwise the same text', async () => {
    const to = screen({ tty: true, columns: 100, colour: true });
    const plain = screen({ tty: true, columns: 100 });
    await render(podList, as(), to);
    await render(podList, as(), plain);
    // oxlint-disable-next-line no-control-regex -- the pattern matches the escape sequences of colours
    expect(to.out().replace(/\u001b\[\d+m/g, '')).toBe(plain.out());
    await expect(safeText(to.out(), true)).toMatchFileSnapshot(golden('list-100-colour'));
  });

  test.each([30, 100])('one in full fits %i columns', async (columns) => {
    const to = screen({ tty: true, columns });
    await render(pod(0), as(), to);
    for (const line of to.out().split('\n'))
      expect(piecesWidth([{ text: safeText(line) }])).toBeLessThanOrEqual(columns);
    await expect(to.out()).toMatchFileSnapshot(golden(`detail-${String(columns)}`));
  });
});

describe('a table in a pipe', () => {
  test.each(OUTPUT_FORMATS)('a list as %s', async (format) => {
    const to = screen();
    await render(podList, as({ format }), to);
    await expect(to.out()).toMatchFileSnapshot(golden(`plain-list-${format}`));
  });

  test.each(['table', 'csv'] as const)('one as %s', async (format) => {
    const to = screen();
    await render(pod(0), as({ format }), to);
    await expect(to.out()).toMatchFileSnapshot(golden(`plain-one-${format}`));
  });

  test.each(['json', 'yaml'] as const)('one as %s is written as in a list', async (format) => {
    const [list, one] = [screen(), screen()];
    await render(podList, as({ format }), list);
    await render(pod(0), as({ format }), one);
    expect(list.out()).toContain(one.out().trim().replace(/\n/g, '\n  '));
  });
});
