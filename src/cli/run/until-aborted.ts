import { once } from 'node:events';
import { asError } from '../../core/failure.ts';

/** Rejects with the signal's reason at its abort, even while the work continues. */
export async function untilAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const ended = new AbortController();
  const aborted = once(signal, 'abort', { signal: ended.signal }).then(() => Promise.reject(asError(signal.reason)));
  try {
    return await Promise.race([work, aborted]);
  } finally {
    ended.abort();
  }
}
