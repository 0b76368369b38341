import { join } from 'node:path';
import type { Clock } from '../../core/context.ts';
import { type Transport, WireError } from '../../http/transport.ts';
import {
  addressParts,
  createLocalService,
  DroppedConnection,
  fileStore,
  LOCAL_KEY,
  LOCAL_STORAGE_KEY,
  type LocalService,
  type Store,
} from '../../local/index.ts';
import { createFileLocks, realTurns } from '../lock/file-locks.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { untilAborted } from '../../core/until-aborted.ts';

export interface LocalTransport {
  readonly transport: Transport & { close(): Promise<void> };
  /** Containers for the running pods, until the transport is closed. */
  readonly openPods: () => Promise<void>;
  readonly origin: string;
  /** Seeded, full access. */
  readonly key: string;
  readonly storageKey: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

/** State is a file for the next command. Loads the complete local service: import only when used. */
export function openLocalTransport(
  dataDirectory: string,
  runtime: Pick<Runtime, 'env' | 'platform' | 'user' | 'clock' | 'random' | 'localService'>,
): LocalTransport {
  const { clock, random, localService } = runtime;
  const own = (name: string): string => join(dataDirectory, 'local', name);
  const service = createLocalService({
    ...localService,
    ...{ clock, random },
    store: sharedStore(own('state.json'), clock),
    volumesFolder: own('volumes'),
    podsFolder: own('pods'),
    startContainer: async (spec) => (await import('../pods/ssh-server.ts')).createStartContainer(runtime)(spec),
    queueLimits: true,
  });
  return {
    transport: Object.assign(transportTo(service), { close: () => service.stop() }),
    openPods: () => service.openContainers(),
    origin: 'http://localhost',
    key: LOCAL_KEY,
    storageKey: LOCAL_STORAGE_KEY,
  };
}

interface SharedStore {
  readonly store: Store;
  readonly closing: AbortController;
  users: number;
}

const stores = new Map<string, SharedStore>();

/** Jobs, files and batches of one command have one state, and do not wait for each other's turn. */
function sharedStore(path: string, clock: Clock): Store {
  const shared = stores.get(path) ?? openStore(path, clock);
  stores.set(path, shared);
  shared.users += 1;
  return {
    ...shared.store,
    close: async () => {
      shared.users -= 1;
      if (shared.users > 0) return;
      stores.delete(path);
      shared.closing.abort(new Error('the connection to the local service is closed'));
      await shared.store.close();
    },
  };
}

function openStore(path: string, clock: Clock): SharedStore {
  // Not the user's interrupt: a request in progress may finish, and its sender decides how long it waits.
  const closing = new AbortController();
  const locks = createFileLocks({ clock, signal: closing.signal });
  return { store: fileStore(path, locks, realTurns), closing, users: 0 };
}

/** Injected faults become wire errors; other errors pass unchanged. */
export const transportTo =
  (service: Pick<LocalService, 'answer'>): Transport =>
  async ({ method, url, headers, body: sent, signal }) => {
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
