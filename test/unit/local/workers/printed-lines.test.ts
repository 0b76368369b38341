import { expect, test } from 'vitest';
import { createPrintedLines } from '../../../../src/local/workers/printed-lines.ts';

function printer(second = () => 0) {
  const lines: string[] = [];
  const printed = createPrintedLines(
    () => second() * 1000,
    (line) => lines.push(line),
  );
  return { lines, printed };
}

test.each([
  ['in one piece', ['one\ntwo\n'], ['one', 'two']],
  ['in pieces', ['o', 'ne\nt', 'wo', '\n'], ['one', 'two']],
  ['without a line feed at its end', ['one\ntwo'], ['one', 'two']],
  ['with the line ends of Windows', ['one\r\ntwo\r', '\n'], ['one', 'two']],
  ['a progress bar', ['10%\r20%', '\r30%', '\r100%\n', 'done\n'], ['100%', 'done']],
  ['a progress bar without an end', ['10%\r20%', '\r30%'], ['30%']],
  ['empty lines', ['\n\none\n\n'], ['', '', 'one', '']],
])('lines are what a terminal would show: %s', (_, pieces, expected) => {
  const { lines, printed } = printer();
  for (const piece of pieces) printed.add(piece);
  printed.end();
  expect(lines).toEqual(expected);
});

test('a line of any length is cut, whether it comes in one piece or in many', () => {
  const { lines, printed } = printer();
  printed.add(`${'x'.repeat(100_000)}\n`);
  for (let piece = 0; piece < 1000; piece++) printed.add('y'.repeat(1000));
  printed.add('\nz\n');
  expect(lines).toEqual([`${'x'.repeat(2000)}...`, `${'y'.repeat(2000)}...`, 'z']);
});

test('of the lines beyond the limit of a second the newest are kept, and a line says how many were not', () => {
  let now = 0;
  const { lines, printed } = printer(() => now);
  for (let line = 0; line < 5000; line++) printed.add(`${String(line)}\n`);
  expect(lines).toHaveLength(1000);
  now = 1;
  printed.add('after\n');
  expect(lines.slice(1000, 1002)).toEqual(["(3900 lines left out: more than a worker's log takes)", '4900']);
  expect(lines.slice(-2)).toEqual(['4999', 'after']);
  expect(printed.tail()).toHaveLength(20);
  expect(printed.tail().slice(-2)).toEqual(['4999', 'after']);
});

test('the last lines before the end are kept, however much was printed before', () => {
  const { lines, printed } = printer();
  for (let line = 0; line < 3000; line++) printed.add(`${'x'.repeat(2000)}\n`);
  printed.add('Traceback: no memory');
  printed.end();
  expect(lines.at(-1)).toBe('Traceback: no memory');
  expect(lines).toHaveLength(100 + 1 + 100);
});

test('a progress bar shows its last state each second', () => {
  let now = 0;
  const { lines, printed } = printer(() => now);
  for (now = 0; now < 3; now += 0.25) printed.add(`\r${String(now * 25)}%`);
  printed.add('\n');
  expect(lines).toEqual(['25%', '50%', '68.75%']);
});
