import type { BatchReport } from '../../../../batch/index.ts';
import { EXIT, type ExitCode } from '../../../../core/exit-codes.ts';
import { Failure } from '../../../../core/failure.ts';
import type { CommandContext } from '../../../../cli/model/context.ts';
import type { Result } from '../../../../output/view.ts';
import { failureOf, notesOf } from './notes.ts';
import { batchView, summaryOf } from './view.ts';

/**
 * Prints the counts of a batch. The exit code is 0 when all items completed, 13 when some did not, 9 after --max-time,
 * 130 or 143 after an interrupt; that of the failure when an error stopped the batch.
 */
export function batchResult(ctx: CommandContext, report: BatchReport): Result {
  const { tookMs, cost, commonestError, resumed } = report;
  const value = summaryOf(report, {
    tookSeconds: tookMs / 1000,
    executionCostUsd: cost === undefined ? null : { ...cost },
    commonestError: commonestError === undefined ? null : { ...commonestError, sinceResume: resumed },
  });
  const result = { kind: 'one', view: batchView, value } as const;
  const failure = failureOf(report);
  // The hint of the failure says what to do next, so there are no notes.
  if (failure !== undefined) return { ...result, failure };
  return { ...result, exit: exitOf(ctx, report), notes: notesOf(ctx, report) };
}

function exitOf(ctx: CommandContext, { counts, stopped, unordered }: BatchReport): ExitCode {
  if (counts.completed === counts.planned && !unordered) return EXIT.done;
  switch (stopped?.reason) {
    case 'interrupt':
      return ctx.signal.reason instanceof Failure ? ctx.signal.reason.exit : EXIT.interrupted;
    case 'timeout':
      return EXIT.waitEnded;
    case 'failures':
    case 'cancelled':
    case 'error':
    case undefined:
      return EXIT.batchIncomplete;
  }
}
