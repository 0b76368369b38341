import { onTestFinished } from 'vitest';
import { beginFiles, headerOf } from './begin-batch.ts';
import {
  createRecords,
  finishBatch,
  type OpenBatch,
  recoverBatch,
  type RecoverOptions,
} from '../../../src/batch/store/open-batch.ts';
import { createRequestRates } from '../../../src/batch/run/adaptive-rate.ts';
import { readItems } from '../../../src/batch/read/read-items.ts';
import type { RunOptions } from '../../../src/batch/run/run-state.ts';
import { runItems } from '../../../src/batch/run/runner.ts';
import { countItems, formatOf } from './input-format.ts';
import { createQueueClient } from '../../../src/batch/run/queue-client.ts';
import type { RateWindow } from '../../../src/core/api.ts';
import type { DurableFiles } from '../../../src/core/context.ts';
import { asId } from '../../../src/core/ids.ts';
import { createApi } from '../../../src/http/api.ts';
import { readWindows } from '../../../src/http/rate-windows.ts';
import { Ending } from '../../../src/http/transport.ts';
import { transportTo } from '../../../src/host/connection/local-transport.ts';
import { LOCAL_KEY } from '../../../src/local/http/admission.ts';
import { createLocalService } from '../../../src/local/service.ts';
import { type Job, queuesOf } from '../../../src/local/queue/records.ts';
import type { State } from '../../../src/local/state/state.ts';
import { memoryStore } from '../../../src/local/state/store.ts';
import { createAutoAdvancingClock } from '../clocks/auto-advancing-clock.ts';
import { countSubmissions } from './check-journal.ts';
import { batchApiOf } from './batch-api.ts';
import { memoryFiles, type MemoryFiles } from './memory-files.ts';

export type RunnerFixture = Awaited<ReturnType<typeof createRunnerFixture>>;

interface BeginOptions {
  readonly endpoint?: string;
  readonly ordered?: boolean;
  readonly idField?: string;
  readonly durable?: DurableFiles;
}

interface RunMore {
  readonly interrupt?: AbortSignal;
  readonly durable?: DurableFiles;
  /** Called before each request. */
  readonly before?: (method: string, path: readonly string[]) => void;
  /** Called with the number of requests in flight, each time it grows. */
  readonly onWire?: (active: number) => void;
}

interface Result {
  readonly item: number;
  readonly id?: unknown;
  readonly job?: string;
  readonly status: string;
  readonly output?: unknown;
  readonly error?: string;
}

export const OUT = 'r.jsonl';
const IN = 'items.jsonl';
const URL_OF_SERVICE = 'http://localhost';

/** Runs the batch runner against a local service without a network, with files in memory, on a clock on which requests take no time. */
export async function createRunnerFixture() {
  const clock = createAutoAdvancingClock({ inProcess: true });
  const durable = memoryFiles();
  const store = memoryStore();
  let seed = 1;
  const random = (): number => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
  const service = createLocalService({ clock, random, store, queueLimits: false });
  const transport = transportTo(service);
  onTestFinished(() => service.stop());
  const windows = { take: (_: readonly RateWindow[]): void => undefined };
  const api = createApi({
    transport,
    addresses: () => URL_OF_SERVICE,
    key: () => Promise.resolve(LOCAL_KEY),
    clock,
    random,
    signal: new AbortController().signal,
    retries: 0,
    timeoutMs: 30_000,
    userAgent: 'test',
    maxBytes: 64 * 1024 * 1024,
    onLimits: (headers) => {
      windows.take(readWindows(headers));
    },
  });
  const watched = ({ before, onWire }: RunMore): ReturnType<typeof batchApiOf> => {
    let active = 0;
    return batchApiOf(async (request) => {
      before?.(request.method, request.path);
      onWire?.((active += 1));
      try {
        return await clock.during(api.send(request));
      } finally {
        active -= 1;
      }
    });
  };
  const state = <T>(step: (state: State) => T): Promise<T> =>
    store.transact(() => {
      throw new Error('the service has received no request');
    }, step);

  /** Sends a request to a control operation, such as `POST /local/fault`. */
  const control = async (method: string, path: string, body?: unknown): Promise<void> => {
    const answer = await transport({
      ...{ method, url: URL_OF_SERVICE + path, ending: new Ending() },
      headers: { authorization: `Bearer ${LOCAL_KEY}`, 'content-type': 'application/json' },
      body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
    });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${String(answer.status)}`);
  };
  // The service creates its state with its first request.
  await control('GET', '/local/status');

  return {
    clock,
    durable,
    control,
    /** How often the service accepted each input, by its JSON text. */
    submissions: () =>
      state((current) => {
        const counts = new Map<string, number>();
        for (const { input } of Object.values<Job>(queuesOf(current).jobs))
          counts.set(input, (counts.get(input) ?? 0) + 1);
        return counts;
      }),
    /** How often the service accepted each item, by the `n` of its input. */
    taken: () => countSubmissions(store),
    /** Begins a batch over lines of input. */
    begin: async (
      lines: readonly string[],
      { endpoint = 'echo', ordered = false, idField, durable: files = durable }: BeginOptions = {},
    ) => {
      for (const lying of [durable.files, durable.synced])
        lying.set(IN, Buffer.from(lines.map((line) => `${line}\n`).join('')));
      const input = { path: IN, format: 'jsonl', ...(idField === undefined ? {} : { idField }) } as const;
      const { planned, invalid } = await countItems(readItems(durable.read(IN), formatOf(input)));
      const field = idField === undefined ? {} : { idField };
      const where = { endpoint, endpointId: endpoint, service: URL_OF_SERVICE, createdAt: clock.now() };
      const about = { ...where, input: { ...field, inputs: [] }, invalid, ordered } as const;
      return beginFiles(files, OUT, headerOf(planned, about));
    },
    resume: (resumeOptions: Partial<RecoverOptions> = {}, files: DurableFiles = durable) =>
      recoverBatch(files, OUT, resumeOptions),
    /** Runs an open batch to its end and closes it. */
    run: async (batch: OpenBatch, runOptions: Partial<RunOptions> = {}, more: RunMore = {}) => {
      const { interrupt, durable: files = durable } = more;
      const { input, endpointId } = batch.header;
      const limits = {
        concurrency: 8,
        rate: 99,
        inFlight: 100,
        maxFailures: Number.POSITIVE_INFINITY,
        maxTime: Number.POSITIVE_INFINITY,
        retryFailed: 0,
        ...runOptions,
      };
      const rates = createRequestRates(limits, 1, clock, random);
      windows.take = rates.applyWindows;
      const end = await runItems({
        records: createRecords(batch, () => clock.now()),
        options: limits,
        rates,
        items: readItems(files.read(IN), formatOf({ ...input, format: 'jsonl', path: IN })),
        client: createQueueClient(watched(more), asId(endpointId)),
        clock,
        interrupt: interrupt ?? new AbortController().signal,
      });
      const ordered = await finishBatch(files, OUT, batch, end, interrupt ?? new AbortController().signal);
      await batch.close().catch(() => undefined);
      return ordered;
    },
    /** The lines of the results file. */
    results: (files: MemoryFiles = durable) =>
      files
        .text(OUT)
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Result),
  };
}

/** Returns lines of input, each with its number as `n`. */
export const lines = (count: number, extra = ''): string[] =>
  Array.from({ length: count }, (_, at) => `{"n":${String(at + 1)}${extra}}`);
