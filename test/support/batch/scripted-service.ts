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
import { formatOf } from './input-format.ts';
import type { RunOptions } from '../../../src/batch/run/run-state.ts';
import { runItems } from '../../../src/batch/run/runner.ts';
import { createQueueClient } from '../../../src/batch/run/queue-client.ts';
import type { ApiRequest } from '../../../src/core/api.ts';
import type { DurableFiles } from '../../../src/core/context.ts';
import { asId } from '../../../src/core/ids.ts';
import { EXIT } from '../../../src/core/exit-codes.ts';
import { Failure } from '../../../src/core/failure.ts';
import type { Json } from '../../../src/core/json.ts';
import { type AutoAdvancingClock, createAutoAdvancingClock } from '../clocks/auto-advancing-clock.ts';
import { lines, OUT } from './runner-fixture.ts';
import { batchApiOf } from './batch-api.ts';
import { memoryFiles } from './memory-files.ts';

/** A request to a scripted service. */
export interface ScriptedRequest {
  readonly operation: 'run' | 'status' | 'retry';
  /** For `run` the number in the input, otherwise the number in the id of the job. */
  readonly n: number;
  readonly job: string;
  /** Milliseconds on the clock. */
  readonly at: number;
}

/**
 * Runs a batch against a function that answers each request or throws its Failure, to test answers that the local service never
 * gives. `beforeSync` delays the syncs of the disk.
 */
export async function createScriptedService(
  count: number,
  answer: (asked: ScriptedRequest) => Json,
  beforeSync: (path: string, clock: AutoAdvancingClock) => Promise<void> = async () => undefined,
) {
  const clock = createAutoAdvancingClock({ inProcess: true });
  const files = memoryFiles();
  const slow: DurableFiles = {
    ...files,
    open: async (name) => {
      const file = await files.open(name);
      const sync = async (): Promise<void> => {
        await beforeSync(name, clock);
        await file.sync();
      };
      return { ...file, sync };
    },
  };
  const path = 'items.jsonl';
  for (const lying of [files.files, files.synced]) lying.set(path, Buffer.from(`${lines(count).join('\n')}\n`));
  const input = { path, format: 'jsonl' } as const;
  const batch = await beginFiles(slow, OUT, headerOf(count, { createdAt: clock.now() }));
  const asked: ScriptedRequest[] = [];
  const send = async (request: ApiRequest) => {
    const one = parseRequest(request, clock.now());
    asked.push(one);
    await clock.during(new Promise(setImmediate));
    return { status: 200, headers: {}, text: '', value: answer(one) };
  };
  return {
    clock,
    files,
    /** Every request, in the order of sending. */
    asked,
    batch,
    resume: (options: Partial<RecoverOptions> = {}) => recoverBatch(slow, OUT, options),
    /** Runs an open batch; it is closed by whoever resumes it. Five hours on the clock are the most it may take. */
    run: async (open: OpenBatch, options: Partial<RunOptions> = {}, interrupt = new AbortController().signal) => {
      const limits = {
        concurrency: 8,
        rate: 99,
        inFlight: 100,
        maxFailures: Number.POSITIVE_INFINITY,
        maxTime: 5 * 3_600_000,
        retryFailed: 0,
        ...options,
      };
      const end = await runItems({
        records: createRecords(open, () => clock.now()),
        options: limits,
        rates: createRequestRates(limits, 1, clock, () => 0.5),
        items: readItems(files.read(path), formatOf(input)),
        client: createQueueClient(batchApiOf(send), asId('echo')),
        clock,
        interrupt,
      });
      return finishBatch(slow, OUT, open, end, interrupt);
    },
  };
}

function parseRequest({ path, body }: ApiRequest, at: number): ScriptedRequest {
  const [, , operation = '', job = ''] = path;
  const raw = (body as { readonly raw: Uint8Array } | undefined)?.raw;
  const sent = raw === undefined ? undefined : (JSON.parse(Buffer.from(raw).toString()) as { input: { n: number } });
  return { operation: operation as ScriptedRequest['operation'], n: sent?.input.n ?? Number(job.slice(1)), job, at };
}

export const accepted = ({ n }: ScriptedRequest): Json => ({ id: `j${String(n)}`, status: 'IN_QUEUE' });
export const completed = ({ job }: ScriptedRequest): Json => ({
  id: job,
  status: 'COMPLETED',
  delayTime: 1,
  executionTime: 5,
});
export const failed = ({ job }: ScriptedRequest): Json => ({ id: job, status: 'FAILED', error: 'no' });

/** Answers as a service that keeps its contract: every job is accepted and completes at once. */
export const answerNormally = (asked: ScriptedRequest): Json =>
  asked.operation === 'run' ? accepted(asked) : completed(asked);

export const failureWith = (exit: Failure['exit'], retryAfter?: number): Failure =>
  new Failure({ code: 'trouble', exit, message: 'trouble', ...(retryAfter === undefined ? {} : { retryAfter }) });
export const unreachable = (): Failure => failureWith(EXIT.unavailable);
