import { describe, expect, test } from 'vitest';
import { jobError } from '../../../src/queue/job.ts';

const TRACEBACK = [
  'Traceback (most recent call last):',
  '  File "/worker/handler.py", line 12, in handler',
  '    return shout(job["input"])',
  '           ^^^^^^^^^^^^^^^^^^^',
  "KeyError: 'text'",
  '',
].join('\n');

const fromLibrary = JSON.stringify({
  error_type: "<class 'KeyError'>",
  error_message: "'text'",
  error_traceback: TRACEBACK,
  hostname: 'w1',
});

describe('the error of a job', () => {
  test.each([
    [
      'a traceback of the library of a worker',
      fromLibrary,
      "KeyError: 'text'",
      `KeyError: 'text'\n${TRACEBACK.trimEnd()}`,
    ],
    ['a traceback as it is', TRACEBACK, "KeyError: 'text'", `KeyError: 'text'\n${TRACEBACK.trimEnd()}`],
    [
      'a failed prestart hook',
      JSON.stringify({
        event: 'prestart_failed',
        error_type: 'ValueError',
        error_message: 'no weights',
        error_traceback: TRACEBACK,
        hook: 'load_model',
        logs: 'loading\nlast line\n',
      }),
      'prestart hook load_model failed: no weights',
      `prestart hook load_model failed: no weights\n${TRACEBACK.trimEnd()}\nloading\nlast line`,
    ],
    [
      'a worker that was stopped while starting',
      JSON.stringify({ event: 'prestart_cancelled', error_type: 'PrestartCancelled', error_message: 'SIGTERM' }),
      'worker stopped while starting: submit again',
      'worker stopped while starting: submit again',
    ],
    ['a text', 'it broke', 'it broke', 'it broke'],
    ['JSON with a message', '{"message":"no", "code":7}', 'no', '{"message":"no", "code":7}'],
    ['JSON without one', '{"code":7}', '{"code":7}', '{"code":7}'],
    ['nothing', '', '', ''],
  ])('%s', (_, error, headline, text) => {
    expect(jobError({ error })).toEqual({ headline, text });
  });

  test('is absent where the job has none, and may be any value', () => {
    expect(jobError({ status: 'FAILED' })).toBeUndefined();
    expect(jobError({ error: { code: 7 } })?.headline).toBe('{"code":7}');
    expect(jobError({ error: null })?.headline).toBe('null');
  });

  test('names the exception, and not the last line of its message or of what it came from', () => {
    const chained = [
      'Traceback (most recent call last):',
      '  File "a.py", line 1, in f',
      'ValueError: first',
      '',
      'During handling of the above exception, another exception occurred:',
      '',
      'Traceback (most recent call last):',
      '  File "a.py", line 3, in g',
      '    check(value)',
      'ValidationError: 1 error for Input',
      'text',
      '  Field required',
    ].join('\n');
    expect(jobError({ error: chained })?.headline).toBe('ValidationError: 1 error for Input');
  });

  test('has a short headline, whatever its size', () => {
    expect(jobError({ error: 'x'.repeat(5_000_000) })?.headline).toHaveLength(500);
    expect(jobError({ error: `{"error_traceback":"${'y\\n'.repeat(100_000)}"}` })?.headline).toBe('y');
  });
});
