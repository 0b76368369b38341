import { Readable } from 'node:stream';
import { onTestFinished } from 'vitest';
import type { VolumeFiles } from '../../../src/core/file-ports.ts';
import { openDurable } from '../../../src/host/files/durable-files.ts';
import { createTransport } from '../../../src/http/wire/client.ts';
import { openVolumeFiles, type StoragePorts } from '../../../src/storage/volume-files.ts';
import { createTestClock } from '../clocks/test-clock.ts';
import { realLocks } from '../files/real-locks.ts';
import { temporaryDirectory } from '../files/temporary-directory.ts';

/** Opens a bucket of an S3-compatible service at `url` as the files of a volume, with the key of `env`. To be called in the test. */
export function openTestVolume(
  url: string,
  bucket: string,
  env: Readonly<Record<string, string>>,
  ports: Partial<StoragePorts> = {},
): Promise<VolumeFiles> {
  const signal = ports.signal ?? new AbortController().signal;
  const transport = createTransport({ env: {} });
  onTestFinished(() => transport.close());
  let count = 0;
  const own: StoragePorts = {
    files: openDurable({ stdin: Readable.from([]), cwd: temporaryDirectory() }, signal, realLocks()),
    clock: createTestClock(Date.now()),
    random: () => (++count % 1000) / 1000,
    env,
    signal,
    userAgent: 'berth/test',
    retries: 3,
    timeoutMs: 10_000,
    ...ports,
  };
  return openVolumeFiles(own, transport, { id: bucket, dataCenter: 'us-east-1' }, { url, own: undefined });
}

/** The keys of what is in a folder of a volume. */
export async function keysIn(volume: VolumeFiles, prefix: string): Promise<readonly string[]> {
  const keys: string[] = [];
  for await (const { key } of await volume.folder(prefix)) keys.push(key);
  return keys;
}
