import { readItems } from '../../batch/items.ts';
import { putInOrder, type OpenBatch } from '../../batch/batch.ts';
import type { RunOptions } from '../../batch/desk.ts';
import { KNOWN_LIMITS } from '../../batch/pace.ts';
import { runBatch, type RunEnd } from '../../batch/runner.ts';
import { createWire } from '../../batch/wire.ts';
import type { RateWindow } from '../../core/api.ts';
import type { DurableFiles } from '../../core/context.ts';
import { EXIT, type ExitCode } from '../../core/exit.ts';
import { Failure } from '../../core/failure.ts';
import type { CommandContext } from '../../cli/context.ts';
import { countOf } from '../../cli/words.ts';
import type { Result } from '../../output/view.ts';
import { meterCost } from './batch-cost.ts';
import type { PaceValues } from './batch-flags.ts';
import { followBatch, type Standing, type Trouble } from './batch-progress.ts';
import { batchStatusLine, batchView, resumeLine, summaryOf } from './batch-view.ts';

const runOptions = (values: PaceValues): RunOptions => ({
  concurrency: values.concurrency ?? 32,
  rate: values.rate ?? KNOWN_LIMITS.run.rate,
  inFlight: values.inFlight ?? 1000,
  maxFailures: values.maxFailures ?? Number.POSITIVE_INFINITY,
  timeoutMs: values.timeout ?? Number.POSITIVE_INFINITY,
  retryFailed: values.retryFailed ?? 0,
});

/**
 * Runs an open batch until it ends, and says how it stands meanwhile. The exit code is 0 where all completed, 13 where
 * some did not, 9 after --timeout, 130 or 143 after an interrupt. Fails with what stopped it: local-file (14),
 * unavailable (7), rate-limited (6), denied (3). Closes the batch.
 */
export async function driveBatch(
  ctx: CommandContext,
  durable: DurableFiles,
  path: string,
  batch: OpenBatch,
  inputPath: string,
  values: PaceValues,
): Promise<Result> {
  const began = ctx.clock.now();
  const { input, extras, endpointId, ordered } = batch.header;
  const done = new AbortController();
  let takeWindows = (_: readonly RateWindow[]): void => undefined;
  // What is on the wire is heard out after Ctrl-C; a second one ends the process.
  const onWire = new AbortController();
  const api = ctx.bulk({
    signal: onWire.signal,
    onWindows: (windows) => {
      takeWindows(windows);
    },
  });
  const before = batch.ledger.accounting();
  const cost = meterCost(ctx, endpointId, before.waiting < before.planned);
  let trouble: Trouble | undefined;
  const standing = (): Standing => ({ sum: batch.ledger.accounting(), cost: cost.soFar(), trouble });
  const following = followBatch(ctx, standing, done.signal);
  let end: RunEnd;
  try {
    end = await runBatch({
      ...batch,
      options: runOptions(values),
      items: readItems(durable.read(inputPath), { ...input, extras }),
      wire: createWire(api, endpointId),
      clock: ctx.clock,
      random: ctx.random,
      interrupt: ctx.signal,
      onReady: (take) => {
        takeWindows = take;
      },
      onExecuted: cost.ran,
      onTrouble: (failure) => {
        trouble = failure && { since: trouble?.since ?? ctx.clock.now(), says: failure.message };
      },
    });
    const ended = end.accounting.waiting + end.accounting.inFlight === 0;
    if (end.stopped?.failure === undefined && ended && (ordered || end.revived > 0))
      await putInOrder(durable, path, batch);
  } finally {
    done.abort();
    await following;
    await cost.close();
    // A journal that the disk refused cannot be closed well; that it was refused is said already.
    await batch.close().catch(() => undefined);
  }
  if (end.stopped?.reason === 'trouble') throw troubleOf(end, path);
  const spent = cost.soFar();
  const unknownItems = [...batch.ledger.items('unknown')];
  const value = summaryOf(end.accounting, {
    path,
    endpoint: batch.header.endpoint,
    input: inputPath,
    invalid: batch.header.invalid,
    unknownItems,
    others: {
      tookSeconds: (ctx.clock.now() - began) / 1000,
      executionCostUsd: spent === undefined ? null : { ...spent },
    },
  });
  return { kind: 'one', view: batchView, value, exit: exitOf(ctx, end), notes: notesOf(end, path) };
}

function exitOf(ctx: CommandContext, { accounting, stopped }: RunEnd): ExitCode {
  if (accounting.completed === accounting.planned) return EXIT.done;
  switch (stopped?.reason) {
    case 'interrupt':
      return ctx.signal.reason instanceof Failure ? ctx.signal.reason.exit : EXIT.interrupted;
    case 'timeout':
      return EXIT.waitEnded;
    case 'failures':
    case 'trouble':
    case undefined:
      return EXIT.batchIncomplete;
  }
}

function notesOf({ accounting: sum, stopped }: RunEnd, path: string): readonly string[] {
  const left = sum.waiting + sum.inFlight;
  return [
    ...(stopped?.reason === 'interrupt' ? ['Interrupted. Nothing was cancelled.'] : []),
    ...(stopped?.reason === 'timeout' ? ['The time is up. Nothing was cancelled.'] : []),
    ...(stopped?.reason === 'failures' ? ['Stopped sending: more items failed than --max-failures allows.'] : []),
    ...(sum.inFlight > 0
      ? [`${countOf(sum.inFlight, 'job')} went on at the service, which keeps results for 30 minutes.`]
      : []),
    ...(left > 0 ? [`Go on with: ${resumeLine(path)}`] : []),
    ...(sum.unknown > 0
      ? [
          `${countOf(sum.unknown, 'item')} may or may not have run. To send again, at the risk of running twice: ${resumeLine(path, '--resubmit-unknown')}`,
        ]
      : []),
    ...(left === 0 && sum.failed + sum.timedOut > 0
      ? [`To run failed ones again, within 30 minutes of their end: ${resumeLine(path, '--retry-failed', '1')}`]
      : []),
  ];
}

/** What stopped a batch, with the way on. What is no Failure is a bug, and stays one. */
function troubleOf({ stopped, unwritten, accounting }: RunEnd, path: string): unknown {
  const failure = stopped?.failure;
  if (!(failure instanceof Failure)) return failure;
  const lost = unwritten.map(({ item, job }) => `item ${String(item)} is job ${job}`).join(', ');
  return failure.with({
    message: `${failure.message}; the batch stopped with ${String(accounting.completed)} of ${String(accounting.planned)} completed`,
    hint: [
      failure.hint,
      lost === '' ? undefined : `These were taken by the service and could not be written down: ${lost}.`,
      `See how it stands: ${batchStatusLine(path)}`,
      `Then go on with: ${resumeLine(path)}`,
    ]
      .filter((line) => line !== undefined)
      .join('\n'),
  });
}
