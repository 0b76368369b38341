import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MAX_BODY_BYTES } from '../../../../src/local/http/dispatch.ts';
import { SILENCE_MS } from '../../../../src/local/queue/workers.ts';
import { STOP_GRACE_MS } from '../../../../src/local/queue/job-changes.ts';
import { MAX_WORKERS } from '../../../../src/local/queue/worker-protocol.ts';
import { MAX_OUTPUT_BYTES } from '../../../../src/local/queue/job-output.ts';
import {
  HOLD_MS,
  MAX_BATCH,
  MAX_WORKER_ID_LENGTH,
  REMOVED_PAUSE_MS,
} from '../../../../src/local/queue/worker-operations.ts';

const page = readFileSync(join(import.meta.dirname, '../../../../workers/README.md'), 'utf8').replace(/\s+/g, ' ');
const grouped = (value: number): string => value.toLocaleString('en');

test('the page on the worker protocol is part of the package', () => {
  const { files } = JSON.parse(readFileSync(join(import.meta.dirname, '../../../../package.json'), 'utf8')) as {
    readonly files: readonly string[];
  };
  expect(files).toContain('workers');
});

test.each([
  ['how long a take is held', `is held open for ${String(HOLD_MS / 1000)} s`],
  ['the pause of a removed worker', `answered after ${String(REMOVED_PAUSE_MS / 1000)} s`],
  ['the number of workers', `the endpoint has ${grouped(MAX_WORKERS)} workers already`],
  ['the largest batch', `at most ${grouped(MAX_BATCH)} jobs are given`],
  ['the answer to a removed worker', '| 400 | the worker was removed'],
  ['the answer to a batch of another size', 'N is a whole number from 1 (400 otherwise)'],
  ['the answer to a result that is no JSON', '| 400 | the body is not a JSON object in UTF-8. NaN and Infinity'],
  ['the answer to a result that is too large', '| 413 | the output has more than'],
  ['the length of an id', `at most ${String(MAX_WORKER_ID_LENGTH)} characters`],
  ['the largest output', `more than ${String(MAX_OUTPUT_BYTES / 1e6)} MB (${grouped(MAX_OUTPUT_BYTES)} bytes)`],
  ['the largest body', `the body more than ${String(MAX_BODY_BYTES / 1e6)} MB`],
  ['the grace of a stop', `still has such a job ${String(STOP_GRACE_MS / 1000)} s after`],
  ['the silence of a lost worker', `makes no request for ${String(SILENCE_MS / 1000)} s`],
])('the page on the worker protocol has the number in force: %s', (_, sentence) => {
  expect(page).toContain(sentence);
});
