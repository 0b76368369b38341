// Types of the parts of undici that are imported by deep path, so that a command loads only what it needs.
declare module 'undici/lib/dispatcher/client.js' {
  import { Client } from 'undici';
  export default Client;
}
declare module 'undici/lib/dispatcher/proxy-agent.js' {
  import { ProxyAgent } from 'undici';
  export default ProxyAgent;
}
declare module 'undici/lib/dispatcher/pool.js' {
  import { Pool } from 'undici';
  export default Pool;
}
declare module 'undici/lib/api/api-connect.js' {
  import type { Dispatcher } from 'undici';
  const connect: (this: Dispatcher, options: Dispatcher.ConnectOptions) => Promise<Dispatcher.ConnectData>;
  export default connect;
}
declare module 'undici/lib/core/symbols.js' {
  import type { Socket } from 'node:net';
  export const kSocket: unique symbol;
  export const kParser: unique symbol;
  export interface ParsedSocket extends Socket {
    readonly [kParser]: { onHeadersComplete: (status: number, upgrade: boolean, shouldKeepAlive: boolean) => number };
  }
}
declare module 'undici/lib/core/connect.js' {
  import type { OnReadOpts, Socket } from 'node:net';
  import type { ConnectionOptions } from 'node:tls';
  function buildConnector(options: buildConnector.Options): buildConnector.Connector;
  namespace buildConnector {
    interface Options extends ConnectionOptions {
      readonly timeout?: number;
      readonly highWaterMark?: number;
      readonly onread?: OnReadOpts;
    }
    type Callback = (...result: [error: null, socket: Socket] | [error: Error, socket: null]) => void;
    type Connector = (target: object, callback: Callback) => Socket;
  }
  export type Connector = buildConnector.Connector;
  export default buildConnector;
}
