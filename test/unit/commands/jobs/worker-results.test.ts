import { describe, expect, test } from 'vitest';
import { berth, berthIn } from '../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../support/worlds/test-world.ts';
import { json, pointedAt, serve } from '../../../support/servers/scripted-server.ts';

const TRACEBACK =
  'Traceback (most recent call last):\n  File "handler.py", line 2, in handler\n\traise ValueError("a\u001b[31m")\nValueError: a\u001b[31m\n';
const ERROR = JSON.stringify({
  error_type: 'ValueError',
  error_message: 'a',
  error_traceback: TRACEBACK,
  worker_id: 'w1',
});
const FAILED = { id: 'j1', status: 'FAILED', error: ERROR };

/** The lines of a text without colours and the spaces around. */
const linesOf = (text: string): readonly string[] =>
  text
    // oxlint-disable-next-line no-control-regex -- the pattern matches control characters
    .replace(/\u001b\[[0-9;?]*[A-Za-z]/g, '')
    .split('\n')
    .map((line) => line.trim());

describe('the traceback of a failed job', () => {
  test('is shown line by line on a terminal, the exception first', async () => {
    const { url } = await serve([json(FAILED)]);
    const { code, out } = await berth(['jobs', 'status', 'up', 'j1'], { env: pointedAt(url), tty: true });
    expect(code).toBe(0);
    const lines = linesOf(out);
    const first = lines.findIndex((line) => line.startsWith('error'));
    expect(lines.slice(first, first + 5)).toEqual([
      expect.stringMatching(/^error +ValueError: a/),
      'Traceback (most recent call last):',
      'File "handler.py", line 2, in handler',
      expect.stringMatching(/^raise ValueError/),
      expect.stringMatching(/^ValueError: a/),
    ]);
    expect(out).not.toContain('\u001b[31m")');
    expect(out).not.toContain('error_type');
  });

  test('is one line elsewhere, and the text of the service in JSON', async () => {
    const { url } = await serve([json(FAILED)]);
    const plain = await berth(['jobs', 'status', 'up', 'j1'], { env: pointedAt(url) });
    expect(linesOf(plain.out).filter((line) => line.includes('ValueError'))).toHaveLength(1);
    const { out } = await berth(['jobs', 'status', 'up', 'j1', '--json'], { env: pointedAt(url) });
    expect(JSON.parse(out)).toEqual(FAILED);
  });

  test('follows the end of a stream on stderr, line by line', async () => {
    const { url } = await serve([json([]), json(FAILED), json([])]);
    const { code, out, err } = await berth(['jobs', 'stream', 'up', 'j1'], { env: pointedAt(url) });
    expect([code, out]).toEqual([10, '']);
    expect(linesOf(err).slice(0, 3)).toEqual([
      expect.stringMatching(/^job j1 ended FAILED: ValueError: a/),
      'Traceback (most recent call last):',
      'File "handler.py", line 2, in handler',
    ]);
  });
});

describe('the progress of a job', () => {
  const running = (output: unknown): unknown => ({ id: 'j1', status: 'IN_PROGRESS', output });

  test('is shown live while it is waited for, bounded and harmless, and never on stdout', async () => {
    let shown = (): string => '';
    // Each state is answered until the spinner has shown the one before: the clock of the test costs no time.
    const { url } = await serve([
      (exchange) => {
        if (shown().includes('IN_PROGRESS half')) json({ id: 'j1', status: 'COMPLETED', output: 'done' })(exchange);
        else if (shown().includes('percent')) json(running(`half\u001b[2J${'x'.repeat(10_000)}`))(exchange);
        else json(running({ percent: 10 }))(exchange);
      },
    ]);
    const world = createTestWorld({ env: pointedAt(url), tty: { stderr: true }, columns: 300 });
    shown = () => world.err();
    const { code, out, err } = await berthIn(world, ['jobs', 'wait', 'up', 'j1', '--json', '--wait-timeout', '500h']);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({ id: 'j1', status: 'COMPLETED', output: 'done' });
    expect(err).toContain('IN_PROGRESS {"percent":10}');
    expect(err).toContain('IN_PROGRESS half');
    expect(err).not.toContain('\u001b[2J');
    expect(err).not.toContain('x'.repeat(100));
  });
});
