/**
 * Batches: many jobs from one input. Everything outside this folder imports this file only. Words of this folder:
 * - records: what a run writes down of its items, in the journal beside the results, before it acts on it.
 * - retry: the service runs the same job again, with the same id.
 * - resubmit: an item is sent again as a new job, because the user asked for it.
 */
export {
  batchStatusLine,
  type BatchSettings,
  type BatchStatus,
  type BatchSummary,
  LOCAL_SERVICE,
  parseShard,
  resumeLine,
} from './model/batch.ts';
export { type ItemCounts, itemsLeft, type Resubmittable } from './model/item-states.ts';
export { endingOrFailed } from './model/result-line.ts';
export type { InputSummary } from './read/inputs.ts';
export { describeInvalid } from './read/items.ts';
export { analyzeBatch, type BatchAnalysis, type DistributionSummary, QUANTILE_ERROR } from './results/analysis.ts';
export { EXPORT_MEMBERS, exportResults, writeExport } from './results/export-results.ts';
export { readStatus, sumOf } from './store/batch-results.ts';
export { beginBatch, checkBatch, resumeBatch } from './verbs/begin.ts';
export type { ExecutionCost } from './verbs/cost-meter.ts';
export type { BatchPorts, BatchProgress, BatchReport, BatchView } from './verbs/run-to-end.ts';
