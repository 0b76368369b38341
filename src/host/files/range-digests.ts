import { createHash } from 'node:crypto';
import {
  close,
  fdatasync,
  fstatSync,
  ftruncateSync,
  futimesSync,
  promises as fs,
  statfsSync,
  writeSync,
} from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import type { DigestName, RangeWriter } from '../../core/file-ports.ts';
import type { Bytes, Milliseconds } from '../../core/unit-types.ts';
import { fileTime, wrapErrors } from './user-files.ts';

interface DigestedRange {
  /** Absolute. */
  readonly path: string;
  /** `end` is exclusive. */
  readonly start: Bytes;
  readonly end: Bytes;
  readonly names: readonly DigestName[];
}

export interface RangeDigests {
  /** In hexadecimal; undefined if the file is shorter. Fails as the system does. */
  readonly compute: (range: DigestedRange) => Promise<readonly string[] | undefined>;
}

export interface DigestThread {
  postMessage(range: DigestedRange): void;
  on(event: 'message', listener: (answer: DigestAnswer) => void): unknown;
  on(event: 'error', listener: (error: unknown) => void): unknown;
  ref(): void;
  unref(): void;
  terminate(): unknown;
}

interface DigestAnswer {
  readonly digests?: readonly string[];
  readonly failed?: { readonly message: string; readonly code: string | undefined };
}

interface Job {
  readonly range: DigestedRange;
  readonly resolve: (digests: readonly string[] | undefined) => void;
  readonly reject: (error: Error) => void;
}

/** More do not help: the disk and the network are slower. */
const MOST_THREADS = 4;

const IDLE_MS: Milliseconds = 10_000;

const CHUNK_BYTES = 262_144;

/** Lazy, idle threads end and never keep the process running. Without threads it computes in this one. */
export function createRangeDigests(startThread = startDigestThread, idleMs = IDLE_MS): RangeDigests {
  const waiting: Job[] = [];
  const idle = new Map<DigestThread, NodeJS.Timeout>();
  const most = Math.min(MOST_THREADS, availableParallelism());
  let threads = 0;
  let hasThreads = true;

  const computeHere = (job: Job): void => {
    digestsHere(job.range).then(job.resolve, job.reject);
  };
  const giveUp = (): void => {
    hasThreads = false;
    for (const job of waiting.splice(0)) computeHere(job);
  };
  const park = (thread: DigestThread): void => {
    thread.unref();
    const timer = setTimeout(() => {
      idle.delete(thread);
      threads -= 1;
      thread.terminate();
    }, idleMs);
    timer.unref();
    idle.set(thread, timer);
  };

  const start = async (): Promise<void> => {
    threads += 1;
    let thread: DigestThread;
    try {
      thread = await startThread();
    } catch {
      threads -= 1;
      giveUp();
      return;
    }
    let job: Job | undefined;
    const next = (): void => {
      job = waiting.shift();
      if (job === undefined) park(thread);
      else thread.postMessage(job.range);
    };
    thread.on('message', ({ digests, failed }) => {
      if (failed === undefined) job?.resolve(digests);
      else job?.reject(Object.assign(new Error(failed.message), { code: failed.code }));
      next();
    });
    thread.on('error', () => {
      clearTimeout(idle.get(thread));
      idle.delete(thread);
      threads -= 1;
      if (job !== undefined) computeHere(job);
      giveUp();
    });
    wakers.set(thread, next);
    next();
  };
  const wakers = new WeakMap<DigestThread, () => void>();

  return {
    compute: (range) =>
      new Promise((resolve, reject) => {
        const job = { range, resolve, reject };
        if (!hasThreads) {
          computeHere(job);
          return;
        }
        waiting.push(job);
        const [parked] = idle;
        if (parked === undefined) {
          if (threads < most) void start();
          return;
        }
        const [thread, timer] = parked;
        clearTimeout(timer);
        idle.delete(thread);
        thread.ref();
        wakers.get(thread)?.();
      }),
  };
}

async function startDigestThread(): Promise<DigestThread> {
  const [{ Worker }, { DIGEST_SOURCE }] = await Promise.all([
    import('node:worker_threads'),
    import('./digest-source.ts'),
  ]);
  return new Worker(DIGEST_SOURCE, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 16 }, env: {} });
}

async function digestsHere({ path, start, end, names }: DigestedRange): Promise<readonly string[] | undefined> {
  const hashes = names.map((name) => createHash(name));
  const file = await fs.open(path, 'r');
  try {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    for (let at = start; at < end;) {
      const { bytesRead } = await file.read(chunk, 0, Math.min(CHUNK_BYTES, end - at), at);
      if (bytesRead === 0) return undefined;
      for (const hash of hashes) hash.update(chunk.subarray(0, bytesRead));
      at += bytesRead;
    }
  } finally {
    await file.close();
  }
  return hashes.map((hash) => hash.digest('hex'));
}

export const rangeWriter = (path: string, descriptor: number): RangeWriter => ({
  // Synchronous: faster than starting another thread.
  write: (bytes, at) =>
    wrapErrors(`cannot write ${path}`, async () => {
      // A write may be short, for example when the disk is full: the next one then fails with the reason.
      for (let done = 0; done < bytes.byteLength;)
        done += writeSync(descriptor, bytes, done, bytes.byteLength - done, at + done);
    }),
  sync: () => wrapErrors(`cannot sync ${path}`, () => promisify(fdatasync)(descriptor)),
  finish: (bytes, modifiedAt) =>
    wrapErrors(`cannot write ${path}`, async () => {
      if (fstatSync(descriptor).size !== bytes) ftruncateSync(descriptor, bytes);
      await promisify(fdatasync)(descriptor);
      if (modifiedAt !== undefined) futimesSync(descriptor, fileTime(modifiedAt), fileTime(modifiedAt));
    }),
  close: () => wrapErrors(`cannot close ${path}`, () => promisify(close)(descriptor)),
});

/** Undefined where the system does not say it. */
export function freeBytes(path: string): Bytes | undefined {
  try {
    const { bavail, bsize } = statfsSync(dirname(path));
    return bavail * bsize;
  } catch {
    return undefined;
  }
}
