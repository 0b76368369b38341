import { createLocalClock } from './state/clock.ts';
import { createCallSignals } from './http/call/call-signals.ts';
import type { Frame } from './http/routing/dispatch.ts';
import { takeStartFault } from './http/faults/fault-effects.ts';
import type { LocalAnswer, LocalRequest } from './http/call/request-and-answer.ts';
import { createDateHeader } from './http/server/date-header.ts';
import type { Call } from './http/call/operation.ts';
import { quotaOf } from './http/faults/rate-limit.ts';
import { settingsOf } from './http/call/settings.ts';
import { createRouter } from './http/routing/router.ts';
import { createValidator } from './http/requests/validate.ts';
import { takesByProtocol, type Served } from './model/endpoints/record.ts';
import { endpoints, withServed } from './model/endpoints/seed.ts';
import { lastStockTurn } from './model/catalog/stock.ts';
import { giveOddTexts } from './model/pods/odd-texts.ts';
import {
  advanceQueue,
  createHeldRequests,
  createWorkerOperations,
  endpointChanged,
  ignorePause,
  loseAllWorkers,
  type HeldChanges,
} from './queue/index.ts';
import { createControlOperations } from './resources/control.ts';
import { allEndpointsChanged } from './resources/stock.ts';
import { queuesOf } from './queue/state/records.ts';
import { releaseFiles } from './resources/endpoints/releases.ts';
import type { LocalServiceOptions } from './service-options.ts';
import { createState, originAfter, type State } from './state/state.ts';
import { createWorkerKeys } from './state/worker-keys.ts';
import { createObjectPorts } from './objects/ports.ts';
import { isSigned } from './objects/requests/signature.ts';
import { createVolumeFolders, temporaryRoot } from './objects/volumes/volumes.ts';
import { createTable } from './table.ts';
import { servedBy } from './workers/handlers/source.ts';
import type { SendWebhook } from './webhooks/send.ts';
import { createPodContainers } from './pods/containers.ts';
import type { Workers } from './workers/start-workers.ts';
import { endpointVariables, workerVariables, type WorkerName } from './workers/handlers/variables.ts';
import type { Milliseconds } from '../core/unit-types.ts';

export interface LocalService {
  /**
   * Answers one request in this process. Rejects with DroppedConnection when a fault drops the connection, with a local-file
   * Failure (14) when the state cannot be read or saved, and with the signal's reason when the request was aborted.
   */
  answer(request: LocalRequest): Promise<LocalAnswer>;
  /** Runs workers and delivers webhooks until `stop`. Call it when the HTTP server is listening, with its port. */
  start(port: number): void;
  /** Replaces the workers of the endpoints of these names as a release does: each after the jobs that it has. */
  reload(names: readonly string[]): Promise<void>;
  /** Starts the containers of the pods that run now, until `stop`: for one command, which does not `start` the service. */
  openContainers(): Promise<void>;
  /** Ends all workers and containers; none is left when it resolves. */
  stop(): Promise<void>;
}

/** How often the state is checked for work while the service is served: with handler modules, and for webhooks only. */
const HANDLER_INTERVAL_MS = 100;
const WEBHOOK_INTERVAL_MS = 500;

const VOLUMES_PATH = '/v2/network-volumes/';

/** When the state was not checked for this time, the service was suspended, or it waited for its state. */
const PAUSE_MS: Milliseconds = 5000;

/**
 * Creates a local service that keeps its data in `store` and answers every operation of the API contract in this
 * process.
 */
export function createLocalService(options: LocalServiceOptions): LocalService {
  const { clock, store, handlers = {} } = options;
  const settings = settingsOf(options);
  const stopping = new AbortController();
  const time = createLocalClock(clock);
  const dateHeader = createDateHeader();

  // eslint-disable-next-line no-restricted-syntax -- a date
  const create = (previous?: State) => createState(clock.now(), originAfter(previous, options.random));
  const served: Readonly<Record<string, Served>> = Object.fromEntries(
    Object.entries(handlers).map(([name, source]) => [name, servedBy(source)]),
  );
  const untilStopped = (milliseconds: number): Promise<void> => time.sleep(milliseconds, stopping.signal);
  const held = createHeldRequests({
    // eslint-disable-next-line no-restricted-syntax -- a date of the service's clock
    at: () => time.now(),
    sleep: untilStopped,
  });
  /** With workers that attach there is nothing to start or stop here. */
  const hasHandlers = Object.values(handlers).some(({ kind }) => kind !== 'attach');
  let hasDeliveries = false;
  /** When the state was last checked for work, by the monotonic clock; undefined while the service is not served. */
  let checkedAt: number | undefined;
  const noticePause = (state: State): void => {
    if (checkedAt === undefined) return;
    const pausedMs = clock.monotonic() - checkedAt;
    if (pausedMs <= PAUSE_MS) return;
    ignorePause(state, Math.floor(pausedMs));
    checkedAt = clock.monotonic();
  };
  const transact: Call['transact'] = async (step) => {
    let changes: HeldChanges | undefined;
    let checkedBefore: number | undefined;
    try {
      return await store.transact(
        () => create(),
        (state) =>
          withServed(state, served, state.asOf, () => {
            const now = time.update(state);
            checkedBefore = checkedAt;
            noticePause(state);
            const turned = lastStockTurn(state, state.processedTo, now);
            if (turned !== undefined) {
              advanceQueue(state, turned);
              allEndpointsChanged(state);
            }
            advanceQueue(state, now);
            try {
              return step(state, now);
            } finally {
              changes = held.answer(state, now);
              hasDeliveries = queuesOf(state).deliveries.length > 0;
            }
          }),
        () => {
          changes?.undo();
          changes = undefined;
          checkedAt = checkedBefore;
        },
      );
    } finally {
      // Not before what they tell of is saved.
      changes?.settle();
    }
  };

  const variablesOf = (state: State, worker: WorkerName, prefix = options.workerPrefix) =>
    workerVariables(state, worker, { prefix, runner: options.workerRunner });

  const folders = createVolumeFolders(transact, options.volumesFolder ?? temporaryRoot('volumes'));
  const { startContainer } = options;
  const containers =
    startContainer === undefined
      ? undefined
      : createPodContainers({
          transact,
          start: startContainer,
          secretPrefix: settings.secretPrefix,
          root: options.podsFolder ?? temporaryRoot('pods'),
          volumeFolder: (id) => folders.folder(id),
        });

  const frame: Frame = {
    quota: quotaOf(options.quota),
    settings,
    random: options.random,
    validator: options.validator ?? createValidator(),
    workerKeys: createWorkerKeys(),
    transact,
    sleep: (milliseconds, signal) => time.sleep(milliseconds, signal),
    signals: createCallSignals(stopping.signal),
    addressOf: (podId, start) => containers?.addressOf(podId, start),
  };
  const route = createRouter(
    [
      ...createTable(options),
      ...createWorkerOperations({ held, random: options.random, log: options.log }),
      ...createControlOperations({
        reset: (seed) =>
          store.replace((previous) => {
            const state = create(previous);
            if (seed === 'odd') giveOddTexts(state);
            return state;
          }),
        variablesOf,
      }),
    ],
    frame,
  );

  const objectPorts = createObjectPorts({ folders, transact, clock, random: options.random, sleep: untilStopped });
  const answer = async (request: LocalRequest): Promise<LocalAnswer> => {
    // Loaded here: most commands with --local ask for no file.
    if (isSigned(request)) return (await import('./objects/interface.ts')).answerObjectRequest(objectPorts, request);
    const answered = await route(request);
    if (request.method === 'DELETE' && request.path.startsWith(VOLUMES_PATH)) await folders.clean();
    return answered;
  };

  let workers: Workers | undefined;
  let loop: Promise<void> = Promise.resolve();
  let lastSync: Promise<void> = Promise.resolve();
  let nextSync: Promise<void> | undefined;
  /** Many requests at once share one sync that begins after them. */
  const syncWorkers = (): Promise<void> =>
    (nextSync ??= lastSync.then(() => {
      nextSync = undefined;
      // The error is ignored here: the next request fails with the same file error and reports it. The next interval
      // tries again.
      lastSync = Promise.all([workers?.sync(), containers?.sync()]).then(
        () => undefined,
        () => undefined,
      );
      return lastSync;
    }));
  const startAll = async (port: number): Promise<void> => {
    const { allowPrivateWebhooks: allowPrivate = false, resolve } = options;
    let send: SendWebhook | undefined;
    // Loaded here: a command with --local runs no workers.
    const { startWorkers } = await import('./workers/start-workers.ts');
    workers = startWorkers({
      transact,
      sources: handlers,
      startProcess: options.startProcess,
      monotonic: () => clock.monotonic(),
      startFault: (state, worker) => takeStartFault(state, worker, options.random),
      environmentOf: endpointVariables(settings.secretPrefix),
      protocolVariablesOf: (state, endpointId, workerId) =>
        variablesOf(state, { origin: `http://127.0.0.1:${String(port)}`, endpointId, workerId }),
      sendWebhook: async (url, body) => {
        const { createWebhookSender } = await import('./webhooks/send.ts');
        send ??= createWebhookSender({ clock, ownPort: port, allowPrivate, resolve });
        return send(url, body);
      },
      log: options.log,
      onWebhookRefused: options.onWebhookRefused,
    });
  };
  /** Tries again until it is saved: with a worker whose process does not run, a job could wait for ever. */
  const loseFormerWorkers = async (): Promise<void> => {
    while (!stopping.signal.aborted)
      try {
        await transact(loseAllWorkers);
        return;
      } catch {
        // The error is ignored here: the next request fails with the same file error and reports it.
        await clock.sleep(HANDLER_INTERVAL_MS, stopping.signal).catch(() => undefined);
      }
  };
  const runLoop = async (port: number): Promise<void> => {
    if (Object.values(served).some(takesByProtocol)) await loseFormerWorkers();
    await startAll(port);
    while (!stopping.signal.aborted) {
      await syncWorkers();
      checkedAt = clock.monotonic();
      const pause = Object.keys(handlers).length > 0 ? HANDLER_INTERVAL_MS : WEBHOOK_INTERVAL_MS;
      await clock.sleep(pause, stopping.signal).catch(() => undefined);
    }
  };

  return {
    answer: async (request) => {
      const { status, headers, body } = await answer(request);
      if (request.method !== 'GET' && (hasHandlers || hasDeliveries)) void syncWorkers();
      // eslint-disable-next-line no-restricted-syntax -- a date
      const date = dateHeader(time.now());
      // `berth doctor` recognizes the local service by `server`.
      return { status, headers: { ...headers, date, server: 'berth-local' }, body };
    },
    start: (port) => {
      loop = runLoop(port);
    },
    reload: (names) =>
      transact((state, now) => {
        for (const name of names) {
          const endpoint = endpoints.get(state, name);
          if (endpoint === undefined) continue;
          releaseFiles(state, endpoint, now);
          endpointChanged(state, endpoint.id);
        }
      }),
    openContainers: async () => {
      await containers?.sync();
    },
    stop: async () => {
      stopping.abort(new Error('the local service stopped'));
      await loop;
      await workers?.stop();
      await containers?.stop();
      await folders.close();
      await store.idle();
    },
  };
}
