/** Batches that several drivers share: the second entrance to the batches, loaded only where a store is used. */
export { findBatch, setCancelled } from '../stores/postgres/rows/batch-rows.ts';
export type { StoredBatch } from '../stores/postgres/rows/batch-rows.ts';
export { parseStoreAddress, type StoreAddress } from '../stores/postgres/database/address.ts';
export { isStoreUnavailable, openDatabase, type Database } from '../stores/postgres/database/database.ts';
export { prepareTables, type TableAccess } from '../stores/postgres/migrations.ts';
export { beginShared } from './begin-shared.ts';
export { checkShared, planShared, type PlanOptions } from './plan-shared.ts';
export { driveShared } from './drive-shared.ts';
export { sharedStatus, type SharedStatus } from './shared-status.ts';
export { findGarbage, removeGarbage, type Garbage } from './garbage.ts';
export type { SharedPorts } from './ports.ts';
export { resubmitShared } from './resubmit-shared.ts';
export { exportSharedResults, type SharedExportOptions } from './export-shared.ts';
export { analyzeShared } from './analyze-shared.ts';
