import { Readable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { openDurable } from '../../../src/host/files/durable-files.ts';
import { openStorage, type OpenStorage, type StoragePorts } from '../../../src/storage/open-storage.ts';
import { createTestClock } from '../clocks/test-clock.ts';
import { realLocks } from '../files/real-locks.ts';
import { temporaryDirectory } from '../files/temporary-directory.ts';

/** Opens storage in a new directory. To be called in the test. */
export function openTestStorage(
  env: Readonly<Record<string, string>> = {},
  ports: Partial<StoragePorts> = {},
): { readonly storage: OpenStorage; readonly directory: string } {
  const directory = temporaryDirectory();
  const signal = ports.signal ?? new AbortController().signal;
  const files = openDurable({ stdin: Readable.from([]), cwd: directory }, signal, realLocks());
  let count = 0;
  const storage = openStorage(
    {
      files,
      clock: createTestClock(Date.now()),
      random: () => (++count % 1000) / 1000,
      env,
      home: directory,
      signal,
      userAgent: 'berth/test',
      retries: 3,
      timeoutMs: 10_000,
      ...ports,
    },
    {},
  );
  onTestFinished(() => storage.close());
  return { storage, directory };
}
