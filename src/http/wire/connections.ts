import type { Dispatcher } from 'undici';

/** Takes one request at a time, or many: what undici calls a dispatcher, as far as it is used here. */
export interface Connections {
  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): unknown;
  /** A connection for one request, and then its return. */
  lend(): Dispatcher;
  giveBack(connection: Dispatcher): void;
  destroy(): Promise<unknown>;
}

/**
 * Connections to one origin, as many as there are requests at a time: a request takes the one that was used last and
 * is free again, or a new one. undici's own pool would open a second connection for a request that follows another at
 * once, and a second handshake costs more than the request. After an error no connection that was open then is used
 * again: what broke one of them may have broken all, and a retry takes a new one.
 */
export function createConnections(open: () => Dispatcher): Connections {
  const all = new Set<Dispatcher>();
  const free: Dispatcher[] = [];
  const add = (): Dispatcher => {
    const client = open();
    all.add(client);
    return client;
  };
  const drop = (client: Dispatcher): void => {
    all.delete(client);
    client.destroy().catch(() => undefined);
  };
  return {
    dispatch: (options, handler) => {
      const client = free.pop() ?? add();
      client.dispatch(options, {
        ...handler,
        onResponseEnd: (controller, trailers) => {
          free.push(client);
          handler.onResponseEnd?.(controller, trailers);
        },
        onResponseError: (controller, error) => {
          for (const idle of [client, ...free.splice(0)]) drop(idle);
          handler.onResponseError?.(controller, error);
        },
      });
    },
    lend: () => free.pop() ?? add(),
    giveBack: (client) => {
      free.push(client);
    },
    destroy: () => Promise.all([...all].map((client) => client.destroy())),
  };
}
