import type { Clock } from '../core/context.ts';
import type { Milliseconds } from '../core/unit-types.ts';
import { createPodContainers, type StartContainer } from './containers.ts';
import type { Quota } from './http/admission.ts';
import { createRouter, type Frame } from './http/dispatch.ts';
import { faults, takeFaults, takeStartFault } from './http/faults.ts';
import { type Call, type GivenSettings, type LocalAnswer, type LocalRequest, settingsOf } from './http/operation.ts';
import { endpoints, type Served, takesByProtocol, withServed } from './model/endpoints.ts';
import { lastStockTurn } from './model/hardware.ts';
import { giveOddTexts } from './model/pods.ts';
import type { ObjectPorts } from './objects/interface.ts';
import { isSigned } from './objects/request.ts';
import { createVolumeFolders, folderRoot } from './objects/volumes.ts';
import { advanceQueue, endpointChanged, loseAllWorkers } from './queue/engine.ts';
import type { StreamShape } from './queue/operations.ts';
import { isQueueUnread, queuesOf } from './queue/records.ts';
import { HeldRequests, createWorkerOperations } from './queue/worker-operations.ts';
import { ignorePause } from './queue/workers.ts';
import { allEndpointsChanged, createControlOperations } from './resources/control.ts';
import { releaseFiles } from './resources/endpoints/configure.ts';
import { createLocalClock } from './state/clock.ts';
import { createState, originAfter, type State } from './state/state.ts';
import type { Store } from './state/store.ts';
import { createTable } from './table.ts';
import {
  type EndpointSource,
  endpointVariables,
  servedBy,
  type StartProcess,
  type WorkerName,
  type Workers,
  workerVariables,
} from './workers/handlers.ts';
import type { Resolve, SendWebhook } from './workers/webhooks.ts';

export interface LocalService {
  /** Rejects with DroppedConnection (a fault), local-file (14) for the state, or the signal's reason. */
  answer(request: LocalRequest): Promise<LocalAnswer>;
  start(port: number): void;
  /** As a release does: each worker after the jobs that it has. */
  reload(names: readonly string[]): Promise<void>;
  /** For one command that does not `start` the service; until `stop`. */
  openContainers(): Promise<void>;
  stop(): Promise<void>;
}

/** How often the state is checked for work while the service is served: with handler modules, and for webhooks only. */
const HANDLER_INTERVAL_MS = 100;
const WEBHOOK_INTERVAL_MS = 500;

/** When the state was not checked for this time, the service was suspended, or it waited for its state. */
const PAUSE_MS: Milliseconds = 5000;

export function createLocalService(options: LocalServiceOptions): LocalService {
  const { clock, store, handlers = {} } = options;
  const settings = settingsOf(options);
  const stopping = new AbortController();
  const time = createLocalClock(clock);

  // oxlint-disable-next-line berth/no-wall-clock -- a date
  const create = (previous?: State) => createState(clock.now(), originAfter(previous, options.random));
  const served: Readonly<Record<string, Served>> = Object.fromEntries(
    Object.entries(handlers).map(([name, source]) => [name, servedBy(source)]),
  );
  const held = new HeldRequests();
  /** With workers that attach there is nothing to start or stop here. */
  const hasHandlers = Object.values(handlers).some(({ kind }) => kind !== 'attach');
  let hasDeliveries = false;
  /** By the monotonic clock; undefined while the service is not served. */
  let checkedAt: number | undefined;
  const noticePause = (state: State): void => {
    if (checkedAt === undefined) return;
    const pausedMs = clock.monotonic() - checkedAt;
    if (pausedMs <= PAUSE_MS) return;
    ignorePause(state, Math.floor(pausedMs));
    checkedAt = clock.monotonic();
  };
  const transact: Call['transact'] = (step) =>
    store.transact(
      () => create(),
      (state) =>
        withServed(state, served, state.asOf, () => {
          const now = time.update(state);
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
            held.answer(state, now);
            if (!isQueueUnread(state)) {
              const { changed, deliveries, timers } = queuesOf(state);
              hasDeliveries = deliveries.length > 0;
              state.quietUntil = changed.length > 0 ? now : (timers.first()?.at ?? Number.MAX_SAFE_INTEGER);
            }
          }
        }),
    );

  const variablesOf = (state: State, worker: WorkerName, prefix = options.workerPrefix) =>
    workerVariables(state, worker, prefix, options.workerRunner);

  const volumesRoot = folderRoot(options.volumesFolder, 'volumes');
  const folders = createVolumeFolders(transact, volumesRoot);
  const containers =
    options.startContainer &&
    createPodContainers({
      transact,
      start: options.startContainer,
      secretPrefix: settings.secretPrefix,
      root: folderRoot(options.podsFolder, 'pods'),
      volumeFolder: (id) => folders.folder(id),
    });

  const frame: Frame = {
    quota: options.quota ?? {},
    settings,
    random: options.random,
    transact,
    sleep: (milliseconds, signal) => time.sleep(milliseconds, signal),
    stopping: stopping.signal,
    addressOf: (podId, start) => containers?.addressOf(podId, start),
  };
  const route = createRouter(
    [
      ...createTable(options),
      ...createWorkerOperations(held, options.log),
      ...createControlOperations(
        (seed) =>
          store.replace((previous) => {
            const state = create(previous);
            if (seed === 'odd') giveOddTexts(state);
            return state;
          }),
        variablesOf,
      ),
    ],
    frame,
  );

  const objectPorts: ObjectPorts = {
    folders,
    takeFaults: (points, request) => transact((state) => takeFaults(faults.of(state), points, request, options.random)),
    sleep: (milliseconds) => time.sleep(milliseconds, stopping.signal),
    // oxlint-disable-next-line berth/no-wall-clock -- a date
    time: () => clock.now(),
  };
  const answer = async (request: LocalRequest): Promise<LocalAnswer> => {
    // Loaded here: most commands with --local ask for no file.
    if (isSigned(request)) return (await import('./objects/interface.ts')).answerObjectRequest(objectPorts, request);
    const answered = await route(request);
    if (request.method === 'DELETE' && request.path.startsWith('/v2/network-volumes/')) await folders.clean();
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
      // Ignored: the next request fails with the same file error, and the next interval retries.
      return (lastSync = Promise.allSettled([workers?.sync(), containers?.sync()]).then(() => undefined));
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
        const { createWebhookSender } = await import('./workers/webhooks.ts');
        send ??= createWebhookSender({ clock, ownPort: port, allowPrivate, resolve });
        return send(url, body);
      },
      log: options.log,
      onWebhookRefused: options.onWebhookRefused,
    });
  };
  const runLoop = async (port: number): Promise<void> => {
    let hasFormerWorkers = Object.values(served).some(takesByProtocol);
    while (!stopping.signal.aborted) {
      // Until it is saved: a job could wait forever for a worker whose process does not run.
      if (hasFormerWorkers)
        hasFormerWorkers = await transact(loseAllWorkers).then(
          () => false,
          () => true,
        );
      if (!hasFormerWorkers) {
        if (workers === undefined) await startAll(port);
        await syncWorkers();
        checkedAt = clock.monotonic();
      }
      const pause = Object.keys(handlers).length > 0 ? HANDLER_INTERVAL_MS : WEBHOOK_INTERVAL_MS;
      await clock.sleep(pause, stopping.signal).catch(() => undefined);
    }
  };

  return {
    answer: async (request) => {
      const { status, headers, body } = await answer(request);
      if (request.method !== 'GET') {
        await store.flush();
        if (hasHandlers || hasDeliveries) void syncWorkers();
      }
      // oxlint-disable-next-line berth/no-wall-clock -- a date
      const date = new Date(time.now()).toUTCString();
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
      await volumesRoot.removeTemporary();
      await store.close();
    },
  };
}

export interface LocalServiceOptions extends GivenSettings {
  readonly clock: Clock;
  /** From 0 up to, but not including, 1: for faults with a probability, and ids. */
  readonly random: () => number;
  readonly store: Store;
  readonly quota?: Quota | undefined;
  readonly queueLimits: boolean;
  readonly streamShape?: StreamShape | undefined;
  /** Allows webhooks to other ports of this machine, and to private networks. */
  readonly allowPrivateWebhooks?: boolean | undefined;
  readonly resolve?: Resolve | undefined;
  /** By endpoint name. Programs run only between `start` and `stop`. */
  readonly handlers?: Readonly<Record<string, EndpointSource>> | undefined;
  readonly startProcess?: StartProcess | undefined;
  readonly workerPrefix?: string | undefined;
  readonly workerRunner?: string | undefined;
  /** Default: a temporary folder, which `stop` removes. */
  readonly volumesFolder?: string | undefined;
  /** Without it the addresses of pods are made up. */
  readonly startContainer?: StartContainer | undefined;
  readonly podsFolder?: string | undefined;
  readonly log?: ((endpointId: string, text: string) => void) | undefined;
  readonly onWebhookRefused?: ((jobId: string, reason: string) => void) | undefined;
}
