import { asError } from '../../core/failure.ts';
import { decodeJson, encodeJson } from '../../core/json.ts';
import type { EpochMs } from '../../core/unit-types.ts';
import { type EndpointRecord, endpoints } from '../model/endpoints.ts';
import { jobDocument } from '../queue/documents.ts';
import { recordChunk, recordOutcome, recordPrinted } from '../queue/engine.ts';
import { MAX_OUTPUT_BYTES, type Outcome, outputTooLarge } from '../queue/job-output.ts';
import { type Delivery, type Job, queuesOf, workersIn } from '../queue/records.ts';
import type { State } from '../state/state.ts';
import type {
  EndpointSource,
  Environment,
  HandlerSource,
  HandlerWorker,
  StartHandlerWorker,
  Workers,
  WorkersOptions,
} from './handlers.ts';

/** A webhook is retried twice, ten seconds apart, until it is answered with 200 (contract rules, Queue API). */
const MAX_ATTEMPTS = 3;
const RETRY_MS = 10_000;

interface DueDelivery {
  readonly delivery: Delivery;
  readonly url: string;
  readonly body: string;
}

function dueDeliveries(state: State, now: EpochMs): readonly DueDelivery[] {
  return queuesOf(state)
    .deliveries.filter(({ nextAt }) => nextAt <= now)
    .flatMap((delivery) => {
      const job = queuesOf(state).jobs[delivery.jobId];
      if (job?.webhook === undefined) return [];
      return [{ delivery, url: job.webhook, body: encodeJson(jobDocument(job, now)) }];
    });
}

type DeliveryResult = 'delivered' | 'failed' | 'refused';

/** Removes it or schedules a retry. The result of an older attempt is ignored. */
function recordDelivery(state: State, attempted: Delivery, result: DeliveryResult, now: EpochMs): void {
  const queues = queuesOf(state);
  const index = queues.deliveries.findIndex((delivery) => isSameAttempt(delivery, attempted));
  if (index < 0) return;
  const attempts = attempted.attempts + 1;
  if (result !== 'failed' || attempts >= MAX_ATTEMPTS) queues.deliveries.splice(index, 1);
  else queues.deliveries[index] = { jobId: attempted.jobId, attempts, nextAt: now + RETRY_MS };
}

const isSameAttempt = (a: Delivery, b: Delivery): boolean =>
  a.jobId === b.jobId && a.attempts === b.attempts && a.nextAt === b.nextAt;

export class WebhookRefused extends Error {
  override readonly name = 'WebhookRefused';
}

export type RunnerOptions = Omit<
  WorkersOptions,
  'startProcess' | 'protocolVariablesOf' | 'startFault' | 'monotonic'
> & {
  readonly startWorker: StartHandlerWorker;
};

type DueWork = ReturnType<typeof dueWork>;
type Environments = DueWork['environments'];

interface RunningWorker {
  readonly handler: HandlerWorker;
  readonly isThread: boolean;
  attempt: string | undefined;
  readonly unrecorded: string[];
}

/** Stops a handler whose worker was removed or whose attempt no longer runs according to the state. */
export function createRunner(options: RunnerOptions): Workers {
  const sources = new Map(Object.entries(options.sources).filter(isHandlerEntry));
  const running = new Map<string, RunningWorker>();
  const background = new Set<Promise<void>>();
  const sending: Delivery[] = [];
  /** Start the next try of the steps that failed. */
  const unrecorded: (() => void)[] = [];
  /** From each worker's start: a new value of a secret reaches only later workers (additions 7). */
  let environments: Environments = new Map();
  let lastSync: Promise<void> = Promise.resolve();
  let firstError: unknown;
  let stopped = false;

  const inBackground = (work: Promise<void>): void => {
    const tracked = work
      .catch((error: unknown) => {
        firstError ??= error;
      })
      .finally(() => background.delete(tracked));
    background.add(tracked);
  };

  const syncOnce = async (): Promise<void> => {
    if (stopped) return;
    recordAgain();
    const printed = [...running].map(([workerId, { unrecorded }]) => ({ workerId, lines: unrecorded.splice(0) }));
    const due = await options.transact((state, now) => {
      for (const { workerId, lines } of printed) if (lines.length > 0) recordPrinted(state, workerId, lines, now);
      const work = dueWork(
        state,
        now,
        sources,
        (endpoint, workerId) => environments.get(workerId) ?? options.environmentOf(state, endpoint),
      );
      // Only what has not started: its end may be saved before this step, and it must not start again.
      return {
        ...work,
        starting: work.assignments.filter(({ workerId, job }) => running.get(workerId)?.attempt !== attemptKey(job)),
        deliveries: work.deliveries.filter(({ delivery }) => !sending.some((other) => isSameAttempt(other, delivery))),
      };
    });
    environments = due.environments;
    await stopOthers(due);
    for (const assignment of due.starting) inBackground(runJob(assignment));
    for (const delivery of due.deliveries) inBackground(deliver(delivery));
  };

  const stopOthers = async (due: DueWork): Promise<void> => {
    const stops: Promise<void>[] = [];
    const attempts = new Map(due.assignments.map(({ workerId, job }) => [workerId, attemptKey(job)]));
    for (const [workerId, { attempt, handler, isThread }] of running) {
      const isObsolete = attempt !== undefined && attempts.get(workerId) !== attempt;
      if (due.environments.has(workerId) && !isObsolete) continue;
      running.delete(workerId);
      const stopping = handler.stop();
      inBackground(stopping);
      // A command that ignores SIGTERM must not delay the other workers.
      if (isThread) stops.push(stopping);
    }
    await Promise.all(stops);
  };

  /** Syncs never overlap: each starts when the previous one has ended. */
  const sync = (): Promise<void> => {
    const next = lastSync.then(syncOnce);
    lastSync = next.catch(() => undefined);
    return next;
  };

  /** Retries a failed step with every sync: otherwise the same would be done once more. */
  const record = async (step: (state: State, now: EpochMs) => void): Promise<void> => {
    while (!stopped)
      try {
        await options.transact(step);
        return;
      } catch (error) {
        firstError ??= error;
        await new Promise<void>((resolve) => unrecorded.push(resolve));
      }
  };

  const recordAgain = (): void => {
    for (const again of unrecorded.splice(0)) again();
  };

  const runJob = async ({ workerId, job, source }: DueWork['assignments'][number]): Promise<void> => {
    if (source === undefined) {
      const error = `nothing serves endpoint ${job.endpointId} now: start with --endpoint ${job.endpointId}=SOURCE`;
      await options.transact((state, now) => {
        recordOutcome(state, job.id, job.attempt, { kind: 'error', error }, now);
      });
      return;
    }
    const worker = workerFor(workerId, job.endpointId, source);
    if (worker.attempt !== undefined || stopped) return;
    worker.attempt = attemptKey(job);
    let chunkCount = 0;
    const onChunk = (text: string): Promise<void> => {
      const index = chunkCount++;
      return record((state) => {
        recordChunk(state, job.id, job.attempt, index, { output: decodeJson(text), metrics: {} });
      });
    };
    try {
      const outcome = await worker.handler.run({ id: job.id, endpointId: job.endpointId, input: job.input }, onChunk);
      if (outcome === undefined) return;
      const bytes = outcome.kind === 'output' ? Buffer.byteLength(outcome.text) : 0;
      const end: Outcome = bytes > MAX_OUTPUT_BYTES ? { kind: 'error', error: outputTooLarge(bytes) } : outcome;
      await record((state, now) => {
        recordOutcome(state, job.id, job.attempt, end, now);
        // In the same step: a sync in between must not stop the handler of this attempt.
        worker.attempt = undefined;
      });
    } catch (error) {
      await worker.handler.stop();
      worker.attempt = undefined;
      throw error;
    }
    await sync();
  };

  const workerFor = (workerId: string, endpointId: string, source: HandlerSource): RunningWorker => {
    const known = running.get(workerId);
    if (known !== undefined && !known.handler.stopped) return known;
    const unrecorded: string[] = [];
    const handler = options.startWorker(source, {
      env: environments.get(workerId) ?? {},
      onLine: (line) => {
        options.log?.(endpointId, line);
        unrecorded.push(line);
      },
    });
    const worker: RunningWorker = { handler, isThread: source.kind === 'module', attempt: undefined, unrecorded };
    running.set(workerId, worker);
    return worker;
  };

  const deliver = async ({ delivery, url, body }: DueDelivery): Promise<void> => {
    sending.push(delivery);
    const result = await options.sendWebhook(url, body).then(
      (status) => (status === 200 ? 'delivered' : 'failed'),
      (error: unknown) => {
        if (!(error instanceof WebhookRefused)) return 'failed';
        options.onWebhookRefused?.(delivery.jobId, error.message);
        return 'refused';
      },
    );
    await record((state, now) => {
      recordDelivery(state, delivery, result, now);
    }).finally(() => sending.splice(sending.indexOf(delivery), 1));
  };

  return {
    sync: async () => {
      await sync();
      const failed = firstError;
      firstError = undefined;
      if (failed !== undefined) throw asError(failed);
    },
    stop: async () => {
      stopped = true;
      recordAgain();
      await lastSync;
      await Promise.all([...running.values()].map(({ handler }) => handler.stop()));
      await Promise.all(background);
    },
  };
}

function dueWork(
  state: State,
  now: EpochMs,
  sources: ReadonlyMap<string, HandlerSource>,
  environmentOf: (endpoint: EndpointRecord, workerId: string) => Environment,
) {
  const { byEndpoint, jobs } = queuesOf(state);
  const served = endpoints.all(state).filter(({ handler }) => handler === 'module');
  const workers = served.flatMap((endpoint) => {
    const queue = byEndpoint[endpoint.id];
    return queue === undefined
      ? []
      : workersIn(queue).map((worker) => ({ worker, endpoint, source: sourceOf(endpoint, sources) }));
  });
  return {
    environments: new Map(workers.map(({ worker, endpoint }) => [worker.id, environmentOf(endpoint, worker.id)])),
    assignments: workers.flatMap(({ worker, source }) => {
      const job = jobs[worker.jobIds[0] ?? ''];
      return job === undefined ? [] : [{ workerId: worker.id, job, source }];
    }),
    deliveries: dueDeliveries(state, now),
  };
}

const sourceOf = (endpoint: EndpointRecord, sources: ReadonlyMap<string, HandlerSource>): HandlerSource | undefined =>
  sources.get(endpoint.id) ?? sources.get(endpoint.name);

const isHandlerEntry = (entry: readonly [string, EndpointSource]): entry is [string, HandlerSource] =>
  entry[1].kind === 'module' || entry[1].kind === 'exec';

const attemptKey = (job: Job): string => `${job.id} ${String(job.attempt)}`;
