import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { createRangeDigests, type DigestThread } from '../../../../../src/host/files/range-digests.ts';
import { temporaryDirectory } from '../../../../support/files/temporary-directory.ts';

const CONTENT = Buffer.alloc(1_000_000, 'the content of a file, again and again ');

function contentFile(): string {
  const file = path.join(temporaryDirectory(), 'content');
  writeFileSync(file, CONTENT);
  return file;
}

const of = (start: number, end: number, name: string): string =>
  createHash(name).update(CONTENT.subarray(start, end)).digest('hex');

const ways: readonly (readonly [string, () => ReturnType<typeof createRangeDigests>])[] = [
  ['in threads', () => createRangeDigests()],
  ['without threads', () => createRangeDigests(() => Promise.reject(new Error('no threads here')))],
  ['with a thread that breaks down', () => createRangeDigests(() => Promise.resolve(brokenThread()))],
];

/** A thread that fails when it gets a range. */
function brokenThread(): DigestThread {
  let onError: (error: unknown) => void = () => undefined;
  return {
    on: (event: string, listener: (value: never) => void) => {
      if (event === 'error') onError = listener as typeof onError;
    },
    postMessage: () => {
      queueMicrotask(() => {
        onError(new Error('out of memory'));
      });
    },
    ref: () => undefined,
    unref: () => undefined,
    terminate: () => undefined,
  };
}

describe.each(ways)('digests %s', (_, create) => {
  it('are those of the ranges, many at once', async () => {
    const file = contentFile();
    const { compute } = create();
    const ranges = Array.from({ length: 40 }, (__, at) => [at * 7919, 1_000_000 - at * 1000] as const);
    const found = await Promise.all(
      ranges.map(([start, end]) => compute({ path: file, start, end, names: ['md5', 'sha256'] })),
    );
    expect(found).toEqual(ranges.map(([start, end]) => [of(start, end, 'md5'), of(start, end, 'sha256')]));
  });

  it('are none where the file has fewer bytes, and fail where there is no file', async () => {
    const file = contentFile();
    const { compute } = create();
    expect(await compute({ path: file, start: 0, end: 1_000_001, names: ['md5'] })).toBeUndefined();
    await expect(compute({ path: `${file}x`, start: 0, end: 1, names: ['md5'] })).rejects.toMatchObject({
      code: 'ENOENT',
    });
    expect(await compute({ path: file, start: 5, end: 5, names: ['md5'] })).toEqual([of(5, 5, 'md5')]);
  });
});

test('a thread that had nothing to do for a while is ended, and another one is started when it is needed', async () => {
  const file = contentFile();
  const started: DigestThread[] = [];
  let ended = 0;
  const { compute } = createRangeDigests(() => {
    const thread = answeringThread(() => (ended += 1));
    started.push(thread);
    return Promise.resolve(thread);
  }, 0);
  await compute({ path: file, start: 0, end: 1, names: ['md5'] });
  await compute({ path: file, start: 0, end: 1, names: ['md5'] });
  expect(started).toHaveLength(1);
  await new Promise<void>((resolve) => {
    const look = (): void => {
      if (ended === 1) resolve();
      else setImmediate(look);
    };
    look();
  });
  await compute({ path: file, start: 0, end: 1, names: ['md5'] });
  expect(started).toHaveLength(2);
});

/** A thread that answers at once. */
function answeringThread(onEnd: () => void): DigestThread {
  let onMessage: (answer: { readonly digests: readonly string[] }) => void = () => undefined;
  return {
    on: (event: string, listener: (value: never) => void) => {
      if (event === 'message') onMessage = listener as typeof onMessage;
    },
    postMessage: () => {
      queueMicrotask(() => {
        onMessage({ digests: ['00'] });
      });
    },
    ref: () => undefined,
    unref: () => undefined,
    terminate: onEnd,
  };
}
