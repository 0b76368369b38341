import { version } from '../../../package.json';
import type { Api, BatchApi, BatchApiOptions, ServiceName } from '../../core/api.ts';
import type { Sink } from '../../core/context.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, usage } from '../../core/failure.ts';
import { berth, flags, sentence } from '../../core/message.ts';
import { say, type TerminalText } from '../../core/safe-text.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import { formatDuration } from '../../core/units.ts';
import type { Transport } from '../../http/transport.ts';
import type { Resolved } from '../../settings/resolve.ts';
import type { Settings } from '../../settings/settings.ts';
import { keyVariableOf } from '../../settings/keys.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { LocalConnection } from './local-transport.ts';

/** Usage (2) without address or profile; denied (3) if nothing is configured or the key is not for it. */
function remoteAddress(settings: Settings, service: ServiceName): string {
  const name = `${service}-url` as const;
  const found = settings.resolve(name);
  if (found === undefined) {
    settings.requireProfile();
    if (settings.keySource() === undefined) {
      const message = 'no service is configured: there is no key and no address';
      const hint = sentence`Log in with: ${berth`auth login`}. Or use the local service, without an account: add --local.`;
      throw new Failure({ code: 'no-key', exit: EXIT.denied, message, hint });
    }
    throw usage(
      `no ${name} is configured`,
      sentence`Set BERTH_${service.toUpperCase()}_URL, or keep it: ${berth`config set ${name} URL`}. Or use the local service: --local.`,
    );
  }
  if (found.source !== 'profile' && settings.keySource() === 'profile') checkKeyAddress(settings, name, found);
  return found.value;
}

/** Never send a profile's key to another address, for example one from an environment variable. */
function checkKeyAddress(settings: Settings, name: string, { value, source }: Resolved): void {
  const allowed = Object.values(settings.profileAddresses()).map(originOf);
  if (allowed.includes(originOf(value))) return;
  throw new Failure({
    code: 'foreign-address',
    exit: EXIT.denied,
    message: `the key of profile "${settings.profile}" is for the addresses of that profile, and ${name} names another (from the ${source})`,
    hint: sentence`Give the key for it in BERTH_API_KEY, or keep it with the address in a profile of its own: ${berth`auth login --profile NAME ${flags([`--${name}`])} URL`}`,
  });
}

const originOf = (address: string): string => (URL.canParse(address) ? new URL(address).origin : address);

/** TLS reads certificates on another thread from Node 22, while the client is being loaded. A wrong guess only costs time. */
function loadTls(settings: Settings): void {
  try {
    if (settings.get('base-url')?.startsWith('https:') !== true) return;
    // Loading crypto takes the same locks on both threads: load it before the other thread starts.
    process.getBuiltinModule('node:crypto');
    process.getBuiltinModule('node:tls');
  } catch {
    // The request fails with the reason.
  }
}

export interface ConnectionOptions {
  readonly runtime: Runtime;
  readonly settings: Settings;
  readonly signal: AbortSignal;
  readonly stderr: Sink<TerminalText>;
  readonly interactive: () => boolean;
  /** Calls it at the end of the command. */
  readonly onClose: (close: () => Promise<void>) => void;
}

interface Purpose extends Partial<BatchApiOptions> {
  /** Absent: as the settings say. */
  readonly login?: { readonly base: string; readonly key: string };
  /** Thousands of requests, each sent once; else a few with retries, after which the process ends. */
  readonly batch?: boolean;
}

/** A shorter wait before a retry is not reported. */
const REPORTED_WAIT_MS: Milliseconds = 2000;

/** Loads nothing before the first request. Fails: no key denied (3), no address usage (2), profiles (14). */
export function openConnection(options: ConnectionOptions, given?: OpenLocal) {
  const { runtime, settings, stderr, interactive, onClose } = options;
  const { clock, random, env } = runtime;

  let local: Promise<LocalConnection> | undefined;
  const startLocal = async () => {
    const { openLocalTransport } = await import('./local-transport.ts');
    const opened = openLocalTransport(settings.dataDirectory, runtime);
    onClose(opened.close);
    if (interactive()) await stderr.write(say`(local service)\n`);
    return opened;
  };
  /** One for all requests of a command, which see one state. Says so on a terminal. */
  const openLocal = () => (local ??= given?.() ?? startLocal());

  let latest: Readonly<Record<string, string>> = {};
  /** The rate windows of the latest answer that told some. */
  const limits = async () => (await import('../../http/rate-windows.ts')).readWindows(latest);

  const openRemote = async (): Promise<Transport> => {
    const { createTransport } = await import('../../http/wire/client.ts');
    const transport = createTransport({ env });
    // Else the system closes connections.
    if (!runtime.exitsAfterRun) onClose(() => transport.close());
    return transport;
  };

  const open = async ({ batch = false, login, ...more }: Purpose): Promise<BatchApi> => {
    const service = login === undefined && settings.local ? await openLocal() : undefined;
    if (service === undefined) loadTls(settings);
    const transport = service?.transport ?? (await openRemote());
    const { createApi } = await import('../../http/api.ts');
    const verbose = settings.get('verbose');
    const tracing = verbose || env['TRACEPARENT'] !== undefined ? await import('../../http/trace.ts') : undefined;
    return createApi({
      transport,
      addresses: (name) => service?.origin ?? login?.base ?? remoteAddress(settings, name),
      key: async (again) => service?.key ?? login?.key ?? (await settings.apiKey(again))?.reveal(),
      keyVariable: () => ((service ?? login) === undefined ? keyVariableOf(settings.keySource()) : undefined),
      clock,
      random,
      signal: more.signal ?? options.signal,
      onRetryWait: ({ reason, waitMs, retry, retries }) => {
        if (waitMs >= REPORTED_WAIT_MS && !batch && interactive())
          void stderr.write(say`${reason}: trying again in ${formatDuration(waitMs)} (${retry} of ${retries})\n`);
      },
      onLimits: async (headers) => {
        latest = headers;
        if (more.onWindows !== undefined) more.onWindows(await limits());
      },
      retries: batch ? 0 : settings.get('retries'),
      access: settings,
      traceHeaders: tracing?.traceHeaders(env),
      timeoutMs: settings.get('timeout'),
      maxBytes: settings.get('max-answer-bytes'),
      userAgent: `berth/${version}`,
      trace: verbose && tracing ? (event) => void stderr.write(say`${tracing.traceLine(event)}\n`) : undefined,
    });
  };

  let api: Promise<Api> | undefined;
  return {
    openApi: () => (api ??= open({})),
    openLocal,
    openRemote,
    limits,
    batchApi: (given: BatchApiOptions): Promise<BatchApi> => open({ ...given, batch: true }),
    loginApi: (login: Required<Purpose>['login']): Promise<Api> => open({ login }),
  };
}

export type OpenLocal = () => Promise<LocalConnection>;

export type OpenConnection = Pick<ReturnType<typeof openConnection>, 'openLocal' | 'openRemote'>;
