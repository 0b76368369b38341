import { createParser } from 'eventsource-parser';
import type { ServerEvent } from '../core/api.ts';
import type { Clock } from '../core/context.ts';
import type { Milliseconds } from '../core/unit-types.ts';
import { WireError } from './transport.ts';

/** Real time; keep-alive comments do not count. The caller must end the HTTP request afterwards. */
export async function* untilIdle<T>(
  source: AsyncIterable<T>,
  idleMs: Milliseconds,
  clock: Pick<Clock, 'deadline'>,
): AsyncGenerator<T> {
  const items = source[Symbol.asyncIterator]();
  for (;;) {
    const next = items.next();
    // After a timeout nobody awaits this read, and ending the HTTP request makes it fail.
    next.catch(() => undefined);
    const result = await new Promise<IteratorResult<T> | undefined>((resolve, reject) => {
      const cancel = clock.deadline(idleMs, () => {
        resolve(undefined);
      });
      next.finally(cancel).then(resolve, reject);
    });
    if (result === undefined || result.done === true) return;
    yield result.value;
  }
}

/** The limit for one event, in characters: it protects the memory against a hostile server. */
const MAX_EVENT_LENGTH = 8 * 1024 * 1024;

/** Contract rules, Pods: logs. Drops an incomplete last event, as the format requires. Fails with WireError. */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent> {
  const ready: ServerEvent[] = [];
  const state = { tooLong: false };
  const parser = createParser({
    maxBufferSize: MAX_EVENT_LENGTH,
    onEvent: ({ id, event, data }) => ready.push({ id, event, data }),
    onError: ({ type }) => {
      state.tooLong ||= type === 'max-buffer-size-exceeded';
    },
  });
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* ready.splice(0);
    if (state.tooLong) throw new WireError('answered', 'an event of the stream never ends');
  }
}
