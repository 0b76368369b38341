import { version } from '../../../package.json';
import type { Api, BatchApi, BatchApiOptions, RateWindow, ServiceName } from '../../core/api.ts';
import type { Sink } from '../../core/context.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, usage } from '../../core/failure.ts';
import { berth, flags, sentence } from '../../core/message.ts';
import { say, type TerminalText } from '../../core/safe-text.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import { formatDuration } from '../../core/units.ts';
import type { ApiOptions, RetryWait } from '../../http/api.ts';
import type { TraceEvent } from '../../http/trace.ts';
import type { Transport } from '../../http/transport.ts';
import type { Settings } from '../../settings/create-settings.ts';
import { keyVariableOf } from '../../settings/keys.ts';
import type { Runtime } from '../runtime/runtime.ts';

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
    settings.requireProfile();
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

export interface ConnectionOptions {
  readonly runtime: Runtime;
  readonly settings: Settings;
  readonly signal: AbortSignal;
  readonly stderr: Sink<TerminalText>;
  readonly interactive: () => boolean;
  readonly onWindows: (windows: readonly RateWindow[]) => void;
}

interface OpenApi {
  readonly api: BatchApi;
  readonly openPods: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Loads nothing before the first request. Fails: no key denied (3), no address usage (2), profiles (14). */
export function openConnection(options: ConnectionOptions) {
  const opened: ReturnType<typeof openLazily>[] = [];
  const openOne = (changed: Partial<ConnectionOptions>, purpose: Purpose): ReturnType<typeof openLazily> => {
    const one = openLazily({ ...options, ...changed }, purpose);
    opened.push(one);
    return one;
  };
  const single = openOne({}, { batch: false });
  return {
    api: single.api,
    /** Does nothing for a remote service. */
    openLocalPods: async (): Promise<void> => (await single.open()).openPods(),
    /** Says so on a terminal; nothing for a remote service. */
    openLocal: async (): Promise<void> => {
      if (options.settings.local) await single.open();
    },
    batchApi: ({ signal, onWindows }: BatchApiOptions): BatchApi => {
      const onAllWindows = (windows: readonly RateWindow[]): void => {
        options.onWindows(windows);
        onWindows(windows);
      };
      return openOne({ signal, onWindows: onAllWindows, interactive: () => false }, { batch: true }).api;
    },
    loginApi: (login: Required<Purpose>['login']): Api =>
      openOne({ onWindows: () => undefined }, { batch: false, login }).api,
    close: async (): Promise<void> => {
      await Promise.all(opened.map((each) => each.close()));
    },
  };
}

interface Purpose {
  /** Absent: as the settings say. */
  readonly login?: { readonly base: string; readonly key: string };
  /** Thousands of requests, each sent once; else a few with retries, after which the process ends. */
  readonly batch: boolean;
}

function openLazily(options: ConnectionOptions, purpose: Purpose) {
  let opening: Promise<OpenApi> | undefined;
  let api: BatchApi | undefined;
  const opened = (): Promise<OpenApi> => (opening ??= open(options, purpose));
  const ready = async (): Promise<BatchApi> => (api = (await opened()).api);
  const lazy: BatchApi = {
    // Synchronous once it is open: an extra await would delay each of thousands of requests.
    send: (request) => (api === undefined ? ready().then((first) => first.send(request)) : api.send(request)),
    prepare: (request) => {
      let prepared: ReturnType<BatchApi['prepare']> | undefined;
      return {
        send: (body) =>
          prepared === undefined
            ? ready().then((first) => (prepared ??= first.prepare(request)).send(body))
            : prepared.send(body),
      };
    },
    events: async function* (request) {
      yield* (await ready()).events(request);
    },
    preview: async (request) => (await ready()).preview(request),
  };
  return {
    api: lazy,
    open: opened,
    close: async (): Promise<void> => {
      await (await opening?.catch(() => undefined))?.close();
    },
  };
}

/** A shorter wait before a retry is not reported. */
const REPORTED_WAIT_MS: Milliseconds = 2000;

async function open(options: ConnectionOptions, purpose: Purpose): Promise<OpenApi> {
  const { runtime, settings, signal, onWindows, stderr, interactive } = options;
  const { clock, random, env } = runtime;
  const isLocal = purpose.login === undefined && settings.local;
  const { transport, openPods, ...peer } = await (isLocal ? localPeer(options) : remotePeer(options, purpose));
  const { createApi } = await import('../../http/api.ts');
  const { traceHeaders, traceLine } = await import('../../http/trace.ts');
  const onRetryWait = ({ reason, waitMs, retry, retries }: RetryWait): void => {
    if (waitMs >= REPORTED_WAIT_MS && interactive())
      void stderr.write(say`${reason}: trying again in ${formatDuration(waitMs)} (${retry} of ${retries})\n`);
  };
  const trace = (event: TraceEvent): void => void stderr.write(say`${traceLine(event)}\n`);
  const api = createApi({
    ...peer,
    ...{ transport, clock, random, signal, onWindows, onRetryWait },
    retries: purpose.batch ? 0 : settings.get('retries'),
    access: settings,
    traceHeaders: traceHeaders(env),
    timeoutMs: settings.get('timeout'),
    maxBytes: settings.get('max-answer-bytes'),
    userAgent: `berth/${version}`,
    ...(settings.get('verbose') ? { trace } : {}),
  });
  // The system closes connections; the local service in this process has files to close.
  const isClosedBySystem = runtime.exitsAfterRun && !isLocal;
  return { api, openPods, close: () => (isClosedBySystem ? Promise.resolve() : transport.close()) };
}

interface Peer extends Pick<ApiOptions, 'addresses' | 'key' | 'keyVariable'> {
  readonly transport: Transport & { close(): Promise<void> };
  readonly openPods: () => Promise<void>;
}

async function localPeer({ runtime, settings, stderr, interactive }: ConnectionOptions): Promise<Peer> {
  const { openLocalTransport } = await import('./local-transport.ts');
  const { transport, origin, key, openPods } = openLocalTransport(settings.dataDirectory, runtime);
  if (interactive()) await stderr.write(say`(local service)\n`);
  return { transport, addresses: () => origin, key: () => Promise.resolve(key), openPods };
}

async function remotePeer({ runtime, settings }: ConnectionOptions, { batch, login }: Purpose): Promise<Peer> {
  const { createTransport } = await import('../../http/wire/client.ts');
  return {
    transport: createTransport({ env: runtime.env, oneShot: !batch }),
    addresses: (service) => login?.base ?? remoteAddress(settings, service),
    openPods: () => Promise.resolve(),
    // Async, so that an error of `apiKey` is a rejected promise.
    key: async (again) => (login === undefined ? (await settings.apiKey(again))?.reveal() : login.key),
    keyVariable: () => (login === undefined ? keyVariableOf(settings.keySource()) : undefined),
  };
}
