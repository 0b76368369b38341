import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DroppedConnection } from '../../../../src/local/http/faults.ts';
import { nodeFileSystem } from '../../../../src/local/state/file/file-system.ts';
import { createTestClock, type TestClock } from '../../../support/clocks/test-clock.ts';
import { attached, statusOf, submit, type AttachedService } from '../../../support/local/attached-service.ts';
import { fileStore } from '../../../support/local/file-store.ts';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';

interface FullDisk {
  readonly local: AttachedService;
  readonly clock: TestClock;
  /** Whether the disk is full: then no change can be saved. */
  isFull: boolean;
}

/** A service whose state is in a file, with a worker that has requested a job before. */
async function withDisk(): Promise<FullDisk> {
  const disk = { isFull: false };
  const append: typeof nodeFileSystem.append = (...args) => {
    if (disk.isFull) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    nodeFileSystem.append(...args);
  };
  const path = join(temporaryDirectory(), 'state.jsonl');
  const clock = createTestClock();
  // Time passes only when the test says so.
  const sleep: TestClock['sleep'] = (_, signal) =>
    new Promise((__, reject) => {
      signal?.addEventListener('abort', () => {
        reject(signal.reason as Error);
      });
    });
  const local = await attached({
    clock: { ...clock, sleep },
    store: fileStore(path, { ...nodeFileSystem, append }),
  });
  const id = await submit(local, {});
  await local.worker.take();
  await local.worker.done(id, 1);
  return Object.assign(disk, { local, clock });
}

/** Resolves when a worker's request for jobs is held. */
async function held({ local }: FullDisk, request: Promise<unknown>): Promise<void> {
  let isOver = false;
  const end = (): void => void (isOver = true);
  request.then(end, end);
  for (let step = 0; step < 3; step++) await local.send('GET', '/v2/mine/health');
  expect(isOver).toBe(false);
}

const idle = async ({ local }: FullDisk): Promise<unknown> =>
  ((await local.send('GET', '/v2/mine/health')).body['workers'] as { idle: number }).idle;

describe('a request for a job, and a disk that is full for some time', () => {
  test('that could not be held gets no job later', async () => {
    const disk = await withDisk();
    const { local } = disk;
    disk.isFull = true;
    await expect(local.worker.take()).rejects.toThrow('the disk is full');
    disk.isFull = false;
    const id = await submit(local, {});
    expect(await statusOf(local, id)).toMatchObject({ status: 'IN_QUEUE' });
    expect(await local.worker.take()).toMatchObject({ id });
  });

  test('that is held waits for a job that can be saved', async () => {
    const disk = await withDisk();
    const { local } = disk;
    const request = local.worker.take();
    await held(disk, request);
    disk.isFull = true;
    await expect(submit(local, {})).rejects.toThrow('the disk is full');
    disk.isFull = false;
    const id = await submit(local, {});
    expect(await request).toMatchObject({ id });
  });

  test('that ended meanwhile does not count as held: its worker is lost when it is silent', async () => {
    const disk = await withDisk();
    const { local } = disk;
    const controller = new AbortController();
    const request = local.worker.get('job-take', 'job_in_progress=0', controller.signal);
    await held(disk, request);
    disk.isFull = true;
    controller.abort();
    await expect(request).rejects.toThrow();
    // The service has noticed it when this step has failed too.
    await expect(submit(local, {})).rejects.toThrow('the disk is full');
    disk.isFull = false;
    expect(await idle(disk)).toBe(1);
    disk.clock.advance(30_000);
    await idle(disk);
    disk.clock.advance(30_000);
    expect(await idle(disk)).toBe(0);
    const id = await submit(local, {});
    expect(await statusOf(local, id)).toMatchObject({ status: 'IN_QUEUE' });
  });

  test('whose step is run again, because another one has failed, is held once', async () => {
    const disk = await withDisk();
    const { local } = disk;
    await local.send('POST', '/local/fault', { kind: 'worker-crash', count: 1 });
    await submit(local, {});
    const killed = await local.attach('killed');
    expect(await killed.take()).toBeDefined();
    // Both steps are saved together.
    const [request, dropped] = [local.worker.take(), killed.get('ping')];
    await expect(dropped).rejects.toThrow(DroppedConnection);
    await held(disk, request);
    const id = await submit(local, {});
    expect(await request).toMatchObject({ id });
  });
});
