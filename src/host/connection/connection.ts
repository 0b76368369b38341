import { version } from '../../../package.json';
import { allowedAccess } from '../../core/access.ts';
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
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, usage } from '../../core/failure.ts';
import { berth, flags, sentence } from '../../core/message.ts';
import { type SafeText, say, type TerminalText } from '../../core/safe-text.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import { formatDuration } from '../../core/units.ts';
import type { RetryWait } from '../../http/api.ts';
import type { TraceEvent } from '../../http/trace.ts';
import type { Transport } from '../../http/transport.ts';
import type { GivenSettings } from '../../local/index.ts';
import type { Settings } from '../../settings/create-settings.ts';
import { keyVariableOf } from '../../settings/keys.ts';
import { noProfile } from '../../settings/read-profiles.ts';

const SERVICE_NAMES: Readonly<Record<ServiceName, string>> = {
  base: 'the management API',
  queue: 'the queue API',
  rest: 'the older volume API',
};

/** Usage (2) without address or profile; denied (3) if nothing is configured or the key is not for it. */
function remoteAddress(settings: Settings, service: ServiceName): string {
  const name = `${service}-url` as const;
  const address = settings.get(name);
  if (address === undefined) {
    if (!settings.profileExists()) throw noProfile(settings.profile, settings.profileNames(), settings.profilesPath);
    if (settings.keySource() === undefined) throw nothingConfigured();
    throw usage(
      `no address is configured for ${SERVICE_NAMES[service]}`,
      sentence`Set BERTH_${service.toUpperCase()}_URL, or keep it: ${berth`config set ${name} URL`}. Or use the local service: --local.`,
    );
  }
  if (settings.source(name) !== 'profile') checkKeyAddress(settings, name, address);
  return address;
}

/** Never send a profile's key to another address, for example one from an environment variable. */
function checkKeyAddress(settings: Settings, name: string, address: string): void {
  if (settings.keySource() !== 'profile') return;
  const allowed = Object.values(settings.profileAddresses()).map(originOf);
  if (allowed.includes(originOf(address))) return;
  throw new Failure({
    code: 'foreign-address',
    exit: EXIT.denied,
    message: `the key of profile "${settings.profile}" is for the addresses of that profile, and ${name} names another (from the ${String(settings.source(name))})`,
    hint: sentence`Give the key for it in BERTH_API_KEY, or keep it with the address in a profile of its own: ${berth`auth login --profile NAME ${flags([`--${name}`])} URL`}`,
  });
}

const originOf = (address: string): string => (URL.canParse(address) ? new URL(address).origin : address);

const nothingConfigured = (): Failure =>
  new Failure({
    code: 'no-key',
    exit: EXIT.denied,
    message: 'no service is configured: there is no key and no address',
    hint: sentence`Log in with: ${berth`auth login`}. Or use the local service, without an account: add --local.`,
  });

interface ConnectionOptions {
  readonly settings: Settings;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  readonly user: number | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal: AbortSignal;
  readonly stderr: Sink<TerminalText>;
  readonly interactive: () => boolean;
  readonly localService: GivenSettings;
  readonly exitsAfterRun: boolean;
  readonly onWindows: (windows: readonly RateWindow[]) => void;
}

interface Connection {
  readonly api: BatchApi;
  /** Each Api has its own connections. */
  batchApi(options: BatchApiOptions): BatchApi;
  openLocalPods(): Promise<void>;
  /** Says so on a terminal; nothing for a remote service. */
  openLocal(): Promise<void>;
  loginApi(options: LoginApiOptions): Api;
  /** Unless the system does when the process exits. */
  close(): Promise<void>;
}

interface Peer {
  readonly transport: Transport & { close(): Promise<void> };
  readonly addresses: (service: ServiceName) => string;
  /** See `ApiOptions`. */
  readonly key: (again: boolean) => Promise<string | undefined>;
  readonly keyVariable?: () => string | undefined;
  readonly openPods: () => Promise<void>;
}

interface OpenApi {
  readonly api: BatchApi;
  openPods(): Promise<void>;
  close(): Promise<void>;
}

/** Loads nothing before the first request. Fails: no key denied (3), no address usage (2), profiles (14). */
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
  /** Absent: as the settings say. */
  readonly login?: LoginApiOptions;
  /** Thousands of requests, each sent once; else a few with retries, after which the process ends. */
  readonly batch: boolean;
}

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

/** A shorter wait before a retry is not reported. */
const REPORTED_WAIT_MS: Milliseconds = 2000;

const waitLine = ({ reason, waitMs, retry, retries }: RetryWait): SafeText =>
  say`${reason}: trying again in ${formatDuration(waitMs)} (${retry} of ${retries})\n`;

async function exchangeOptions({ settings, stderr, env }: ConnectionOptions) {
  const { traceLine } = await import('../../http/trace.ts');
  const { traceHeaders } = await import('../../http/trace.ts');
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
