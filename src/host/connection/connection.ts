import { version } from '../../../package.json';
import type { Api, ApiRequest, RateWindow, ServerEvent, ServiceName } from '../../core/api.ts';
import type { BulkOptions, Clock, Sink } from '../../core/context.ts';
import { say, type SafeText, type TerminalText } from '../../core/safe-text.ts';
import { formatDuration, parseDuration } from '../../core/units.ts';
import type { Wait } from '../../http/api.ts';
import type { TraceEvent } from '../../http/trace.ts';
import type { Transport } from '../../http/wire/transport.ts';
import type { Settings } from '../../settings/view.ts';
import { remoteAddress } from './remote-address.ts';

export interface ConnectionOptions {
  readonly settings: Settings;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly random: () => number;
  /** The user's interrupt. */
  readonly signal: AbortSignal;
  /** For the traces of `--verbose`, and the note that the local service is used. */
  readonly stderr: Sink<TerminalText>;
  /** True when a person reads stderr. */
  readonly interactive: () => boolean;
  readonly onWindows: (windows: readonly RateWindow[]) => void;
}

export interface Connection {
  readonly api: Api;
  /** See `Context.bulk`. Each Api has its own connections. */
  bulk(options: BulkOptions): Api;
  /** Closes every connection. */
  close(): Promise<void>;
}

/** The service that requests go to: a remote one, or the local service in this process. */
interface Peer {
  readonly transport: Transport & { close(): Promise<void> };
  readonly addresses: (service: ServiceName) => string;
  readonly key: () => Promise<string | undefined>;
}

/** An Api and the way to close its connections. */
interface OpenApi {
  readonly api: Api;
  close(): Promise<void>;
}

/**
 * Opens the Api over the network or over the local service in this process. Nothing is loaded before the first request,
 * and then only the code that is used. A request fails with denied (3) when no key is configured or the key is not for
 * its address, with usage (2) when no address is configured, with local-file (14) when the profiles file is needed and
 * damaged, and as `createApi` documents.
 */
export function openConnection(options: ConnectionOptions): Connection {
  const single = openLazily(options, openSingle);
  const opened = [single];
  return {
    api: single.api,
    bulk: ({ signal, onWindows }) => {
      const onAllWindows = (windows: readonly RateWindow[]): void => {
        options.onWindows(windows);
        onWindows(windows);
      };
      const bulk = openLazily({ ...options, signal, onWindows: onAllWindows, interactive: () => false }, openBulk);
      opened.push(bulk);
      return bulk.api;
    },
    close: async () => {
      await Promise.all(opened.map((each) => each.close()));
    },
  };
}

/** Returns an Api that is opened with the first request. */
function openLazily(options: ConnectionOptions, open: (options: ConnectionOptions) => Promise<OpenApi>): OpenApi {
  let opening: Promise<OpenApi> | undefined;
  let api: Api | undefined;
  const ready = async (): Promise<Api> => (api = (await (opening ??= open(options))).api);
  return {
    api: {
      // Synchronous once it is open: an extra await would delay each of thousands of requests.
      send: (request) => (api === undefined ? ready().then((first) => first.send(request)) : api.send(request)),
      events: (request) => openEvents(ready, request),
      preview: async (request) => (await ready()).preview(request),
    },
    close: async () => {
      await (await opening?.catch(() => undefined))?.close();
    },
  };
}

async function* openEvents(ready: () => Promise<Api>, request: ApiRequest): AsyncGenerator<ServerEvent> {
  yield* (await ready()).events(request);
}

/** Opens an Api for a few requests, after which the process ends. */
async function openSingle(options: ConnectionOptions): Promise<OpenApi> {
  const { settings } = options;
  const peer = await (settings.local ? localPeer(options) : openRemotePeer(options));
  return {
    api: await createPeerApi(peer, options, Number(settings.get('retries'))),
    close: () => peer.transport.close(),
  };
}

/** Opens an Api for thousands of requests, each sent once. */
async function openBulk(options: ConnectionOptions): Promise<OpenApi> {
  const { settings, env, clock, signal, onWindows } = options;
  if (settings.local) {
    const peer = await localPeer(options);
    return { api: await createPeerApi(peer, options, 0), close: () => peer.transport.close() };
  }
  const [{ createTransport }, { createBulkSend }] = await Promise.all([
    import('../../http/wire/client.ts'),
    import('../../http/batch-client.ts'),
  ]);
  const transport = createTransport({ env, oneShot: false });
  const peer = remotePeer(settings, transport);
  const send = createBulkSend({ ...peer, clock, signal, onWindows, ...(await exchangeOptions(options)) });
  return { api: { ...(await createPeerApi(peer, options, 0)), send }, close: () => transport.close() };
}

async function createPeerApi(peer: Peer, options: ConnectionOptions, retries: number): Promise<Api> {
  const { createApi } = await import('../../http/api.ts');
  const { clock, random, signal, onWindows, stderr } = options;
  const onWait = (wait: Wait): void => {
    if (wait.waitMs >= REPORTED_WAIT_MS && options.interactive()) void stderr.write(waitLine(wait));
  };
  return createApi({ ...peer, clock, random, signal, onWindows, onWait, retries, ...(await exchangeOptions(options)) });
}

/** A wait before a retry is reported from this time on, in milliseconds. */
const REPORTED_WAIT_MS = 2000;

const waitLine = ({ reason, waitMs, retry, retries }: Wait): SafeText =>
  say`${reason}: trying again in ${formatDuration(waitMs)} (${retry} of ${retries})\n`;

/** Returns the limits of one exchange and its trace. */
async function exchangeOptions({ settings, stderr }: ConnectionOptions) {
  const { traceLine } = await import('../../http/trace.ts');
  return {
    timeoutMs: parseDuration(settings.get('timeout') ?? '', 's', 'the timeout'),
    maxBytes: Number(settings.get('max-answer-bytes')),
    userAgent: `berth/${version}`,
    ...(settings.get('verbose') === 'true'
      ? { trace: (event: TraceEvent) => void stderr.write(say`${traceLine(event)}\n`) }
      : {}),
  };
}

async function localPeer({ settings, clock, random, stderr, interactive }: ConnectionOptions): Promise<Peer> {
  const { openLocalTransport } = await import('./local-transport.ts');
  const { transport, origin, key } = openLocalTransport(settings.dataDirectory, clock, random);
  if (interactive()) await stderr.write(say`Local service (berth local status)\n`);
  return { transport, addresses: () => origin, key: () => Promise.resolve(key) };
}

async function openRemotePeer({ settings, env }: ConnectionOptions): Promise<Peer> {
  const { createTransport } = await import('../../http/wire/client.ts');
  return remotePeer(settings, createTransport({ env, oneShot: true }));
}

const remotePeer = <T extends Peer['transport']>(settings: Settings, transport: T): Peer & { transport: T } => ({
  transport,
  addresses: (service) => remoteAddress(settings, service),
  // Async, so that an error of `apiKey` is a rejected promise.
  key: async () => (await settings.apiKey())?.reveal(),
});
