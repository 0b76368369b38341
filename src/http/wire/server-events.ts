import type { ServerEvent } from '../../core/api.ts';
import { WireError } from './transport.ts';

/** Characters that one event may hold before it is taken for an attack. */
const LONGEST_EVENT = 8 * 1024 * 1024;

/**
 * Reads a body as server-sent events (contract rules, Pods: logs), each as soon as it is complete. An event that the
 * end of the stream cuts off is dropped, as the format demands. Fails with WireError where the body breaks off, and
 * where one event never ends.
 */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent> {
  const { createParser } = await import('eventsource-parser');
  const ready: ServerEvent[] = [];
  const trouble = { tooLong: false };
  const parser = createParser({
    maxBufferSize: LONGEST_EVENT,
    onEvent: ({ id, event, data }) => ready.push({ id, event, data }),
    onError: ({ type }) => {
      trouble.tooLong ||= type === 'max-buffer-size-exceeded';
    },
  });
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* ready.splice(0);
    if (trouble.tooLong) throw new WireError('answered', 'an event of the stream never ends');
  }
}
