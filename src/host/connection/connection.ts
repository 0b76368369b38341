import { version } from '../../../package.json';
import type {
  ApiRequest,
  BatchApi,
  BatchApiOptions,
  PreparedRequest,
  RateWindow,
  ServerEvent,
  ServiceName,
} from '../../core/api.ts';
import type { Clock, Sink } from '../../core/context.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, usage } from '../../core/failure.ts';
import { say, type SafeText, type TerminalText } from '../../core/safe-text.ts';
import { formatDuration } from '../../core/units.ts';
import type { RetryWait } from '../../http/api.ts';
import type { TraceEvent } from '../../http/trace.ts';
import type { Transport } from '../../http/wire/transport.ts';
import type { Settings } from '../../settings/view.ts';

export interface ConnectionOptions {
  readonly settings: Settings;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly random: () => number;
  /** The user's interrupt. */
  readonly signal: AbortSignal;
  /** Receives the lines of `--verbose`, and the note that the local service answers. */
  readonly stderr: Sink<TerminalText>;
  /** Whether stderr is a terminal. */
  readonly watched: () => boolean;
  readonly onWindows: (windows: readonly RateWindow[]) => void;
}

export interface Connection {
  readonly api: BatchApi;
  /** As in the Context. Each BatchApi has its own connections. */
  batchApi(options: BatchApiOptions): BatchApi;
  /** Closes every connection. */
  close(): Promise<void>;
}

/** The service that requests go to: a remote one, or the local one in this process. */
interface Peer {
  readonly transport: Transport & { close(): Promise<void> };
  readonly addresses: (service: ServiceName) => string;
  readonly key: () => Promise<string | undefined>;
}

/**
 * Opens the Api over the network, or over the local service in this process. Neither is loaded before the first request,
 * and the one that is not used is never loaded.
 * A request fails with denied (3) when no key is configured for its address, with usage (2) when its address is not
 * configured, with local-file (14) when the profiles file is needed and broken, and as createApi says.
 */
export function openConnection(options: ConnectionOptions): Connection {
  const single = openLazily(options, { batch: false });
  const opened = [single];
  return {
    api: single.api,
    batchApi: ({ signal, onWindows }) => {
      const onAllWindows = (windows: readonly RateWindow[]): void => {
        options.onWindows(windows);
        onWindows(windows);
      };
      const forBatch = { ...options, signal, onWindows: onAllWindows, watched: () => false };
      const connected = openLazily(forBatch, { batch: true });
      opened.push(connected);
      return connected.api;
    },
    close: async () => {
      await Promise.all(opened.map((each) => each.close()));
    },
  };
}

/** An Api and its connections. */
interface Connected {
  readonly api: BatchApi;
  close(): Promise<void>;
}

interface Purpose {
  /** Thousands of requests, each sent once. Otherwise a few requests with retries, after which the process ends. */
  readonly batch: boolean;
}

/** An Api that is opened with its first request. */
function openLazily(options: ConnectionOptions, purpose: Purpose): Connected {
  let opening: Promise<Connected> | undefined;
  let api: BatchApi | undefined;
  const ready = async (): Promise<BatchApi> => (api = (await (opening ??= open(options, purpose))).api);
  return {
    api: {
      // Once it is open nothing is awaited: with thousands of requests every wait costs.
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
      events: (request) => laterEvents(ready, request),
      preview: async (request) => (await ready()).preview(request),
    },
    close: async () => {
      await (await opening?.catch(() => undefined))?.close();
    },
  };
}

async function open(options: ConnectionOptions, { batch }: Purpose): Promise<Connected> {
  const { settings, clock, random, signal, onWindows, stderr } = options;
  const peer = await (settings.local ? localPeer(options) : remotePeer(options, { oneShot: !batch }));
  const { createApi } = await import('../../http/api.ts');
  const onRetryWait = (wait: RetryWait): void => {
    if (wait.waitMs >= LONG_WAIT_MS && options.watched()) void stderr.write(waitLine(wait));
  };
  const retries = batch ? 0 : settings.get('retries');
  const api = createApi({
    ...peer,
    clock,
    random,
    signal,
    onWindows,
    onRetryWait,
    retries,
    ...(await exchangeOptions(options)),
  });
  return { api, close: () => peer.transport.close() };
}

/** A person who waits longer wants to know the reason. Milliseconds. */
const LONG_WAIT_MS = 2000;

const waitLine = ({ reason, waitMs, retry, retries }: RetryWait): SafeText =>
  say`${reason}: trying again in ${formatDuration(waitMs)} (${retry} of ${retries})\n`;

/** The limits of one exchange, and its trace. */
async function exchangeOptions({ settings, stderr }: ConnectionOptions) {
  const { traceLine } = await import('../../http/trace.ts');
  return {
    timeoutMs: settings.get('timeout'),
    maxBytes: settings.get('max-answer-bytes'),
    userAgent: `berth/${version}`,
    ...(settings.get('verbose') ? { trace: (event: TraceEvent) => void stderr.write(say`${traceLine(event)}\n`) } : {}),
  };
}

async function* laterEvents(ready: () => Promise<BatchApi>, request: ApiRequest): AsyncGenerator<ServerEvent> {
  yield* (await ready()).events(request);
}

async function localPeer({ settings, clock, random, stderr, watched }: ConnectionOptions): Promise<Peer> {
  const { openLocalTransport } = await import('./local-transport.ts');
  const { transport, origin, key } = openLocalTransport(settings.dataDirectory, clock, random);
  if (watched()) await stderr.write(say`Local service (berth local status)\n`);
  return { transport, addresses: () => origin, key: () => Promise.resolve(key) };
}

async function remotePeer({ settings, env }: ConnectionOptions, { oneShot }: { oneShot: boolean }): Promise<Peer> {
  const { createTransport } = await import('../../http/wire/client.ts');
  return {
    transport: createTransport({ env, oneShot }),
    addresses: (service) => remoteAddress(settings, service),
    // Async, so that a failure becomes a rejection.
    key: async () => (await settings.apiKey())?.reveal(),
  };
}

const SERVICE_NAMES: Readonly<Record<ServiceName, string>> = {
  base: 'the management API',
  queue: 'the queue API',
  rest: 'the older volume API',
};

/** The address of a service. Fails with denied (3) when the key in use must not be sent there. */
function remoteAddress(settings: Settings, service: ServiceName): string {
  const name = `${service}-url` as const;
  const address = settings.get(name);
  if (address === undefined) {
    if (!settings.profileExists())
      throw usage(
        `there is no profile "${settings.profile}" in ${settings.profilesPath}`,
        `See them with: berth auth list. Make it with: berth auth login --profile ${settings.profile}`,
      );
    if (settings.keySource() === undefined) throw nothingConfigured();
    throw usage(
      `no address is configured for ${SERVICE_NAMES[service]}`,
      `Set BERTH_${service.toUpperCase()}_URL, or keep it: berth config set ${name} URL. Or use the local service: --local.`,
    );
  }
  if (settings.source(name) !== 'profile') guardKey(settings, name, address);
  return address;
}

/** A profile's key is sent only to the profile's addresses: an environment variable must not redirect it. */
function guardKey(settings: Settings, name: string, address: string): void {
  if (settings.keySource() !== 'profile') return;
  const own = Object.values(settings.profileAddresses()).map(originOf);
  if (own.includes(originOf(address))) return;
  throw new Failure({
    code: 'foreign-address',
    exit: EXIT.denied,
    message: `the key of profile "${settings.profile}" is for the addresses of that profile, and ${name} names another (from the ${String(settings.source(name))})`,
    hint: `Give the key for it in BERTH_API_KEY, or make the address the profile's: berth config set ${name} URL`,
  });
}

const originOf = (address: string): string => (URL.canParse(address) ? new URL(address).origin : address);

const nothingConfigured = (): Failure =>
  new Failure({
    code: 'no-key',
    exit: EXIT.denied,
    message: 'no service is configured: there is no key and no address',
    hint: 'Log in with: berth auth login. Or use the local service, without an account: add --local.',
  });
