import type { DurableFiles } from '../../../core/context.ts';
import { decodeJson, memberOf, numberOf, stringOf, type Json } from '../../../core/json.ts';
import type { ItemState } from '../../stores/items/item-state-machine.ts';
import { errorOf } from '../../stores/items/error-text.ts';
import { storedResults, type ResultsSource } from '../../stores/file/results/stored-results.ts';
import { createDistribution, type DistributionSummary } from './distribution.ts';
import { createFailureGroups, type FailureSummary } from './failure-groups.ts';

/** What the results of a batch show. Times are milliseconds as the service reports them. */
export interface ResultsAnalysis {
  /** From the submission of a job to its start. */
  readonly delay: DistributionSummary | undefined;
  /** The time that a job ran on a worker. */
  readonly execution: DistributionSummary | undefined;
  /** Execution time of all jobs together; undefined when no job reports one. */
  readonly executionMs: number | undefined;
  readonly failures: FailureSummary;
}

/** Reads the results once, without keeping them in memory. Fails as reading does, and with the signal's reason. */
export async function analyzeResults(
  durable: DurableFiles,
  source: ResultsSource,
  signal?: AbortSignal,
): Promise<ResultsAnalysis> {
  const analyzer = createAnalyzer();
  for await (const results of storedResults(durable, source, signal))
    for (const { item, bytes } of results) analyzer.add(item, parseResult(bytes), source.states.stateOf(item));
  return analyzer.summary();
}

/** Adds up results one by one. */
export interface Analyzer {
  readonly add: (item: number, result: Json, state: ItemState) => void;
  readonly summary: () => ResultsAnalysis;
}

export function createAnalyzer(): Analyzer {
  const [delay, execution, failures] = [createDistribution(), createDistribution(), createFailureGroups()];
  let executionMs: number | undefined;
  return {
    add: (item, result, state) => {
      const [delayMs, ranMs] = [numberOf(memberOf(result, 'delayTime')), numberOf(memberOf(result, 'executionTime'))];
      if (delayMs !== undefined) delay.add(delayMs);
      if (ranMs !== undefined && ranMs >= 0) {
        execution.add(ranMs);
        executionMs = (executionMs ?? 0) + ranMs;
      }
      if (state !== 'completed')
        failures.add(state, { item, job: stringOf(memberOf(result, 'job')), error: errorOf(result) });
    },
    summary: () => ({
      delay: delay.summary(),
      execution: execution.summary(),
      executionMs,
      failures: failures.summary(),
    }),
  };
}

/** The numbers need not be exact here, and `JSON.parse` is many times faster than `decodeJson`. */
export function parseResult(bytes: Uint8Array): Json {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  try {
    return JSON.parse(text) as Json;
  } catch {
    // Nested too deeply for `JSON.parse`.
    return decodeJson(text);
  }
}
