import { Readable } from 'node:stream';
import { onTestFinished } from 'vitest';
import type { StorageOptions } from '../../../src/core/context.ts';
import { createRunProgram } from '../../../src/host/process/run-program.ts';
import { openDurable } from '../../../src/host/files/durable-files.ts';
import { openStorage, type OpenStorage, type StoragePorts } from '../../../src/storage/open-storage.ts';
import { createTestClock } from '../clocks/test-clock.ts';
import { realLocks } from '../files/real-locks.ts';
import { temporaryDirectory } from '../files/temporary-directory.ts';

/** Opens storage in a new directory. To be called in the test. */
export function openTestStorage(
  env: Readonly<Record<string, string>> = {},
  ports: Partial<StoragePorts> = {},
  options: StorageOptions = {},
): { readonly storage: OpenStorage; readonly directory: string } {
  const directory = temporaryDirectory();
  const signal = ports.signal ?? new AbortController().signal;
  const files = openDurable({ stdin: Readable.from([]), cwd: directory }, signal, realLocks());
  let count = 0;
  const clock = createTestClock(Date.now());
  const storage = openStorage(
    {
      files,
      clock,
      random: () => (++count % 1000) / 1000,
      env,
      home: directory,
      signal,
      userAgent: 'berth/test',
      runProgram: createRunProgram({ env: process.env, platform: process.platform, clock, cwd: directory }),
      retries: 3,
      timeoutMs: 10_000,
      ...ports,
    },
    options,
  );
  onTestFinished(() => storage.close());
  return { storage, directory };
}
