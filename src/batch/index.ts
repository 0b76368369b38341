/**
 * Batches: many jobs from one input. Everything outside this folder imports this file only. Words of this folder:
 * - store: where batches are kept, a journal beside each results file or a PostgreSQL database (`model/store.ts`).
 * - records: what a run writes down of its items (the journal; `records` of the database), before it acts on it.
 * - driver: a process that works on a batch. A batch of files has one at a time, which holds its lock.
 * - range, shard: a part of an input that a driver claims at a time; a shard is its row in the database.
 * - lease: the time for which a driver has its shards without contact to the database.
 * - epoch: counts the drivers and the publications of a shard; what is written under an old one is refused.
 * - tenure: the time for which this process has an item; it ends when another driver takes over.
 * - part: a file or an object with published results of a shard.
 * - pace, grant: the rate that all drivers at an endpoint share, and what one of them may send in a second.
 * - retry: the service runs the same job again, with the same id.
 * - resubmit: an item is sent again as a new job, because the user asked for it.
 * - rerun: an item of which the results have two lines, after a retry or a resubmission.
 * - find: a job that the service did not have, and has after all.
 * - reopen: an item that had ended waits or is polled again.
 * - held: a shard that this driver has claimed; kept: a result that it has fetched and not published.
 */
export { withPostgresStore } from './with-postgres-store.ts';
export { createFileStore } from './stores/file/file-store.ts';
export {
  parseStoreAddress,
  serviceOf,
  type StoreAddress,
  type StoreHost,
} from './stores/postgres/database/store-address.ts';
export type { Certificates } from './stores/postgres/database/database.ts';
export type { TableAccess } from './stores/postgres/migrations.ts';
export { canDo, refuse, type StoreKind, storeKindOf } from './store-kinds.ts';
export type { Batch, BatchStatus, BatchSummary, Resubmit, ShardHolder, Store, StoredFile } from './model/store.ts';
export { beginBatch, checkBatch, type BeginOptions } from './verbs/begin.ts';
export { goOnWithBatch } from './verbs/work.ts';
export type { BatchReport } from './verbs/run-to-end.ts';
export type { BatchPorts, BatchProgress, BatchView } from './verbs/ports.ts';
export { analyzeBatch, type BatchAnalysis } from './results/report/batch-analysis.ts';
export { QUANTILE_ERROR, type DistributionSummary } from './results/report/distribution.ts';
export { EXPORT_MEMBERS, exportResults, type ExportedResults, writeExport } from './results/export-results.ts';
export type { ExecutionCost } from './verbs/cost-meter.ts';
export { type ItemCounts, itemsLeft, notCompleted, type Resubmittable } from './model/item-states.ts';
export { batchReportLine, batchStatusLine, cleanLine, resumeLine, workLine } from './model/command-lines.ts';
export { LOCAL_SERVICE } from './model/run-records.ts';
export { endingOrFailed } from './model/result-line.ts';
export type { InputSummary } from './read/batch-plan.ts';
export { describeInvalid } from './read/items/item.ts';
