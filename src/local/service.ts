import type { Clock } from '../core/context.ts';
import { createLocalClock } from './clock.ts';
import { createControl } from './control.ts';
import type { Frame } from './dispatch.ts';
import type { Call } from './operation.ts';
import { advanceQueue, createRunner, type Runner } from './queue/index.ts';
import { quotaOf, type Quota } from './rate.ts';
import { createRouter } from './router.ts';
import { seed, withModules } from './seed.ts';
import type { Store } from './store.ts';
import { createTable } from './table.ts';
import { createValidator, type Validator } from './validate.ts';

export interface LocalServiceOptions {
  readonly clock: Clock;
  /** 0 up to, not including, 1: decides which requests a fault of some probability strikes. */
  readonly random: () => number;
  readonly store: Store;
  /** Requests a window; absent windows keep their defaults. */
  readonly quota?: Readonly<Partial<Quota>> | undefined;
  /** The known limits of queue operations, per endpoint and user. */
  readonly queueLimits: boolean;
  /** Endpoint name to handler module path. They run only between `start` and `stop`. */
  readonly handlers?: Readonly<Record<string, string>> | undefined;
  /** One for several services: it compiles each schema once. */
  readonly validator?: Validator;
  /** What handler modules print, as it comes. */
  readonly log?: ((endpointId: string, text: string) => void) | undefined;
}

export interface LocalService {
  /**
   * Answers one request in this process. Rejects with DroppedConnection where a fault drops the connection, with a
   * local-file Failure (14) where the state cannot be kept, and with the signal's reason where the caller gave up.
   */
  fetch(request: Request): Promise<Response>;
  /** Runs handler modules and delivers webhooks as time goes by, until `stop`. Only for a service that is served. */
  start(): void;
  stop(): Promise<void>;
}

/** How often handler modules and webhooks are looked after while the service is served: milliseconds. */
const HANDLER_TICK = 100;
const WEBHOOK_TICK = 500;
/** How long a webhook's receiver may take: milliseconds. */
const WEBHOOK_DEADLINE = 10_000;

/** The local service: the whole contract over one store, in this process. */
export function createLocalService(options: LocalServiceOptions): LocalService {
  const { clock, store, handlers = {} } = options;
  const stopping = new AbortController();
  const time = createLocalClock(clock);

  const fresh = () => seed(clock.now());
  const transact: Call['transact'] = (step) =>
    store.transact(fresh, (state) =>
      withModules(state, Object.keys(handlers), state.asOf, () => {
        const now = time.at(state);
        advanceQueue(state, now);
        state.asOf = now;
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
  const control = createControl(() => store.replace(fresh()));
  const route = createRouter([...createTable({ queueLimits: options.queueLimits }), ...control], frame);

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
      if (request.method !== 'GET') void tick();
      return response;
    },
    start: () => {
      if (runner !== undefined) return;
      runner = createRunner({
        transact,
        handlers,
        fetchWebhook: (url, body) => postWebhook(clock, url, body),
        ...(options.log === undefined ? {} : { log: options.log }),
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

async function postWebhook(clock: Clock, url: string, body: string): Promise<number> {
  const deadline = clock.deadline(WEBHOOK_DEADLINE);
  try {
    // eslint-disable-next-line no-restricted-globals -- only a served local service gets here
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body,
      redirect: 'manual',
      signal: deadline.signal,
    });
    await answer.body?.cancel();
    return answer.status;
  } finally {
    deadline.cancel();
  }
}
