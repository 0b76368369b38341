import type { DollarRange } from '../../../core/units.ts';
import type { Batch, BatchStatus } from '../../model/store.ts';
import type { TimelineSummary } from '../../model/timeline.ts';
import { executionCost } from '../report/cost.ts';
import { analyzeResults, type ResultsAnalysis } from './analyze-results.ts';

/** Everything that can be read from the store of a batch. */
export interface BatchAnalysis extends BatchStatus, ResultsAnalysis {
  /** How often the service ran a job again. */
  readonly retried: number;
  /** From the start of the batch to its last result, in milliseconds; undefined when no end time is known. */
  readonly wallMs: number | undefined;
  /** Milliseconds since the epoch. */
  readonly lastEndedAt: number | undefined;
  /** Average number of items that ended per second. */
  readonly perSecond: number | undefined;
  readonly timeline: TimelineSummary | undefined;
  /** What the execution time costs, without idle and starting workers; undefined when no price is known. */
  readonly cost: DollarRange | undefined;
}

/**
 * Reads what a store has of a batch, whether it has ended, runs or was killed. Sends nothing, and changes nothing. Fails as
 * `Batch.read` does.
 */
export async function analyzeBatch(batch: Batch): Promise<BatchAnalysis> {
  const stored = await batch.read();
  const { status, history } = stored;
  const analysis = await analyzeResults(stored.lines('as-stored'));
  const { counts, begunAt } = status;
  const { lastEndedAt, workerPrice, retried, timeline } = history;
  const ended = counts.planned - counts.waiting - counts.inFlight - counts.unknown;
  // The wall clock may have been set back since the start.
  const wallMs = lastEndedAt === undefined ? undefined : Math.max(0, lastEndedAt - begunAt);
  const hasCost = workerPrice !== undefined && analysis.executionMs !== undefined;
  return {
    ...status,
    ...analysis,
    retried,
    wallMs,
    lastEndedAt,
    perSecond: wallMs === undefined || wallMs === 0 ? undefined : (ended / wallMs) * 1000,
    timeline: timeline.summary(),
    cost: hasCost ? executionCost(workerPrice, analysis.executionMs) : undefined,
  };
}
