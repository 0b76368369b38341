import { HOUR_MS } from '../../../core/durations.ts';
import type { DollarRange } from '../../../core/units.ts';
import type { BatchFilePorts, BatchHistory, BatchStatus, ResultLine } from '../../model/batch.ts';
import { readBatchResults } from '../../store/batch-results.ts';
import type { TimelineSummary } from '../../model/ends-over-time.ts';
import { decodeJson, type Json, numberAt, parsePlainJson, stringAt } from '../../../core/json.ts';
import { errorOf } from '../../model/error-text.ts';
import { endingOrFailed } from '../../model/result-line.ts';
import { textOf } from '../../read/items/item.ts';
import { createDistribution, type DistributionSummary } from './distribution.ts';
import { createFailureGroups, type FailureSummary } from './failure-groups.ts';
import type { Milliseconds } from '../../../core/unit-types.ts';

/** Everything that can be read from the files of a batch. */
export interface BatchAnalysis extends BatchStatus, ResultsAnalysis, Pick<BatchHistory, 'retried' | 'lastEndedAt'> {
  /** From the start of the batch to its last result; undefined when no end time is known. */
  readonly wallMs: Milliseconds | undefined;
  /** Average number of items that ended per second. */
  readonly perSecond: number | undefined;
  readonly timeline: TimelineSummary | undefined;
  /** What the execution time costs, without idle and starting workers; undefined when no price is known. */
  readonly cost: DollarRange | undefined;
}

/**
 * Reads a batch, whether it has ended, runs or was killed. Sends nothing, and changes nothing. Fails as `readBatchResults`
 * does.
 */
export async function analyzeBatch(ports: BatchFilePorts, results: string): Promise<BatchAnalysis> {
  const stored = await readBatchResults(ports, results);
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

/** Significant digits of an amount; further digits are rounding errors. */
const SIGNIFICANT_DIGITS = 12;

/** Returns the cost of an execution time in milliseconds, at a price per hour. */
export function executionCost(perHour: DollarRange, milliseconds: number): DollarRange {
  const cost = (dollars: number): number =>
    Number(((dollars * milliseconds) / HOUR_MS).toPrecision(SIGNIFICANT_DIGITS));
  return { low: cost(perHour.low), high: cost(perHour.high) };
}

/** What the results of a batch show. Times are milliseconds as the service reports them. */
interface ResultsAnalysis {
  /** From the submission of a job to its start. */
  readonly delay: DistributionSummary | undefined;
  /** The time that a job ran on a worker. */
  readonly execution: DistributionSummary | undefined;
  /** Execution time of all jobs together; undefined when no job reports one. */
  readonly executionMs: Milliseconds | undefined;
  readonly failures: FailureSummary;
}

/** Adds up results, without keeping them in memory. Fails as reading them does. */
async function analyzeResults(groups: AsyncIterable<Iterable<ResultLine>>): Promise<ResultsAnalysis> {
  const [delay, execution, failures] = [createDistribution(), createDistribution(), createFailureGroups()];
  let executionMs: Milliseconds | undefined;
  const add = (item: number, result: Json): void => {
    const [delayMs, ranMs] = [numberAt(result, 'delayTime'), numberAt(result, 'executionTime')];
    if (delayMs !== undefined) delay.add(delayMs);
    if (ranMs !== undefined && ranMs >= 0) {
      execution.add(ranMs);
      executionMs = (executionMs ?? 0) + ranMs;
    }
    const state = endingOrFailed(result);
    if (state !== 'completed') failures.add(state, { item, job: stringAt(result, 'job'), error: errorOf(result) });
  };
  for await (const lines of groups) for (const { item, bytes } of lines) add(item, parseResult(bytes));
  return { delay: delay.summary(), execution: execution.summary(), executionMs, failures: failures.summary() };
}

/** The numbers need not be exact here. */
function parseResult(bytes: Uint8Array): Json {
  const text = textOf(bytes);
  try {
    return parsePlainJson(text);
  } catch {
    // Nested too deeply for the parser of the engine.
    return decodeJson(text);
  }
}
