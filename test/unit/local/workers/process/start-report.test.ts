import { expect, test } from 'vitest';
import { createStartReport } from '../../../../../src/local/workers/supervisor.ts';

function reported(lastFailure?: string) {
  const shown: string[] = [];
  let now = 0;
  const report = createStartReport(
    () => now,
    lastFailure,
    (line) => shown.push(line),
  );
  return { shown, report, pass: (milliseconds: number) => (now += milliseconds) };
}

test('without a failed start before it, every line is shown at once', () => {
  const { shown, report } = reported();
  report.line('one');
  expect(shown).toEqual(['one']);
  report.failed('(it ended)');
  expect(shown).toEqual(['one', '(it ended)']);
});

test('the same failure again is one line, also where numbers differ', () => {
  const { shown, report } = reported('at 12:01\nno module');
  report.line('at 12:02');
  report.line('no module');
  report.failed('(it ended)');
  expect(shown).toEqual(['(it ended, as the one before)']);
});

test('another failure is shown', () => {
  const { shown, report } = reported('no module');
  report.line('no memory');
  report.failed('(it ended)');
  expect(shown).toEqual(['no memory', '(it ended)']);
});

test('what was held back is shown once the worker is ready', () => {
  const { shown, report } = reported('no module');
  report.line('loading');
  expect(shown).toEqual([]);
  report.succeeded();
  report.line('job 1');
  expect(shown).toEqual(['loading', 'job 1']);
});

test('a start that takes long is shown while it goes on', () => {
  const { shown, report, pass } = reported('no module');
  report.line('loading 1 of 2');
  pass(6000);
  report.line('loading 2 of 2');
  expect(shown).toEqual(['loading 1 of 2', 'loading 2 of 2']);
});
