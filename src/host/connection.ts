import type { Api, ApiRequest, RateWindow, ServerEvent, ServiceName } from '../core/api.ts';
import type { BulkOptions, Clock, Sink } from '../core/context.ts';
import { EXIT } from '../core/exit.ts';
import { Failure, usage } from '../core/failure.ts';
import { parseDuration } from '../core/units.ts';
import type { Transport } from '../http/transport.ts';
import type { Settings } from '../settings/view.ts';

export interface ConnectionOptions {
  readonly settings: Settings;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly random: () => number;
  /** The user's interrupt. */
  readonly signal: AbortSignal;
  /** Where `--verbose` traces go, and the word that the local service is spoken to. */
  readonly stderr: Sink;
  /** A person reads stderr. */
  readonly watched: () => boolean;
  readonly onWindows: (windows: readonly RateWindow[]) => void;
}

export interface Connection {
  readonly api: Api;
  /** As the Context says; each has connections of its own. */
  bulk(options: BulkOptions): Api;
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
  const single = openWay(options, {});
  const ways = [single];
  return {
    api: single.api,
    bulk: ({ signal, onWindows }) => {
      const told = (windows: readonly RateWindow[]): void => {
        options.onWindows(windows);
        onWindows(windows);
      };
      const changed = { signal, onWindows: told, watched: () => false };
      const way = openWay({ ...options, ...changed }, { oneShot: false, retries: 0 });
      ways.push(way);
      return way.api;
    },
    close: async () => {
      await Promise.all(ways.map((way) => way.close()));
    },
  };
}

interface Way {
  readonly api: Api;
  close(): Promise<void>;
}

interface Traffic {
  /** A few requests and the process ends; true by default. */
  readonly oneShot?: boolean;
  /** Tries beyond the first, in place of the setting. */
  readonly retries?: number;
}

function openWay(options: ConnectionOptions, { oneShot = true, retries }: Traffic): Way {
  const { settings } = options;
  let opened: Promise<{ readonly api: Api; readonly peer: Peer }> | undefined;

  const open = async (): Promise<{ readonly api: Api; readonly peer: Peer }> => {
    const [{ createApi }, { traceLine }, peer] = await Promise.all([
      import('../http/api.ts'),
      import('../http/trace.ts'),
      settings.local ? localPeer(options) : remotePeer(options, oneShot),
    ]);
    const api = createApi({
      transport: peer.transport,
      addresses: peer.addresses,
      key: peer.key,
      clock: options.clock,
      random: options.random,
      signal: options.signal,
      retries: retries ?? Number(settings.get('retries')),
      timeoutMs: parseDuration(settings.get('timeout') ?? '', 's', 'the timeout'),
      maxBytes: Number(settings.get('max-answer-bytes')),
      userAgent: 'berth',
      onWindows: options.onWindows,
      ...(settings.get('verbose') === 'true'
        ? { trace: (event) => void options.stderr.write(`${traceLine(event)}\n`) }
        : {}),
    });
    return { api, peer };
  };
  const ready = async (): Promise<Api> => (await (opened ??= open())).api;

  return {
    api: {
      send: async (request) => (await ready()).send(request),
      events: (request) => laterEvents(ready, request),
      preview: async (request) => (await ready()).preview(request),
    },
    close: async () => {
      const peer = await opened?.then(
        (open) => open.peer,
        () => undefined,
      );
      await peer?.transport.close();
    },
  };
}

async function* laterEvents(ready: () => Promise<Api>, request: ApiRequest): AsyncGenerator<ServerEvent> {
  yield* (await ready()).events(request);
}

async function localPeer({ settings, clock, random, stderr, watched }: ConnectionOptions): Promise<Peer> {
  const { openLocalTransport } = await import('./local-transport.ts');
  const { transport, origin, key, stateFile } = openLocalTransport(settings.dataDirectory, clock, random);
  if (watched()) await stderr.write(`Local service: nothing leaves this machine. Its state: ${stateFile}\n`);
  return { transport, addresses: () => origin, key: () => Promise.resolve(key) };
}

async function remotePeer({ settings, env }: ConnectionOptions, oneShot: boolean): Promise<Peer> {
  const { createTransport } = await import('../http/client.ts');
  return {
    transport: createTransport({ env, oneShot }),
    addresses: (service) => remoteAddress(settings, service),
    // A promise even where it fails.
    key: async () => settings.apiKey()?.reveal(),
  };
}

const CALLED: Readonly<Record<ServiceName, string>> = {
  base: 'the management API',
  queue: 'the queue API',
  rest: 'the older volume API',
};

/** Where a service is, and that the key in use may go there. */
function remoteAddress(settings: Settings, service: ServiceName): string {
  const name = `${service}-url`;
  const address = settings.get(name);
  if (address === undefined) {
    if (!settings.profileExists())
      throw usage(
        `there is no profile "${settings.profile}" in ${settings.profilesPath}`,
        `See them with: berth auth list. Make it with: berth auth login --profile ${settings.profile}`,
      );
    if (settings.apiKey() === undefined) throw nothingConfigured();
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
  if (settings.apiKey()?.source !== 'profile') return;
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
