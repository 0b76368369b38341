import type { Clock } from '../core/context.ts';
import { createLocalClock } from './state/clock.ts';
import { createControl } from './resources/control.ts';
import type { Frame } from './frame/dispatch.ts';
import type { Call } from './frame/operation.ts';
import { advanceQueue, createRunner, type Runner, type StreamShape } from './queue/index.ts';
import { quotaOf, type Quota } from './frame/rate-limit.ts';
import { createRouter } from './frame/router.ts';
import { originAfter, seed, withModules } from './seed.ts';
import type { State } from './state/state.ts';
import type { Store } from './state/store.ts';
import { createTable } from './table.ts';
import { createValidator, type Validator } from './frame/validate.ts';
import type { PostWebhook, Resolve } from './webhooks/send.ts';

export interface LocalServiceOptions {
  readonly clock: Clock;
  /** 0 up to, not including, 1: decides which requests a fault of some probability strikes. */
  readonly random: () => number;
  readonly store: Store;
  /** Requests a window; absent windows keep their defaults. */
  readonly quota?: Readonly<Partial<Quota>> | undefined;
  /** The known limits of queue operations, per endpoint and user. */
  readonly queueLimits: boolean;
  /** What `stream` answers; the array where absent. */
  readonly streamShape?: StreamShape | undefined;
  /** Lets webhooks reach other ports of this machine, and private networks. */
  readonly allowPrivateWebhooks?: boolean | undefined;
  /** How names of webhook addresses are resolved; by the system where absent. */
  readonly resolve?: Resolve | undefined;
  /** Endpoint name to handler module path. They run only between `start` and `stop`. */
  readonly handlers?: Readonly<Record<string, string>> | undefined;
  /** One for several services: it compiles each schema once. */
  readonly validator?: Validator;
  /** What handler modules print, as it comes. */
  readonly log?: ((endpointId: string, text: string) => void) | undefined;
  /** Why a webhook was not sent. */
  readonly onWebhookRefused?: ((jobId: string, reason: string) => void) | undefined;
}

export interface LocalService {
  /**
   * Answers one request in this process. Rejects with DroppedConnection where a fault drops the connection, with a
   * local-file Failure (14) where the state cannot be kept, and with the signal's reason where the caller gave up.
   */
  fetch(request: Request): Promise<Response>;
  /**
   * Runs handler modules and delivers webhooks as time goes by, until `stop`. Only for a service that is served;
   * `port` is where.
   */
  start(port: number): void;
  stop(): Promise<void>;
}

/** How often handler modules and webhooks are looked after while the service is served: milliseconds. */
const HANDLER_TICK = 100;
const WEBHOOK_TICK = 500;

/** The local service: the whole contract over one store, in this process. */
export function createLocalService(options: LocalServiceOptions): LocalService {
  const { clock, store, handlers = {} } = options;
  const stopping = new AbortController();
  const time = createLocalClock(clock);

  // eslint-disable-next-line no-restricted-syntax -- a date
  const fresh = (previous?: State) => seed(clock.now(), originAfter(previous, options.random));
  const transact: Call['transact'] = (step) =>
    store.transact(
      () => fresh(),
      (state) =>
        withModules(state, Object.keys(handlers), state.asOf, () => {
          const now = time.bringUp(state);
          advanceQueue(state, now);
          return step(state, now);
        }),
    );

  const frame: Frame = {
    quota: quotaOf(options.quota),
    random: options.random,
    validator: options.validator ?? createValidator(),
    transact,
    sleep: (milliseconds, signal) => time.sleep(milliseconds, signal),
    stopping: stopping.signal,
  };
  const control = createControl(() => store.replace(fresh));
  const route = createRouter([...createTable(options), ...control], frame);

  let runner: Runner | undefined;
  let ticking: Promise<void> = Promise.resolve();
  const tick = async (): Promise<void> => {
    try {
      await runner?.tick();
    } catch {
      // File trouble meets the next request as well, and is told to whoever sent it. The next tick tries again.
    }
  };
  const keepTicking = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await tick();
      const pause = Object.keys(handlers).length > 0 ? HANDLER_TICK : WEBHOOK_TICK;
      await clock.sleep(pause, stopping.signal).catch(() => undefined);
    }
  };

  return {
    fetch: async (request) => {
      const response = await route(request);
      // eslint-disable-next-line no-restricted-syntax -- a date
      response.headers.set('Date', new Date(time.now()).toUTCString());
      // So that `berth doctor` knows whose time it is.
      response.headers.set('Server', 'berth-local');
      if (request.method !== 'GET') void tick();
      return response;
    },
    start: (port) => {
      if (runner !== undefined) return;
      const { allowPrivateWebhooks: allowPrivate = false, resolve } = options;
      let post: PostWebhook | undefined;
      runner = createRunner({
        transact,
        handlers,
        fetchWebhook: async (url, body) => {
          // An HTTP client that a command with --local does not need.
          const { createWebhookPost } = await import('./webhooks/send.ts');
          post ??= createWebhookPost({ clock, ownPort: port, allowPrivate, resolve });
          return post(url, body);
        },
        ...(options.log === undefined ? {} : { log: options.log }),
        ...(options.onWebhookRefused === undefined ? {} : { onWebhookRefused: options.onWebhookRefused }),
      });
      ticking = keepTicking();
    },
    stop: async () => {
      stopping.abort(new Error('the local service stopped'));
      await ticking;
      await runner?.stop();
    },
  };
}
