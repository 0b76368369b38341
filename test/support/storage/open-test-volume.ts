import { onTestFinished } from 'vitest';
import type { VolumeFiles } from '../../../src/core/file-ports.ts';
import { createTransport } from '../../../src/http/wire/client.ts';
import type { S3ClientOptions } from '../../../src/storage/client.ts';
import { openVolumeFiles } from '../../../src/storage/volume-files.ts';
import { createTestClock } from '../clocks/test-clock.ts';

/** Opens a bucket of an S3-compatible service at `url` as the files of a volume, with the key of `env`. To be called in the test. */
export function openTestVolume(
  url: string,
  bucket: string,
  env: Readonly<Record<string, string>>,
  options: Partial<S3ClientOptions> = {},
): Promise<VolumeFiles> {
  const transport = createTransport({ env: {} });
  onTestFinished(() => transport.close());
  let count = 0;
  const client = {
    transport,
    clock: createTestClock(Date.now()),
    random: () => (++count % 1000) / 1000,
    signal: new AbortController().signal,
    userAgent: 'berth/test',
    retries: 3,
    timeoutMs: 10_000,
    ...options,
  };
  const place = { id: bucket, dataCenter: 'us-east-1' };
  return openVolumeFiles(client, place, { url, urlFrom: 'BERTH_STORAGE_URL', own: undefined, env });
}

/** The keys of what is directly in a folder of a volume. */
export async function keysIn(volume: VolumeFiles, prefix: string): Promise<readonly string[]> {
  const keys: string[] = [];
  for await (const { key } of volume.list(prefix, true)) keys.push(key);
  return keys;
}
