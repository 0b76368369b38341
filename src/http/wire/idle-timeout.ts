import type { Clock } from '../../core/context.ts';

/**
 * What comes, until none came for `idleTimeoutMs` milliseconds of real time. The peer may go on sending nothing, or signs of
 * life: whoever reads ends the exchange.
 */
export async function* untilQuiet<T>(
  source: AsyncIterable<T>,
  idleTimeoutMs: number,
  clock: Pick<Clock, 'deadline'>,
): AsyncGenerator<T> {
  const items = source[Symbol.asyncIterator]();
  for (;;) {
    const next = items.next();
    // Where silence wins, the exchange is ended under this read, and nobody waits for what that makes of it.
    next.catch(() => undefined);
    const came = await firstOf(next, idleTimeoutMs, clock);
    if (came === undefined || came.done === true) return;
    yield came.value;
  }
}

async function firstOf<T>(
  next: Promise<T>,
  idleTimeoutMs: number,
  clock: Pick<Clock, 'deadline'>,
): Promise<T | undefined> {
  const guard = clock.deadline(idleTimeoutMs);
  const silence = new Promise<undefined>((resolve) => {
    guard.signal.addEventListener(
      'abort',
      () => {
        resolve(undefined);
      },
      { once: true },
    );
  });
  try {
    return await Promise.race([next, silence]);
  } finally {
    guard.cancel();
  }
}
