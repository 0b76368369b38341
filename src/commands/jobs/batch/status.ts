import { sentence } from '../../../core/message.ts';
import { analyzeBatch, batchStatus, type BatchAnalysis, type BatchStatus } from '../../../batch/index.ts';
import type { DurableFiles } from '../../../core/context.ts';
import { EXIT } from '../../../core/exit-codes.ts';
import { Failure } from '../../../core/failure.ts';
import { memberAt, type JsonObject } from '../../../core/json.ts';
import type { CommandContext } from '../../../cli/context.ts';
import type { Result, View } from '../../../output/view.ts';
import { resumeLine } from './command-lines.ts';
import type { StatusValues } from './flags.ts';
import { reportDocument } from './report/document.ts';
import { failuresOf, quantilesOf } from './report/members.ts';
import { usesStore } from './uses-store.ts';
import { batchView, summaryOf } from './view.ts';

/**
 * Shows the state of a batch from its files. Fails with local-file (14) when the journal is broken; results that are not
 * what the journal records are a note, because the counts are in the journal.
 */
export async function status(ctx: CommandContext, values: StatusValues): Promise<Result> {
  if (usesStore(ctx, values.store)) return await (await import('./shared/status.ts')).statusShared(ctx, values);
  const durable = await ctx.durable();
  const { batch, analysis, problem } = await readBatch(durable, values.results, ctx.signal);
  const { reference, counts, resumable, onLocalService, begunAt } = batch;
  const incomplete = counts.completed !== counts.planned;
  return {
    kind: 'one',
    view: statusView,
    value: summaryOf(batch, {
      ...stateMembers(batch),
      begun: new Date(begunAt).toISOString(),
      ...(analysis === undefined ? {} : resultMembers(analysis)),
    }),
    exit: values.exitStatus && incomplete ? EXIT.batchIncomplete : EXIT.done,
    notes: [
      ...(problem === undefined ? [] : [problem]),
      ...(batch.holder === undefined && resumable
        ? [sentence`Go on with: ${resumeLine(onLocalService, reference)}`]
        : []),
    ],
  };
}

interface ReadBatch {
  readonly batch: BatchStatus;
  readonly analysis?: BatchAnalysis;
  /** Why the results could not be read. */
  readonly problem?: string;
}

async function readBatch(durable: DurableFiles, results: string, signal: AbortSignal): Promise<ReadBatch> {
  try {
    const analysis = await analyzeBatch(durable, results, signal);
    return { batch: analysis, analysis };
  } catch (error) {
    if (!(error instanceof Failure) || error.exit !== EXIT.localFile) throw error;
    // Fails in the same way when the journal is the cause.
    return { batch: await batchStatus(durable, results), problem: error.message };
  }
}

/** `pid` and `host` are those of the process that works on the batch. */
const stateMembers = ({ state, holder, unordered }: BatchStatus): JsonObject => ({
  state,
  ...(holder === undefined ? {} : { pid: holder.pid, host: holder.host }),
  ...(unordered ? { unordered } : {}),
});

/** Groups of errors that the status names; the report has all. */
const MAX_ERRORS = 3;

/** What `run` tells at its end: times, cost, and the commonest errors. */
function resultMembers(analysis: BatchAnalysis): JsonObject {
  const { wallSeconds, executionCostUsd, executionMs, delayMs } = reportDocument(analysis);
  return {
    wallSeconds,
    executionCostUsd,
    executionMs: withoutBins(executionMs),
    delayMs: withoutBins(delayMs),
    commonestErrors: analysis.failures.groups
      .slice(0, MAX_ERRORS)
      .map(({ pattern, state, count }) => ({ pattern, state, count })),
  };
}

const withoutBins = (times: JsonObject[string]): JsonObject[string] =>
  isTimes(times) ? Object.fromEntries(Object.entries(times).filter(([name]) => name !== 'bins')) : null;

const isTimes = (times: JsonObject[string]): times is JsonObject => memberAt(times, 'count') !== undefined;

const statusView: View = {
  ...batchView,
  detail: (row, facts) => {
    const [about, counts] = batchView.detail?.(row, facts) ?? [];
    const times = (label: string, path: string) => {
      const value = quantilesOf(row, path);
      return value === undefined ? [] : [{ label, value }];
    };
    return [
      {
        lines: [...(about?.lines ?? []), ...times('execution time', 'executionMs'), ...times('delay', 'delayMs')],
      },
      { lines: counts?.lines ?? [] },
      {
        lines: failuresOf(row, 'commonestErrors').map(({ pattern, count }) => ({
          label: 'error',
          value: { text: `${String(count)} × ${pattern}`, tone: 'bad' },
        })),
      },
    ];
  },
};
