import type { Clock } from '../core/context.ts';
import { createLocalClock } from './state/clock.ts';
import type { Frame } from './frame/dispatch.ts';
import type { LocalAnswer, LocalRequest } from './frame/exchange.ts';
import { createDateHeaders } from './frame/date-header.ts';
import type { Call } from './frame/operation.ts';
import { quotaOf, type Quota } from './frame/rate-limit.ts';
import { createRouter } from './frame/router.ts';
import { createValidator, type Validator } from './frame/validate.ts';
import { withModules } from './model/endpoints/seed.ts';
import { advanceQueue, type StreamShape } from './queue/index.ts';
import { createControlOperations } from './resources/control.ts';
import { createState, originAfter, type State } from './state/state.ts';
import type { Store } from './state/store.ts';
import { createTable } from './table.ts';
import type { Resolve, SendWebhook } from './webhooks/send.ts';
import { createRunner, type Runner } from './workers/runner.ts';

export interface LocalServiceOptions {
  readonly clock: Clock;
  /** Returns a number from 0 up to, but not including, 1: for faults with a probability, and ids. */
  readonly random: () => number;
  readonly store: Store;
  /** Requests per rate window; windows that are not named keep their defaults. */
  readonly quota?: Readonly<Partial<Quota>> | undefined;
  /** Whether the known limits of queue operations apply, per endpoint and key. */
  readonly queueLimits: boolean;
  /** The format of the answers of `stream`; default `array`. */
  readonly streamShape?: StreamShape | undefined;
  /** Allows webhooks to other ports of this machine, and to private networks. */
  readonly allowPrivateWebhooks?: boolean | undefined;
  /** Resolves the host names of webhooks; default the system's resolver. */
  readonly resolve?: Resolve | undefined;
  /** Endpoint name to the path of its handler module. Modules run only between `start` and `stop`. */
  readonly handlers?: Readonly<Record<string, string>> | undefined;
  /** To share one validator between services: it compiles each schema once. */
  readonly validator?: Validator;
  /** Called with what handler modules print. */
  readonly log?: ((endpointId: string, text: string) => void) | undefined;
  /** Called with the reason when a webhook is not sent. */
  readonly onWebhookRefused?: ((jobId: string, reason: string) => void) | undefined;
}

export interface LocalService {
  /**
   * Answers one request in this process. Rejects with DroppedConnection when a fault drops the connection, with a local-file
   * Failure (14) when the state cannot be read or saved, and with the signal's reason when the request was aborted.
   */
  answer(request: LocalRequest): Promise<LocalAnswer>;
  /** Runs handler modules and delivers webhooks until `stop`. Call it when the service is served, with its port. */
  start(port: number): void;
  stop(): Promise<void>;
}

/** How often the state is checked for work while the service is served: with handler modules, and for webhooks only. */
const HANDLER_INTERVAL_MS = 100;
const WEBHOOK_INTERVAL_MS = 500;

/** Creates a local service over a store: it answers the whole contract in this process. */
export function createLocalService(options: LocalServiceOptions): LocalService {
  const { clock, store, handlers = {} } = options;
  const stopping = new AbortController();
  const time = createLocalClock(clock);
  const dates = createDateHeaders();

  // eslint-disable-next-line no-restricted-syntax -- a date
  const create = (previous?: State) => createState(clock.now(), originAfter(previous, options.random));
  const transact: Call['transact'] = (step) =>
    store.transact(
      () => create(),
      (state) =>
        withModules(state, Object.keys(handlers), state.asOf, () => {
          const now = time.update(state);
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
  const route = createRouter([...createTable(options), ...createControlOperations(() => store.replace(create))], frame);

  let runner: Runner | undefined;
  let loop: Promise<void> = Promise.resolve();
  const syncWorkers = async (): Promise<void> => {
    try {
      await runner?.sync();
    } catch {
      // The next request fails with the same file error, and its caller is told. The next interval tries again.
    }
  };
  const runLoop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await syncWorkers();
      const pause = Object.keys(handlers).length > 0 ? HANDLER_INTERVAL_MS : WEBHOOK_INTERVAL_MS;
      await clock.sleep(pause, stopping.signal).catch(() => undefined);
    }
  };

  return {
    answer: async (request) => {
      const { status, headers, body } = await route(request);
      if (request.method !== 'GET') void syncWorkers();
      // eslint-disable-next-line no-restricted-syntax -- a date
      const date = dates.format(time.now());
      // `berth doctor` recognizes the local service by `server`.
      return { status, headers: { ...headers, date, server: 'berth-local' }, body };
    },
    start: (port) => {
      if (runner !== undefined) return;
      const { allowPrivateWebhooks: allowPrivate = false, resolve } = options;
      let send: SendWebhook | undefined;
      runner = createRunner({
        transact,
        handlers,
        sendWebhook: async (url, body) => {
          // Loaded here: a command with --local sends no webhooks.
          const { createWebhookSender } = await import('./webhooks/send.ts');
          send ??= createWebhookSender({ clock, ownPort: port, allowPrivate, resolve });
          return send(url, body);
        },
        ...(options.log === undefined ? {} : { log: options.log }),
        ...(options.onWebhookRefused === undefined ? {} : { onWebhookRefused: options.onWebhookRefused }),
      });
      loop = runLoop();
    },
    stop: async () => {
      stopping.abort(new Error('the local service stopped'));
      await loop;
      await runner?.stop();
    },
  };
}
