import { expect, test } from 'vitest';
import { Failure } from '../../../../src/core/failure.ts';
import { checkJq } from '../../../../src/output/formats/jq.ts';
import { openRows, render } from '../../../../src/output/render.ts';
import { podList, podView } from '../../../support/output/pods.ts';
import { as, screen } from '../../../support/output/screen.ts';

const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

test.each([
  ['.[0].id', undefined, '"pod-7f3a9c01"\n'],
  ['.[0].runtime.gpus[0].memoryUtil', undefined, '9007199254740993\n'],
  ['.[0:2][] | {id, cost}', 'jsonl', '{"id":"pod-7f3a9c01","cost":1.19}\n{"id":"pod-2","cost":0.0}\n'],
  ['.[1] | {id}', 'json', '{\n  "id": "pod-2"\n}\n'],
  ['empty', undefined, ''],
  ['-1', undefined, '-1\n'],
  ['map(select(.status | test("^R"))) | length', undefined, '1\n'],
] as const)('%s', async (jq, format, expected) => {
  const to = screen();
  await render(podList, as({ jq, format }), to);
  expect(to.out()).toBe(expected);
});

test('raw text on a terminal has its control characters escaped', async () => {
  const to = screen({ tty: true });
  await render(podList, as({ jq: '.[4].name', raw: true }), to);
  expect(to.out()).toBe('\\u202egnp.exe\\u2066 \\x85c1\ttab\n');
});

test('an expression that does not compile is a usage error before anything is sent', async () => {
  const error = await failureOf(checkJq('.a |'));
  expect(error).toBeInstanceOf(Failure);
  expect(error).toMatchObject({ exit: 2, code: 'jq' });
  expect(String(error)).toMatch(
    /^Failure: --jq: syntax error, unexpected end of file at <top-level>, line 1, column 4$/,
  );
});

test('an expression that fails after some results: the results are printed, then it ends 1 with the message of jq', async () => {
  const to = screen();
  const error = await failureOf(render(podList, as({ jq: '1, (.[0].id | .x)' }), to));
  expect(to.out()).toBe('1\n');
  expect(error).toMatchObject({ exit: 1, message: '--jq: Cannot index string with string ("x")' });
});

test('streamed rows are filtered one by one', async () => {
  const to = screen();
  const rows = openRows(podView, as({ jq: '.n', format: 'json' }), to);
  await rows.row({ n: 1 });
  await rows.row({ n: [2] });
  await rows.close();
  expect(to.out()).toBe('1\n[\n  2\n]\n');
});

test('an expression that runs out of memory is one clear error, and the next one works', async () => {
  const error = await failureOf(
    render(podList, as({ jq: 'reduce range(40) as $_ ("x" * 1000; . + .) | length' }), screen()),
  );
  expect(String(error)).toMatch(
    /^Failure: --jq: the built-in jq ran out of memory \(256 MB\) on a document of .* k?B$/,
  );
  expect(error).toMatchObject({ exit: 1, code: 'jq' });
  const to = screen();
  await render(podList, as({ jq: '.[0].id' }), to);
  expect(to.out()).toBe('"pod-7f3a9c01"\n');
});
