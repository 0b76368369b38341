import { join } from 'node:path';
import { type Transport, WireError } from '../../http/transport.ts';
import {
  addressParts,
  createLocalService,
  DroppedConnection,
  fileStore,
  LOCAL_KEY,
  LOCAL_STORAGE_KEY,
  type LocalService,
} from '../../local/index.ts';
import { createFileLocks, realTurns } from '../lock/file-locks.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { untilAborted } from '../../core/until-aborted.ts';

/** Its state is a file for the next command. Loads the complete local service: import only when used. */
export function openLocalTransport(
  dataDirectory: string,
  runtime: Pick<Runtime, 'env' | 'platform' | 'user' | 'clock' | 'random' | 'localService'>,
) {
  const { clock, random, localService } = runtime;
  const own = (name: string): string => join(dataDirectory, 'local', name);
  // Not the user's interrupt: a request in progress may finish, and its sender decides how long it waits.
  const closing = new AbortController();
  const service = createLocalService({
    ...localService,
    clock,
    random,
    store: fileStore(own('state.json'), createFileLocks({ clock, signal: closing.signal }), realTurns),
    volumesFolder: own('volumes'),
    podsFolder: own('pods'),
    startContainer: async (spec) => (await import('../pods/ssh-server.ts')).createStartContainer(runtime)(spec),
    queueLimits: true,
  });
  return {
    transport: transportTo(service),
    /** Containers for the running pods, until it is closed. */
    openPods: () => service.openContainers(),
    origin: 'http://localhost',
    /** Seeded, full access. */
    key: LOCAL_KEY,
    storageKey: LOCAL_STORAGE_KEY,
    close: async () => {
      closing.abort(new Error('the connection to the local service is closed'));
      await service.stop();
    },
  };
}

export type LocalConnection = ReturnType<typeof openLocalTransport>;

/** Injected faults become wire errors; other errors pass unchanged. */
export const transportTo =
  (service: Pick<LocalService, 'answer'>): Transport =>
  async ({ method, url, headers, body: sent, ending }) => {
    const controller = new AbortController();
    const { signal } = controller;
    ending.onEnd = controller.abort.bind(controller);
    if (ending.reason !== undefined) ending.onEnd(ending.reason);
    try {
      const request = { method, ...addressParts(url), headers: lowerCased(headers), body: sent, signal };
      const { body, ...head } = await untilAborted(signal, service.answer(request));
      return { ...head, body: typeof body === 'string' ? Buffer.from(body) : chunksOf(body, signal) };
    } catch (error) {
      if (error instanceof DroppedConnection) throw new WireError('sent', 'the connection was closed', error);
      if (signal.aborted) throw new WireError('sent', 'given up before an answer came', error);
      throw error;
    }
  };

const lowerCased = (headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** An abort ends a pending read, as over the network. */
async function* chunksOf(body: AsyncIterable<string | Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await untilAborted(signal, chunks.next());
      if (next.done === true) return;
      yield typeof next.value === 'string' ? Buffer.from(next.value) : next.value;
    }
  } catch (error) {
    throw new WireError('answered', 'the answer broke off', error);
  } finally {
    // Not awaited: it waits for the pending read, which ends with the service or the signal.
    chunks.return?.().catch(() => undefined);
  }
}
