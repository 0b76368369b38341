import { decodeJson, memberOf, numberOf, stringOf, type Json } from '../../../core/json.ts';
import type { ResultLine } from '../../model/store.ts';
import { errorOf } from '../../model/error-text.ts';
import { stateOf } from '../../model/result-state.ts';
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

/** Adds up results, without keeping them in memory. Fails as reading them does. */
export async function analyzeResults(groups: AsyncIterable<Iterable<ResultLine>>): Promise<ResultsAnalysis> {
  const [delay, execution, failures] = [createDistribution(), createDistribution(), createFailureGroups()];
  let executionMs: number | undefined;
  const add = (item: number, result: Json): void => {
    const [delayMs, ranMs] = [numberOf(memberOf(result, 'delayTime')), numberOf(memberOf(result, 'executionTime'))];
    if (delayMs !== undefined) delay.add(delayMs);
    if (ranMs !== undefined && ranMs >= 0) {
      execution.add(ranMs);
      executionMs = (executionMs ?? 0) + ranMs;
    }
    const state = stateOf(result);
    if (state !== 'completed')
      failures.add(state, { item, job: stringOf(memberOf(result, 'job')), error: errorOf(result) });
  };
  for await (const lines of groups) for (const { item, bytes } of lines) add(item, parseResult(bytes));
  return { delay: delay.summary(), execution: execution.summary(), executionMs, failures: failures.summary() };
}

/** The numbers need not be exact here, and `JSON.parse` is many times faster than `decodeJson`. */
function parseResult(bytes: Uint8Array): Json {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  try {
    return JSON.parse(text) as Json;
  } catch {
    // Nested too deeply for `JSON.parse`.
    return decodeJson(text);
  }
}
