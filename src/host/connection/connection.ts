import { version } from '../../../package.json';
import type { Api, ApiRequest, RateWindow, ServerEvent, ServiceName } from '../../core/api.ts';
import type { BatchApiOptions, Clock, Sink } from '../../core/context.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, usage } from '../../core/failure.ts';
import { say, type SafeText, type TerminalText } from '../../core/safe-text.ts';
import { formatDuration } from '../../core/units.ts';
import type { Wait } from '../../http/api.ts';
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
  /** Where `--verbose` traces go, and the word that the local service is spoken to. */
  readonly stderr: Sink<TerminalText>;
  /** A person reads stderr. */
  readonly watched: () => boolean;
  readonly onWindows: (windows: readonly RateWindow[]) => void;
}

export interface Connection {
  readonly api: Api;
  /** As the Context says; each has connections of its own. */
  batchApi(options: BatchApiOptions): Api;
  /** Ends every connection. */
  close(): Promise<void>;
}

/** One end of the wire: a service elsewhere, or the one in this process. */
interface Peer {
  readonly transport: Transport & { close(): Promise<void> };
  readonly addresses: (service: ServiceName) => string;
  readonly key: () => Promise<string | undefined>;
}

/**
 * The Api over the network, or over the local service in this process. Nothing of either is loaded before the first
 * request, and of the one that is not meant never anything.
 * A request fails with denied (3) where no key is configured, or none for its address, with usage (2) where its
 * address is not, with local-file (14) where the profiles file is needed and broken, and as createApi says.
 */
export function openConnection(options: ConnectionOptions): Connection {
  const single = openWay(options, openSingle);
  const ways = [single];
  return {
    api: single.api,
    batchApi: ({ signal, onWindows }) => {
      const told = (windows: readonly RateWindow[]): void => {
        options.onWindows(windows);
        onWindows(windows);
      };
      const way = openWay({ ...options, signal, onWindows: told, watched: () => false }, openBulk);
      ways.push(way);
      return way.api;
    },
    close: async () => {
      await Promise.all(ways.map((way) => way.close()));
    },
  };
}

/** An Api, and the end of its connections. */
interface Way {
  readonly api: Api;
  close(): Promise<void>;
}

/** An Api that is opened with the first request. */
function openWay(options: ConnectionOptions, open: (options: ConnectionOptions) => Promise<Way>): Way {
  let opened: Promise<Way> | undefined;
  let api: Api | undefined;
  const ready = async (): Promise<Api> => (api = (await (opened ??= open(options))).api);
  return {
    api: {
      // Once it is open nothing is waited for: of thousands of requests each would wait.
      send: (request) => (api === undefined ? ready().then((first) => first.send(request)) : api.send(request)),
      events: (request) => laterEvents(ready, request),
      preview: async (request) => (await ready()).preview(request),
    },
    close: async () => {
      await (await opened?.catch(() => undefined))?.close();
    },
  };
}

/** For a few requests, after which the process ends. */
async function openSingle(options: ConnectionOptions): Promise<Way> {
  const { settings } = options;
  const peer = await (settings.local ? localPeer(options) : remotePeer(options));
  return { api: await apiOver(peer, options, settings.get('retries')), close: () => peer.transport.close() };
}

/** For thousands, each tried once. */
async function openBulk(options: ConnectionOptions): Promise<Way> {
  const { settings, env, clock, signal, onWindows } = options;
  if (settings.local) {
    const peer = await localPeer(options);
    return { api: await apiOver(peer, options, 0), close: () => peer.transport.close() };
  }
  const [{ createTransport }, { createBulkSend }] = await Promise.all([
    import('../../http/wire/client.ts'),
    import('../../http/batch-client.ts'),
  ]);
  const transport = createTransport({ env, oneShot: false });
  const peer = remoteEnd(settings, transport);
  const send = createBulkSend({ ...peer, clock, signal, onWindows, ...(await limitsOf(options)) });
  return { api: { ...(await apiOver(peer, options, 0)), send }, close: () => transport.close() };
}

async function apiOver(peer: Peer, options: ConnectionOptions, retries: number): Promise<Api> {
  const { createApi } = await import('../../http/api.ts');
  const { clock, random, signal, onWindows, stderr } = options;
  const onWait = (wait: Wait): void => {
    if (wait.waitMs >= LONG_WAIT_MS && options.watched()) void stderr.write(waitLine(wait));
  };
  return createApi({ ...peer, clock, random, signal, onWindows, onWait, retries, ...(await limitsOf(options)) });
}

/** A person who waits longer wonders what for. Milliseconds. */
const LONG_WAIT_MS = 2000;

const waitLine = ({ reason, waitMs, retry, retries }: Wait): SafeText =>
  say`${reason}: trying again in ${formatDuration(waitMs)} (${retry} of ${retries})\n`;

/** What bounds one exchange, and who hears of it. */
async function limitsOf({ settings, stderr }: ConnectionOptions) {
  const { traceLine } = await import('../../http/trace.ts');
  return {
    timeoutMs: settings.get('timeout'),
    maxBytes: settings.get('max-answer-bytes'),
    userAgent: `berth/${version}`,
    ...(settings.get('verbose')
      ? { trace: (event: TraceEvent) => void stderr.write(say`${traceLine(event)}\n`) }
      : {}),
  };
}

async function* laterEvents(ready: () => Promise<Api>, request: ApiRequest): AsyncGenerator<ServerEvent> {
  yield* (await ready()).events(request);
}

async function localPeer({ settings, clock, random, stderr, watched }: ConnectionOptions): Promise<Peer> {
  const { openLocalTransport } = await import('./local-transport.ts');
  const { transport, origin, key } = openLocalTransport(settings.dataDirectory, clock, random);
  if (watched()) await stderr.write(say`Local service (berth local status)\n`);
  return { transport, addresses: () => origin, key: () => Promise.resolve(key) };
}

async function remotePeer({ settings, env }: ConnectionOptions): Promise<Peer> {
  const { createTransport } = await import('../../http/wire/client.ts');
  return remoteEnd(settings, createTransport({ env, oneShot: true }));
}

const remoteEnd = <T extends Peer['transport']>(settings: Settings, transport: T): Peer & { transport: T } => ({
  transport,
  addresses: (service) => remoteAddress(settings, service),
  // A promise even where it fails.
  key: async () => (await settings.apiKey())?.reveal(),
});

const CALLED: Readonly<Record<ServiceName, string>> = {
  base: 'the management API',
  queue: 'the queue API',
  rest: 'the older volume API',
};

/** Where a service is, and that the key in use may go there. */
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
      `no address is configured for ${CALLED[service]}`,
      `Set BERTH_${service.toUpperCase()}_URL, or keep it: berth config set ${name} URL. Or use the local service: --local.`,
    );
  }
  if (settings.source(name) !== 'profile') guardKey(settings, name, address);
  return address;
}

/** A key that a profile keeps is for the addresses that it keeps: whoever can set a variable must not get it sent elsewhere. */
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
