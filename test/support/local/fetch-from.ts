import { addressParts, type LocalRequest } from '../../../src/local/http/operation.ts';
import type { LocalService } from '../../../src/local/service.ts';

/** Sends a request of the web's own class to a local service in this process. */
export async function fetchFrom(service: Pick<LocalService, 'answer'>, request: Request): Promise<Response> {
  const { method, url, headers, signal } = request;
  const sent: LocalRequest = {
    method,
    ...addressParts(url),
    headers: Object.fromEntries(headers),
    body: request.body === null ? undefined : new Uint8Array(await request.arrayBuffer()),
    signal,
  };
  const { status, headers: answered, body } = await service.answer(sent);
  const isEmpty = body === '';
  return new Response(isEmpty ? null : typeof body === 'string' ? body : streamOf(body), { status, headers: answered });
}

function streamOf(chunks: AsyncIterable<string | Uint8Array>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const iterator = chunks[Symbol.asyncIterator]();
  return new ReadableStream({
    pull: async (controller) => {
      const next = await iterator.next();
      if (next.done === true) controller.close();
      else controller.enqueue(typeof next.value === 'string' ? encoder.encode(next.value) : next.value);
    },
    cancel: async () => {
      await iterator.return?.();
    },
  });
}
