import { expect, test } from 'vitest';
import { berth } from '../../../support/worlds/run-berth.ts';

const DUMB = { tty: true, columns: 200, env: { TERM: 'dumb' } };

/** Escape is the first character of each command that moves a cursor or sets a colour. */
const ESCAPE = '\u001b';

test.each([
  ['--local pods list', /8 pods/],
  ['--local pods get train-llm', /cost +\$/],
  ['--local catalog gpus', /NAME/],
  ['--local top --once', /POD .*STATUS/],
])('TERM=dumb: %s has the tables and notes of a terminal, and moves no cursor', async (line, shown) => {
  const dumb = await berth(line.split(' '), DUMB);
  const terminal = await berth(line.split(' '), { tty: true, columns: 200, env: { NO_COLOR: '1' } });
  expect([dumb.code, terminal.code]).toEqual([0, 0]);
  expect(dumb.out + dumb.err).toMatch(shown);
  expect(dumb.out + dumb.err).not.toContain(ESCAPE);
  expect(numberless(dumb.out)).toBe(numberless(terminal.out));
  expect(numberless(dumb.err)).toBe(numberless(terminal.err));
});

/** Times and use differ between two runs. */
const numberless = (text: string): string => text.replace(/\d+(?:\.\d+)?[a-z%]*|[\u2580-\u259f]|[-:TZ]| +/g, '');
