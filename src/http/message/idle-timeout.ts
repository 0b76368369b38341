import type { Clock } from '../../core/context.ts';

/**
 * Yields items until none arrives for `idleMs` of real time. Then the iteration ends, and the caller must
 * end the HTTP request. Comments that keep the connection alive do not count as items.
 */
export async function* untilIdle<T>(
  source: AsyncIterable<T>,
  idleMs: number,
  clock: Pick<Clock, 'deadline'>,
): AsyncGenerator<T> {
  const items = source[Symbol.asyncIterator]();
  for (;;) {
    const next = items.next();
    // After a timeout nobody awaits this read, and ending the HTTP request makes it fail.
    next.catch(() => undefined);
    const result = await withTimeout(next, idleMs, clock);
    if (result === undefined || result.done === true) return;
    yield result.value;
  }
}

/** The result of a promise; undefined when it takes longer than `timeoutMs`. */
async function withTimeout<T>(
  promise: Promise<T>,
  timeoutMs: number,
  clock: Pick<Clock, 'deadline'>,
): Promise<T | undefined> {
  const deadline = clock.deadline(timeoutMs);
  const timeout = new Promise<undefined>((resolve) => {
    deadline.signal.addEventListener(
      'abort',
      () => {
        resolve(undefined);
      },
      { once: true },
    );
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    deadline.cancel();
  }
}
