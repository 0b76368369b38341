import { asError } from './failure.ts';

/** Rejects with the signal's reason at its abort, even while the work continues. */
export async function untilAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const done = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    const stop = (): void => {
      reject(asError(signal.reason));
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { signal: done.signal });
  });
  return await Promise.race([aborted, work]).finally(() => {
    done.abort();
  });
}
