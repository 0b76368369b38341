import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fetchOutputs, type FetchSummary } from '../../../../../src/batch/results/outputs/fetch-outputs.ts';
import type { DownloadAnswer } from '../../../../../src/core/context.ts';
import { EXIT } from '../../../../../src/core/exit-codes.ts';
import { Failure } from '../../../../../src/core/failure.ts';
import { openDurable } from '../../../../../src/host/files/durable-files.ts';
import { realLocks } from '../../../../support/files/real-locks.ts';
import { createTestWorld } from '../../../../support/worlds/test-world.ts';

const BROKEN = new Failure({ code: 'unavailable', exit: EXIT.unavailable, message: 'the connection was closed' });

/** Downloads one file after the other. Each chunk is a number of bytes; `breaks` ends the first answer early. */
async function fetchAll(
  files: readonly (readonly (number | 'breaks')[])[],
  maxTotalBytes: number,
): Promise<FetchSummary & { readonly names: readonly string[] }> {
  const { directory, stdin } = createTestWorld();
  const signal = new AbortController().signal;
  const durable = openDurable({ stdin, cwd: directory }, signal, realLocks());
  const asked = new Map<string, number>();
  const get = async (url: string): Promise<DownloadAnswer> => {
    const count = (asked.get(url) ?? 0) + 1;
    asked.set(url, count);
    async function* body(): AsyncGenerator<Uint8Array> {
      for (const chunk of files[Number(new URL(url).pathname.slice(1))] ?? [])
        if (chunk !== 'breaks') yield new Uint8Array(chunk);
        else if (count === 1) throw BROKEN;
    }
    return { status: 200, headers: {}, body: body(), close: () => undefined };
  };
  async function* rows() {
    yield files.map((_, at) => ({ item: at + 1, output: `https://files.example/${String(at)}` }));
  }
  const summary = await fetchOutputs(
    { durable, downloads: { get, close: async () => undefined }, clock: { sleep: async () => undefined }, signal },
    {
      ...{ rows, field: '.', into: 'files', hosts: ['files.example'] },
      ...{ maxBytes: 1000, maxTotalBytes, concurrency: 1 },
    },
  );
  return { ...summary, names: readdirSync(join(directory, 'files')).toSorted() };
}

describe('the total of all downloads', () => {
  test('may be as large as the limit', async () => {
    expect(await fetchAll([[40], [30, 30]], 100)).toMatchObject({ downloaded: 2, bytes: 100, isOverTotal: false });
  });

  test('is not larger than the limit, and the file that does not fit is removed', async () => {
    const fetched = await fetchAll([[40], [30, 31], [10]], 100);
    expect(fetched).toMatchObject({ downloaded: 1, failed: 2, bytes: 40, isOverTotal: true });
    expect(fetched.names).toEqual(['000001-1-0', 'manifest.jsonl']);
  });

  test('counts a file that began again once', async () => {
    expect(await fetchAll([[40, 'breaks', 20], [40]], 100)).toMatchObject({
      downloaded: 2,
      bytes: 100,
      isOverTotal: false,
    });
  });
});
