import type { Clock } from '../core/context.ts';

/**
 * A body that ends where nothing came for `quietMs` milliseconds of real time, and is otherwise as it was. The peer may
 * still be sending nothing: whoever reads ends the exchange.
 */
export async function* untilQuiet(
  body: AsyncIterable<Uint8Array>,
  quietMs: number,
  clock: Pick<Clock, 'deadline'>,
): AsyncGenerator<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]();
  for (;;) {
    const next = chunks.next();
    // Where silence wins, the exchange is ended under this read, and nobody waits for what that makes of it.
    next.catch(() => undefined);
    const came = await firstOf(next, quietMs, clock);
    if (came === undefined || came.done === true) return;
    yield came.value;
  }
}

async function firstOf<T>(next: Promise<T>, quietMs: number, clock: Pick<Clock, 'deadline'>): Promise<T | undefined> {
  const guard = clock.deadline(quietMs);
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
