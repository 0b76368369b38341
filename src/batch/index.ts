/**
 * Batches: many jobs from one input. Everything outside this folder imports this file only. Words of this folder:
 * - records: what a run writes down of its items, in the journal beside the results, before it acts on it.
 * - retry: the service runs the same job again, with the same id.
 * - resubmit: an item is sent again as a new job, because the user asked for it.
 * - rerun: an item of which the results have two lines, after a retry or a resubmission.
 */
export type { BatchSettings, BatchStatus, BatchSummary, Resubmit } from './model/batch.ts';
export { beginBatch, checkBatch } from './verbs/begin.ts';
export { resumeBatch } from './verbs/resume.ts';
export { readStatus } from './store/batch-results.ts';
export type { BatchReport } from './verbs/run-to-end.ts';
export type { BatchPorts, BatchProgress, BatchView } from './verbs/ports.ts';
export { analyzeBatch, type BatchAnalysis } from './results/analysis.ts';
export { QUANTILE_ERROR, type DistributionSummary } from './results/analysis.ts';
export { sumOf } from './results/shards.ts';
export { EXPORT_MEMBERS, exportResults, writeExport } from './results/export-results.ts';
export type { ExecutionCost } from './verbs/cost-meter.ts';
export { type ItemCounts, itemsLeft, type Resubmittable } from './model/item-states.ts';
export { batchStatusLine, resumeLine } from './model/command-lines.ts';
export { LOCAL_SERVICE } from './model/run-end.ts';
export { endingOrFailed } from './model/result-line.ts';
export type { InputSummary } from './read/check-inputs.ts';
export { describeInvalid } from './read/items.ts';
export { parseShard } from './model/shard.ts';
