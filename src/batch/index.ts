/** Batches: many jobs from one input file. Everything outside this room imports this file only. */
export { beginBatch, checkBatch, type BatchFiles } from './begin.ts';
export { resumeBatch } from './resume.ts';
export { batchStatus } from './status.ts';
export { analyzeBatch, type BatchAnalysis } from './analysis/batch-analysis.ts';
export { EXPORT_MEMBERS, exportResults, type ExportedResults } from './export/export-results.ts';
export { writeExport } from './export/write-export.ts';
export { QUANTILE_ERROR, type DistributionSummary } from './analysis/distribution.ts';
export type { BatchPorts, BatchView } from './options.ts';
export type { BatchProgress, BatchReport, BatchStatus, BatchSummary } from './report/report.ts';
export type { ExecutionCost } from './report/cost.ts';
export type { ItemCounts } from './store/items/item-states.ts';
export type { Resubmittable } from './store/items/item-state-machine.ts';
export type { Resubmit } from './store/resubmit-items.ts';
export type { InputSummary } from './input/check-input.ts';
export { describeInvalid } from './input/item.ts';
export { LOCAL_SERVICE } from './store/journal/record.ts';
