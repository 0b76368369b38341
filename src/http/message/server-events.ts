import type { ServerEvent } from '../../core/api.ts';
import { WireError } from './transport.ts';

/** The limit for one event, in characters: it protects the memory against a hostile server. */
const MAX_EVENT_LENGTH = 8 * 1024 * 1024;

/**
 * Parses a body as server-sent events (contract rules, Pods: logs) and yields each event as soon as it is complete. An
 * incomplete event at the end of the stream is dropped, as the format requires. Fails with WireError when the body
 * breaks off, and when one event is longer than the limit.
 */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent> {
  const { createParser } = await import('eventsource-parser');
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
