import { endpoints } from '../model/endpoints.ts';
import { loseAllWorkers, recordPrinted, recordWorkerExit, refuseWaitingJobs } from '../queue/engine.ts';
import { type ManagedWorker, managedWorkers } from '../queue/workers.ts';
import { queueOf } from '../queue/records.ts';
import type { State } from '../state/state.ts';
import {
  describeEnd,
  type EndpointSource,
  type Environment,
  type ProcessEnd,
  type RunningProcess,
  type StartProcess,
  type Workers,
  type WorkersOptions,
} from './handlers.ts';
import { createPrintedStreams, type PrintedStreams } from './printed-lines.ts';

type CommandSource = Extract<EndpointSource, { readonly kind: 'command' }>;

interface Wanted extends ManagedWorker {
  readonly isReady: boolean;
  /** Undefined when it runs already, or nothing serves its endpoint. */
  readonly start: { readonly source: CommandSource; readonly env: Environment } | undefined;
}

interface Supervised {
  readonly endpointId: string;
  readonly source: CommandSource;
  readonly process: RunningProcess;
  readonly printed: PrintedStreams;
  readonly unrecorded: string[];
  isReady: boolean;
  isStopping: boolean;
  end: ProcessEnd | undefined;
}

const STARTING = { isReady: false, isStopping: false, end: undefined };

/** The exit code of berth's worker for a Python file that serves no job: see workers/berth_worker.py. */
const NO_WORKER_EXIT = 78;

/** Undefined while that is not known. Only berth's own worker says why. */
const refusalOf = ({ source, isReady, end, printed }: Supervised): string | undefined =>
  end?.code === NO_WORKER_EXIT && !isReady && typeof source.command !== 'string' ? printed.tail().at(-1) : undefined;

export function createSupervisor(options: WorkersOptions, startProcess: StartProcess): Workers {
  const log = options.log ?? (() => undefined);
  const running = new Map<string, Supervised>();
  /** On the service's clock: immediately, or later because of a fault. */
  const startTimes = new Map<string, number>();
  let lastSync: Promise<void> = Promise.resolve();
  let stopped = false;

  const step = (state: State, now: number): readonly Wanted[] => {
    for (const [workerId, worker] of running) {
      const lines = worker.unrecorded.splice(0);
      if (lines.length > 0) recordPrinted(state, workerId, lines, now);
      const refusal = refusalOf(worker);
      if (refusal !== undefined) refuseWaitingJobs(state, worker.endpointId, refusal, now);
      if (worker.end !== undefined)
        recordWorkerExit(state, worker.endpointId, workerId, `the process ${describeEnd(worker.end)}`, now);
    }
    for (const worker of managedWorkers(state)) if (!running.has(worker.workerId)) decideStart(state, worker, now);
    return managedWorkers(state).map((worker) => ({
      ...worker,
      isReady: queueOf(state, worker.endpointId).workers[worker.workerId]?.status !== 'INITIALIZING',
      start: (startTimes.get(worker.workerId) ?? Infinity) <= now ? startOf(state, worker) : undefined,
    }));
  };

  const decideStart = (state: State, worker: ManagedWorker, now: number): void => {
    const { workerId, endpointId } = worker;
    if (startTimes.has(workerId)) return;
    const fault = options.startFault(state, worker);
    if (fault === 'failed') {
      const error = 'its start failed (an injected fault)';
      recordWorkerExit(state, endpointId, workerId, error, now);
      log(endpointId, `(worker ${workerId}: ${error})`);
    } else startTimes.set(workerId, now + fault);
  };

  const startOf = (state: State, { endpointId, workerId }: ManagedWorker): Wanted['start'] => {
    const endpoint = endpoints.get(state, endpointId);
    const source = options.sources[endpointId] ?? options.sources[endpoint?.name ?? ''];
    if (endpoint === undefined || source?.kind !== 'command') return undefined;
    const env = {
      PYTHONUNBUFFERED: '1',
      ...options.environmentOf(state, endpoint),
      ...options.protocolVariablesOf(state, endpointId, workerId),
    };
    return { source, env };
  };

  const syncOnce = async (): Promise<void> => {
    if (stopped) return;
    const ended = [...running].filter(([, worker]) => worker.end !== undefined);
    const wanted = await options.transact(step);
    for (const [workerId] of ended) running.delete(workerId);
    const wantedIds = new Set(wanted.map(({ workerId }) => workerId));
    for (const [workerId, worker] of running)
      if (!wantedIds.has(workerId)) {
        worker.isStopping = true;
        void worker.process.stop();
      }
    for (const workerId of startTimes.keys()) if (!wantedIds.has(workerId)) startTimes.delete(workerId);
    for (const worker of wanted) {
      const process = running.get(worker.workerId);
      if (worker.isReady && process !== undefined) process.isReady = true;
      if (worker.isKilled) process?.process.kill();
      if (worker.start !== undefined) start(worker, worker.start);
    }
  };

  const sync = (): Promise<void> => {
    const next = lastSync.then(syncOnce);
    lastSync = next.catch(() => undefined);
    return next;
  };

  const start = ({ workerId, endpointId }: Wanted, { source, env }: NonNullable<Wanted['start']>): void => {
    const unrecorded: string[] = [];
    const printed = createPrintedStreams(options.monotonic, (line) => {
      unrecorded.push(line);
      log(endpointId, line);
    });
    const process = startProcess({
      ...source,
      env,
      onStdout: asText(printed.stdout),
      onStderr: printed.stderr,
    });
    const worker: Supervised = { endpointId, source, process, printed, unrecorded, ...STARTING };
    startTimes.delete(workerId);
    running.set(workerId, worker);
    void process.ended.then(async (end) => {
      printed.end();
      // The jobs that it requested last are in the state only after a step.
      await sync().catch(() => undefined);
      worker.end = end;
      const isDone = worker.isReady && end.code === 0;
      const when = worker.isReady ? '' : ' before it asked for a job';
      if (!worker.isStopping && !stopped && !isDone) log(endpointId, `(worker ${workerId} ${describeEnd(end)}${when})`);
      await sync().catch(() => undefined);
    });
  };

  return {
    sync,
    stop: async () => {
      stopped = true;
      await lastSync;
      await Promise.all([...running.values()].map(({ process }) => process.stop()));
      await options.transact(loseAllWorkers);
    },
  };
}

/** For UTF-8 in pieces: invalid bytes become U+FFFD; an incomplete character at the end is dropped. */
export function asText(onText: (text: string) => void): (bytes: Uint8Array) => void {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return (bytes) => {
    onText(decoder.decode(bytes, { stream: true }));
  };
}
