import { unchanged, type Fingerprint } from './input/fingerprint.ts';
import { readItems } from './input/read-items.ts';
import { finishBatch, type OpenBatch } from './store/open-batch.ts';
import type { RunOptions } from './run/run-state.ts';
import type { Ledger } from './store/items/item-states.ts';
import { KNOWN_LIMITS } from './run/send-rate.ts';
import { runBatch, type RunEnd } from './run/runner.ts';
import { createWire } from './run/queue-client.ts';
import type { RateWindow } from '../core/api.ts';
import type { DurableFiles } from '../core/context.ts';
import type { CommandContext } from '../cli/context.ts';
import type { Result } from '../output/view.ts';
import { meterCost } from '../commands/jobs/batch/worker-price.ts';
import {
  exitOf,
  givenUp,
  hearingOut,
  isResumed,
  notesOf,
  troubleOf,
  type Driven,
} from '../commands/jobs/batch/notes.ts';
import type { PaceValues } from '../commands/jobs/batch/flags.ts';
import { createHealth } from './report/request-health.ts';
import { followBatch, type Standing } from '../commands/jobs/batch/progress.ts';
import { createTally } from './report/error-tally.ts';
import { batchView, summaryOf } from '../commands/jobs/batch/view.ts';

const MOST_IN_FLIGHT = 1000;
/** With --max-failures: jobs that go out before any has shown what becomes of it. */
const FIRST_IN_FLIGHT = 10;

function runOptions(values: PaceValues, ledger: Ledger): RunOptions {
  const { maxFailures } = values;
  return {
    concurrency: values.concurrency ?? 32,
    rate: values.rate ?? KNOWN_LIMITS.run.rate,
    get inFlight() {
      if (values.inFlight !== undefined || maxFailures === undefined) return values.inFlight ?? MOST_IN_FLIGHT;
      // All that are out when the limit is passed still run: as many as have gone well are risked again.
      return Math.min(MOST_IN_FLIGHT, Math.max(FIRST_IN_FLIGHT, maxFailures + 1, ledger.count('completed')));
    },
    maxFailures: maxFailures ?? Number.POSITIVE_INFINITY,
    timeoutMs: values.maxTime ?? Number.POSITIVE_INFINITY,
    retryFailed: values.retryFailed ?? 0,
  };
}

/** Where the input of a batch lies, and what it was when it was checked. */
export interface BatchInput {
  readonly path: string;
  readonly fingerprint: Fingerprint;
}

/**
 * Runs an open batch until it ends, and says how it stands meanwhile. The exit code is 0 where all completed, 13 where
 * some did not, 9 after --max-time, 130 or 143 after an interrupt. What stopped it otherwise is the result's failure:
 * local-file (14), unavailable (7), unknown (8), rate-limited (6), denied (3). Closes the batch.
 */
export async function driveBatch(
  ctx: CommandContext,
  durable: DurableFiles,
  path: string,
  batch: OpenBatch,
  input: BatchInput,
  values: PaceValues,
): Promise<Result> {
  const began = ctx.clock.monotonic();
  const { input: shape, extras, endpointId } = batch.header;
  const done = new AbortController();
  let takeWindows = (_: readonly RateWindow[]): void => undefined;
  // What is on the wire is heard out after Ctrl-C; a second one gives it up, and a third one ends the process.
  const onWire = new AbortController();
  const api = ctx.batchApi({
    signal: onWire.signal,
    onWindows: (windows) => {
      takeWindows(windows);
    },
  });
  const before = batch.ledger.accounting();
  const resumed = isResumed(before);
  const cost = meterCost(ctx, endpointId, resumed);
  const tally = createTally();
  const health = createHealth();
  const standing = (): Standing => ({ sum: batch.ledger.accounting(), cost: cost.soFar(), trouble: health.trouble() });
  const wire = createWire(api, endpointId);
  const onInterrupt = (): void => {
    if (ctx.terminal.errors && wire.underWay > 0) void ctx.tell(hearingOut(wire.underWay));
  };
  ctx.signal.addEventListener('abort', onInterrupt, { once: true });
  const forgetSecond = ctx.onSecondInterrupt(() => {
    onWire.abort(givenUp());
  });
  const following = followBatch(ctx, standing, done.signal);
  let end: RunEnd;
  try {
    end = await runBatch({
      ...batch,
      options: runOptions(values, batch.ledger),
      items: readItems(unchanged(durable.read(input.path), input.fingerprint, input.path), { ...shape, extras }),
      wire,
      clock: ctx.clock,
      random: ctx.random,
      interrupt: ctx.signal,
      onReady: (take) => {
        takeWindows = take;
      },
      onExecuted: cost.ran,
      onEnded: tally.ended,
      onUnretried: tally.unretried,
      onRequest: (failure) => {
        health.request(failure, ctx.clock.monotonic());
      },
      onLost: tally.lost,
    });
    end = await finishBatch(durable, path, batch, end, ctx.signal);
  } finally {
    ctx.signal.removeEventListener('abort', onInterrupt);
    forgetSecond();
    done.abort();
    await following;
    await cost.close();
    // A journal that the disk refused cannot be closed well; that it was refused is said already.
    await batch.close().catch(() => undefined);
  }
  const spent = cost.soFar();
  const commonest = tally.commonest();
  const unknownItems = [...batch.ledger.items('unknown')];
  const value = summaryOf(end.accounting, {
    path,
    endpoint: batch.header.endpoint,
    input: input.path,
    invalid: batch.header.invalid,
    unknownItems,
    others: {
      tookSeconds: (ctx.clock.monotonic() - began) / 1000,
      executionCostUsd: spent === undefined ? null : { ...spent },
      commonestError: commonest === undefined ? null : { ...commonest, sinceResume: resumed },
    },
  });
  const driven: Driven = {
    path,
    inputPath: input.path,
    batch,
    end,
    tally,
    health,
    before,
    retried: (values.retryFailed ?? 0) > 0,
  };
  const result = { kind: 'one', view: batchView, value } as const;
  const failure = troubleOf(driven);
  // What stopped it says the way on; the counts are printed all the same.
  if (failure !== undefined) return { ...result, failure };
  return { ...result, exit: exitOf(ctx, end), notes: notesOf(ctx, driven) };
}
