import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { fetchOutputs } from '../../../../../src/batch/results/outputs/fetch-outputs.ts';
import { openDurable } from '../../../../../src/host/files/durable-files.ts';
import { createTestClock } from '../../../../support/clocks/test-clock.ts';
import { realLocks } from '../../../../support/files/real-locks.ts';
import { temporaryDirectory } from '../../../../support/files/temporary-directory.ts';

test('the password and the signature of an address that is refused are not shown', async () => {
  const { signal } = new AbortController();
  const output = [
    'ftp://user:hush@files.example.com/a?sig=hush',
    'https://user:hush@files.example.com:99999/a?sig=hush',
    '//user:hush@files.example.com/a#hush',
    'https://user:hush@files.example.com/a?sig=hush',
  ];
  async function* rows() {
    yield [{ item: 1, output }];
  }
  const summary = await fetchOutputs(
    {
      durable: openDurable({ stdin: Readable.from([]), cwd: temporaryDirectory() }, signal, realLocks()),
      downloads: {
        get: () => Promise.reject(new Error('nothing is downloaded')),
        close: () => Promise.resolve(),
      },
      clock: createTestClock(),
      signal,
    },
    { rows, field: '.', into: 'files', hosts: ['files.example.com'], maxBytes: 1000, concurrency: 2 },
  );
  expect(summary.failures.map(({ address }) => address).sort()).toEqual([
    '//files.example.com/a',
    'ftp://files.example.com/a',
    'https://files.example.com/a',
    'https://files.example.com:99999/a',
  ]);
});
