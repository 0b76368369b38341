import type { Dispatcher } from 'undici';

/** Connections to one origin. Each is used by one request at a time. */
export interface Connections {
  /** Returns a free connection, or a new one. */
  acquire(): Dispatcher;
  /** Gives a connection back after a complete answer. */
  release(connection: Dispatcher): void;
  /** Closes a connection after an error. */
  discard(connection: Dispatcher): void;
  destroy(): Promise<unknown>;
}

/**
 * Connections to one origin, as many as there are concurrent requests. A request takes the free connection that was
 * used last, or opens a new one. undici's own pool would open a second connection for a request that directly follows
 * another one, and a second handshake costs more than the request. After an error every free connection is closed too:
 * the cause may have broken them all, and a retry must use a new one.
 */
export function createConnections(open: () => Dispatcher): Connections {
  const all = new Set<Dispatcher>();
  const free: Dispatcher[] = [];
  const add = (): Dispatcher => {
    const client = open();
    all.add(client);
    return client;
  };
  return {
    acquire: () => free.pop() ?? add(),
    release: (client) => {
      free.push(client);
    },
    discard: (client) => {
      for (const each of [client, ...free.splice(0)]) {
        all.delete(each);
        each.destroy().catch(() => undefined);
      }
    },
    destroy: () => Promise.all([...all].map((client) => client.destroy())),
  };
}

/** Connections that one dispatcher manages itself, such as a proxy agent. */
export const sharedConnection = (dispatcher: Dispatcher): Connections => ({
  acquire: () => dispatcher,
  release: () => undefined,
  discard: () => undefined,
  destroy: () => dispatcher.destroy(),
});
