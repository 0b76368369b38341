import { allowedAccess } from '../../core/access.ts';
import { version } from '../../../package.json';
import type {
  Api,
  ApiRequest,
  BatchApi,
  BatchApiOptions,
  LoginApiOptions,
  PreparedRequest,
  RateWindow,
  ServerEvent,
  ServiceName,
} from '../../core/api.ts';
import type { Clock, Sink } from '../../core/context.ts';
import { say, type SafeText, type TerminalText } from '../../core/safe-text.ts';
import { formatDuration } from '../../core/units.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import type { RetryWait } from '../../http/api.ts';
import type { TraceEvent } from '../../http/trace.ts';
import type { Transport } from '../../http/message/transport.ts';
import type { GivenSettings } from '../../local/index.ts';
import { keyVariableOf } from '../../settings/api-key.ts';
import type { Settings } from '../../settings/create-settings.ts';
import { remoteAddress } from './remote-address.ts';

export interface ConnectionOptions {
  readonly settings: Settings;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  /** See `Runtime.user`. */
  readonly user: number | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  /** The user's interrupt. */
  readonly signal: AbortSignal;
  /** For the traces of `--verbose`, and the note that the local service is used. */
  readonly stderr: Sink<TerminalText>;
  /** True when a person reads stderr. */
  readonly interactive: () => boolean;
  /** See `Runtime.localService`. */
  readonly localService: GivenSettings;
  /** See `Runtime.exitsAfterRun`. */
  readonly exitsAfterRun: boolean;
  readonly onWindows: (windows: readonly RateWindow[]) => void;
}

export interface Connection {
  readonly api: BatchApi;
  /** See `Context.batchApi`. Each Api has its own connections. */
  batchApi(options: BatchApiOptions): BatchApi;
  /** See `Context.openLocalPods`. */
  openLocalPods(): Promise<void>;
  /** Opens the local service in this process where requests go to it, which a terminal is told; nothing for a remote one. */
  openLocal(): Promise<void>;
  /** See `Context.loginApi`. */
  loginApi(options: LoginApiOptions): Api;
  /** Closes every connection, unless the system does when the process exits. */
  close(): Promise<void>;
}

/** The service that requests go to: a remote one, or the local service in this process. */
interface Peer {
  readonly transport: Transport & { close(): Promise<void> };
  readonly addresses: (service: ServiceName) => string;
  /** See `ApiOptions`. */
  readonly key: (again: boolean) => Promise<string | undefined>;
  readonly keyVariable?: () => string | undefined;
  /** See `Context.openLocalPods`. */
  readonly openPods: () => Promise<void>;
}

/** An Api and the way to close its connections. */
interface OpenApi {
  readonly api: BatchApi;
  /** See `Context.openLocalPods`. */
  openPods(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the Api over the network or over the local service in this process. Nothing is loaded before the first request,
 * and then only the code that is used. A request fails with denied (3) when no key is configured or the key is not for
 * its address, with usage (2) when no address is configured, with local-file (14) when the profiles file is needed and
 * damaged, and as `createApi` documents.
 */
export function openConnection(options: ConnectionOptions): Connection {
  const single = openLazily(options, { batch: false });
  const opened = [single];
  return {
    api: single.api,
    openLocalPods: () => single.openPods(),
    openLocal: async () => {
      if (options.settings.local) await single.open();
    },
    batchApi: ({ signal, onWindows }) => {
      const onAllWindows = (windows: readonly RateWindow[]): void => {
        options.onWindows(windows);
        onWindows(windows);
      };
      const forBatch = { ...options, signal, onWindows: onAllWindows, interactive: () => false };
      const connected = openLazily(forBatch, { batch: true });
      opened.push(connected);
      return connected.api;
    },
    loginApi: (login) => {
      const connected = openLazily({ ...options, onWindows: () => undefined }, { batch: false, login });
      opened.push(connected);
      return connected.api;
    },
    close: async () => {
      await Promise.all(opened.map((each) => each.close()));
    },
  };
}

interface Purpose {
  /** Where requests go, and the key; as the settings say where absent. */
  readonly login?: LoginApiOptions;
  /** Thousands of requests, each sent once. Otherwise a few requests with retries, after which the process ends. */
  readonly batch: boolean;
}

/** Returns an Api that is opened with the first request. */
function openLazily(options: ConnectionOptions, purpose: Purpose): OpenApi & { open(): Promise<void> } {
  let opening: Promise<OpenApi> | undefined;
  let api: BatchApi | undefined;
  const ready = async (): Promise<BatchApi> => (api = (await (opening ??= open(options, purpose))).api);
  return {
    api: {
      // Synchronous once it is open: an extra await would delay each of thousands of requests.
      send: (request) => (api === undefined ? ready().then((first) => first.send(request)) : api.send(request)),
      prepare: (request) => {
        let prepared: PreparedRequest | undefined;
        return {
          send: (body) =>
            prepared === undefined
              ? ready().then((first) => (prepared ??= first.prepare(request)).send(body))
              : prepared.send(body),
        };
      },
      events: (request) => openEvents(ready, request),
      preview: async (request) => (await ready()).preview(request),
    },
    open: async () => {
      await ready();
    },
    openPods: async () => {
      await (await (opening ??= open(options, purpose))).openPods();
    },
    close: async () => {
      await (await opening?.catch(() => undefined))?.close();
    },
  };
}

async function* openEvents(ready: () => Promise<BatchApi>, request: ApiRequest): AsyncGenerator<ServerEvent> {
  yield* (await ready()).events(request);
}

async function open(options: ConnectionOptions, purpose: Purpose): Promise<OpenApi> {
  const { settings, clock, random, signal, onWindows, stderr } = options;
  const isLocal = purpose.login === undefined && settings.local;
  const peer = await (isLocal ? localPeer(options) : remotePeer(options, purpose));
  const { createApi } = await import('../../http/api.ts');
  const onRetryWait = (wait: RetryWait): void => {
    if (wait.waitMs >= REPORTED_WAIT_MS && options.interactive()) void stderr.write(waitLine(wait));
  };
  const retries = purpose.batch ? 0 : settings.get('retries');
  const limits = await exchangeOptions(options);
  const api = createApi({ ...peer, clock, random, signal, onWindows, onRetryWait, retries, ...limits });
  // The local service in this process has files to close.
  const isClosedBySystem = options.exitsAfterRun && !isLocal;
  return {
    api,
    openPods: () => peer.openPods(),
    close: async () => {
      if (!isClosedBySystem) await peer.transport.close();
    },
  };
}

/** A wait before a retry is reported from this time on. */
const REPORTED_WAIT_MS: Milliseconds = 2000;

const waitLine = ({ reason, waitMs, retry, retries }: RetryWait): SafeText =>
  say`${reason}: trying again in ${formatDuration(waitMs)} (${retry} of ${retries})\n`;

/** Returns the limits of one exchange and its trace. */
async function exchangeOptions({ settings, stderr, env }: ConnectionOptions) {
  const { traceLine } = await import('../../http/trace.ts');
  const { traceHeaders } = await import('../../http/trace-context.ts');
  return {
    access: () => allowedAccess(settings),
    traceHeaders: traceHeaders(env),
    timeoutMs: settings.get('timeout'),
    maxBytes: settings.get('max-answer-bytes'),
    userAgent: `berth/${version}`,
    ...(settings.get('verbose') ? { trace: (event: TraceEvent) => void stderr.write(say`${traceLine(event)}\n`) } : {}),
  };
}

async function localPeer(options: ConnectionOptions): Promise<Peer> {
  const { settings, clock, random, localService, env, platform, user, stderr, interactive } = options;
  const { openLocalTransport } = await import('./local-transport.ts');
  const runtime = { env, platform, user };
  const local = openLocalTransport(settings.dataDirectory, { clock, random, runtime, ...localService });
  if (interactive()) await stderr.write(say`(local service)\n`);
  const { transport, origin, key } = local;
  return { transport, addresses: () => origin, key: () => Promise.resolve(key), openPods: () => local.openPods() };
}

async function remotePeer({ settings, env }: ConnectionOptions, { batch, login }: Purpose): Promise<Peer> {
  const { createTransport } = await import('../../http/wire/client.ts');
  return {
    transport: createTransport({ env, oneShot: !batch }),
    addresses: (service) => login?.base ?? remoteAddress(settings, service),
    openPods: () => Promise.resolve(),
    // Async, so that an error of `apiKey` is a rejected promise.
    key: async (again) => (login === undefined ? (await settings.apiKey(again))?.reveal() : login.key),
    keyVariable: () => (login === undefined ? keyVariableOf(settings.keySource()) : undefined),
  };
}
