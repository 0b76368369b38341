import { describe, expect, test } from 'vitest';
import { berth } from '../support/worlds/run-berth.ts';
import { fails, works } from '../support/worlds/expect-run.ts';
import { json, pointedAt, problem, serve } from '../support/servers/scripted-server.ts';
import { HARMFUL, HOSTILE, withoutOwnControls } from '../support/text/hostile.ts';

// Row 15 of docs/faults.md: text that tries to control a terminal.

// Tables, details and lists of every command: contract/hostile-answers.test.ts.
test.each(['json', 'jsonl'])('piped, as %s: the document, exact', async (format) => {
  const pod = { id: 'pod1', name: HOSTILE, [HOSTILE]: { [HOSTILE]: [HOSTILE] } };
  const { out } = await works(['pods', 'list', '-o', format], [json({ pods: [pod] })]);
  expect([JSON.parse(out)].flat()).toEqual([pod]);
  const onScreen = await works(['pods', 'list', '-o', format, '--no-color'], [json({ pods: [pod] })], { tty: true });
  expect(withoutOwnControls(onScreen.out)).not.toMatch(HARMFUL);
  expect([JSON.parse(onScreen.out)].flat()).toEqual([pod]);
});

describe('a stream', () => {
  const chunks = (output: unknown) => [
    json([{ output }]),
    json([]),
    json({ id: 'job1', status: 'COMPLETED' }),
    json([]),
  ];

  test.each([
    ['text', HOSTILE],
    ['text in an array', { text: [HOSTILE, HOSTILE] }],
    ['an object', { [HOSTILE]: HOSTILE }],
  ])('of %s: visible escapes on a terminal and in a pipe', async (_, output) => {
    for (const tty of [true, false]) {
      const { out } = await works(['jobs', 'stream', 'ep1', 'job1'], chunks(output), { tty });
      expect(withoutOwnControls(out)).not.toMatch(HARMFUL);
      expect(out).toMatch(/\\(x|u00)1b\[2J/);
    }
  });

  test('of objects prints each as JSON with escaped control characters and the same value', async () => {
    const { out } = await works(['jobs', 'stream', 'ep1', 'job1'], chunks({ [HOSTILE]: HOSTILE }), { tty: true });
    expect(JSON.parse(out)).toEqual({ [HOSTILE]: HOSTILE });
  });

  test('of text keeps line feeds and tabs', async () => {
    const { out } = await works(['jobs', 'stream', 'ep1', 'job1'], chunks('one\n\ttwo\n'));
    expect(out).toBe('one\n\ttwo\n');
  });

  test('as JSON lines is exact', async () => {
    const { out } = await works(['jobs', 'stream', 'ep1', 'job1', '-o', 'jsonl'], chunks(HOSTILE));
    expect(JSON.parse(out)).toEqual({ output: HOSTILE });
  });
});

describe('an error', () => {
  const detail = `no luck: ${HOSTILE}`;
  const refusals = [
    ['a problem document', json({ title: HOSTILE, status: 422, detail, errors: [HOSTILE] }, 422)],
    ['an error member', json({ error: detail }, 422)],
    ['plain text', problem(422, detail)],
  ] as const;

  test.each(refusals)('in %s: visible escapes for a person, exact JSON for a program', async (_, refusal) => {
    const { block, runs, error } = await fails(['pods', 'get', 'pod1'], { exit: 5, says: ['no luck'] }, [refusal]);
    expect(block).not.toMatch(HARMFUL);
    expect(runs[1].err.trimEnd().split('\n')).toHaveLength(1);
    expect(error.detail).toBe(detail);
  });

  test.each(refusals)('in %s, on a terminal: harmless both ways', async (_, refusal) => {
    for (const flags of [[], ['--json']]) {
      const server = await serve([refusal]);
      const ran = await berth([...flags, 'pods', 'get', 'pod1'], { tty: true, env: pointedAt(server.url) });
      expect(ran.code).toBe(5);
      expect(withoutOwnControls(ran.err)).not.toMatch(HARMFUL);
    }
  });

  test('in a redirect, and in an id on the command line', async () => {
    const location = encodeURI('http://127.0.0.1:1/');
    const redirect = json({}, 307, { location: `${location}\u009b31m` });
    const { block } = await fails(['pods', 'get', 'pod1'], { exit: 7, says: ['307'] }, [redirect]);
    expect(block).not.toMatch(HARMFUL);
    const bad = await fails(['pods', 'get', 'a\u001b[2J'], { exit: 2, says: ['is not an id or name'] });
    expect(bad.block).not.toMatch(HARMFUL);
  });

  test('of a job', async () => {
    const server = await serve([json({ id: 'job1', status: 'FAILED', error: HOSTILE })]);
    for (const argv of [
      ['jobs', 'wait', 'ep1', 'job1'],
      ['jobs', 'stream', 'ep1', 'job1'],
    ]) {
      const ran = await berth(argv, { tty: true, env: pointedAt(server.url) });
      expect(ran.code).toBe(10);
      expect(withoutOwnControls(ran.out + ran.err)).not.toMatch(HARMFUL);
    }
  });
});
