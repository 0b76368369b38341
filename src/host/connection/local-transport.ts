import { join } from 'node:path';
import type { Clock } from '../../core/context.ts';
import { WireError, type Transport } from '../../http/wire/transport.ts';
import { createLocalService, DroppedConnection, fileStore, LOCAL_KEY, type LocalService } from '../../local/index.ts';
import { createFileLocks } from '../lock/file-locks.ts';

export interface LocalTransport {
  readonly transport: Transport & { close(): Promise<void> };
  /** The address of all three services. */
  readonly origin: string;
  /** The seeded full-access key. */
  readonly key: string;
}

/**
 * Opens the local service in this process as a transport. Its state is a file, so that the next command continues with it.
 * This module loads the whole local service: import it only when it is used.
 */
export function openLocalTransport(dataDirectory: string, clock: Clock, random: () => number): LocalTransport {
  const stateFile = join(dataDirectory, 'local', 'state.json');
  // Not the user's interrupt: a request in progress may still finish, and its sender decides how long it waits.
  const closing = new AbortController();
  const locks = createFileLocks({ clock, signal: closing.signal });
  const service = createLocalService({ clock, random, store: fileStore(stateFile, locks), queueLimits: true });
  return {
    transport: Object.assign(transportTo(service), {
      close: async () => {
        closing.abort(new Error('the connection to the local service is closed'));
        await service.stop();
      },
    }),
    origin: 'http://localhost',
    key: LOCAL_KEY,
  };
}

/** Wraps a local service as a transport. Injected faults become wire errors; other errors pass unchanged. */
export const transportTo =
  (service: Pick<LocalService, 'fetch'>): Transport =>
  async ({ method, url, headers, body, signal }) => {
    try {
      const response = await unlessAborted(
        service.fetch(
          new Request(url, { method, headers, signal, ...(body === undefined ? {} : { body: Buffer.from(body) }) }),
        ),
        signal,
      );
      return { status: response.status, headers: Object.fromEntries(response.headers), body: bodyOf(response, signal) };
    } catch (error) {
      if (error instanceof DroppedConnection) throw new WireError('sent', 'the connection was closed', error);
      if (signal.aborted) throw new WireError('sent', 'given up before an answer came', error);
      throw error;
    }
  };

/** Rejects with the signal's reason as soon as it is aborted, because the service may be waiting for another process. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => {
      reject(signal.reason as Error);
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Yields the body in chunks. An abort ends a pending read, as over the network. */
async function* bodyOf(response: Response, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  if (response.body === null) return;
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const onAbort = (): void => {
    void reader.cancel(signal.reason).catch(() => undefined);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (signal.aborted) throw signal.reason;
      if (done) return;
      yield value;
    }
  } catch (error) {
    throw new WireError('answered', 'the answer broke off', error);
  } finally {
    signal.removeEventListener('abort', onAbort);
    void reader.cancel().catch(() => undefined);
  }
}
