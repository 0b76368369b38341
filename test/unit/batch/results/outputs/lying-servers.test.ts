import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { fetchOutputs, type FetchSummary } from '../../../../../src/batch/results/outputs/fetch-outputs.ts';
import type { DownloadAnswer } from '../../../../../src/core/context.ts';
import { EXIT } from '../../../../../src/core/exit-codes.ts';
import { Failure } from '../../../../../src/core/failure.ts';
import { openDurable } from '../../../../../src/host/files/durable-files.ts';
import { createTestClock } from '../../../../support/clocks/test-clock.ts';
import { realLocks } from '../../../../support/files/real-locks.ts';
import { temporaryDirectory } from '../../../../support/files/temporary-directory.ts';

const URL = 'https://files.example.com/a';
const brokenOff = new Failure({
  code: 'unavailable',
  exit: EXIT.unavailable,
  message: 'the file breaks off',
  request: { method: 'GET', url: URL },
});

/** Fetches the file of one output from a server that gives these answers. */
async function fetchFrom(answers: readonly Omit<DownloadAnswer, 'close'>[]): Promise<FetchSummary> {
  const { signal } = new AbortController();
  let count = 0;
  async function* rows() {
    yield [{ item: 1, output: URL }];
  }
  return await fetchOutputs(
    {
      durable: openDurable({ stdin: Readable.from([]), cwd: temporaryDirectory() }, signal, realLocks()),
      downloads: {
        get: async () => {
          const answer = answers[count++];
          if (answer === undefined) throw brokenOff;
          return { ...answer, close: () => undefined };
        },
        close: () => Promise.resolve(),
      },
      clock: createTestClock(),
      signal,
    },
    { rows, field: '.', into: 'files', hosts: ['files.example.com'], maxBytes: 1000, concurrency: 1 },
  );
}

test('a file without a length is refused when it becomes larger than the limit', async () => {
  async function* body() {
    for (let chunk = 0; chunk < 100; chunk++) yield Buffer.alloc(100);
  }
  const summary = await fetchFrom([{ status: 200, headers: {}, body: body() }]);
  expect(summary.failures).toMatchObject([{ reason: 'it is larger than 1 kB (--max-size)' }]);
});

test('a part of another place of the file is not used', async () => {
  async function* half() {
    yield Buffer.from('01234');
    throw brokenOff;
  }
  async function* other() {
    yield Buffer.from('89');
  }
  const summary = await fetchFrom([
    { status: 200, headers: { etag: '"e"' }, body: half() },
    { status: 206, headers: { etag: '"e"', 'content-range': 'bytes 8-9/10' }, body: other() },
  ]);
  expect(summary).toMatchObject({ downloaded: 0, failed: 1 });
  expect(summary.failures).toMatchObject([{ reason: 'the server sent another part of it than it was asked for' }]);
});
