/** Batches: many jobs from one input file. Everything outside this room imports this file only. */
export { beginBatch, checkBatch } from './begin-batch.ts';
export type { BatchFiles } from './resolve-input.ts';
export { resumeBatch } from './resume-batch.ts';
export { batchStatus } from './read-status.ts';
export { analyzeBatch, type BatchAnalysis } from './analysis/batch-analysis.ts';
export { EXPORT_MEMBERS, exportResults, type ExportedResults } from './export/export-results.ts';
export { fetchOutputs, type FetchSummary } from './outputs/fetch-outputs.ts';
export { writeExport } from './export/replace-export-file.ts';
export { QUANTILE_ERROR, type DistributionSummary } from './analysis/distribution.ts';
export type { BatchPorts, BatchView } from './caller-interface.ts';
export type { BatchProgress, BatchReport, BatchStatus, BatchSummary } from './report/report-types.ts';
export type { ExecutionCost } from './report/cost.ts';
export type { ItemCounts } from './store/items/item-states.ts';
export type { Resubmittable } from './store/items/item-state-machine.ts';
export type { Resubmit } from './store/resubmit-items.ts';
export type { InputSummary } from './input/check-input.ts';
export { describeInvalid } from './input/item.ts';
export { LOCAL_SERVICE } from './store/journal/record.ts';
