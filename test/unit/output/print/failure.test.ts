import { describe, expect, test } from 'vitest';
import { Failure, usage } from '../../../../src/core/failure.ts';
import { renderFailure } from '../../../../src/output/failure.ts';
import { screen } from '../../../support/output/screen.ts';

const FULL = new Failure({
  code: 'refused',
  exit: 5,
  message: 'the service refused the pod',
  hint: 'Correct it and try again.\nOr see: berth pods create --help',
  status: 422,
  title: 'Unprocessable Entity',
  detail: 'request validation failed',
  errors: ['$.disk: must be at least 1', '$.name: \u001b]52;c;x\u0007 not allowed'],
  retryAfter: 90,
  request: { method: 'POST', url: 'http://127.0.0.1:8181/v2/pods' },
  id: 'pod-1',
});

describe('a failure as text', () => {
  test('is a line that says what happened and why, and a line for each thing to do', async () => {
    const to = screen();
    expect(await renderFailure(FULL, 'text', to)).toBe(5);
    expect(to.out()).toBe('');
    await expect(to.err()).toMatchFileSnapshot('../../../golden/output/failure-full.txt');
    const coloured = screen({ tty: true, colour: true, columns: 400 });
    await renderFailure(FULL, 'text', coloured);
    // oxlint-disable-next-line no-control-regex -- the pattern matches the escape sequences of colours
    expect(coloured.err().replace(/\u001b\[\d+m/g, '')).toBe(to.err());
  });
});

describe('a failure as JSON', () => {
  test('is one object on one line, without absent members and without the exit code', async () => {
    const to = screen();
    expect(await renderFailure(FULL, 'json', to)).toBe(5);
    expect(to.err().split('\n')).toHaveLength(2);
    const { exit: _, ...said } = FULL.facts();
    expect(JSON.parse(to.err())).toEqual({ error: said });
    const least = screen();
    await renderFailure(usage('no such flag'), 'json', least);
    expect(least.err()).toBe('{"error":{"code":"usage","message":"no such flag"}}\n');
  });
});

test.each([[new TypeError('x is not a function')], ['thrown text'], [undefined], [new Error('')]])(
  'what is no Failure is a bug, without a stack: %s',
  async (error) => {
    const to = screen();
    expect(await renderFailure(error, 'text', to)).toBe(1);
    expect(to.err()).toContain('this is a bug in berth');
    expect(to.err()).toContain('--verbose');
    expect(to.err()).not.toMatch(/\n\s+at /);
  },
);
