import { createBatchRows, findBatch, type Manifest, type PlannedShard } from '../stores/postgres/rows/batch-rows.ts';
import { deleteBatch } from '../stores/postgres/rows/out-rows.ts';
import { claimOut, removeMarker } from './out-marker.ts';
import type { SharedPorts } from './ports.ts';

/**
 * Stores a planned batch and marks its folder. Fails as `createBatchRows` and `claimOut` do; the batch does not exist then,
 * unless the store cannot be reached.
 */
export async function beginShared(
  ports: SharedPorts,
  name: string,
  manifest: Manifest,
  shards: readonly PlannedShard[],
): Promise<void> {
  await createBatchRows(ports.database, name, manifest, shards);
  const batch = await findBatch(ports.database, name);
  try {
    await claimOut(ports, batch);
  } catch (error) {
    await removeMarker(ports, batch).catch(() => undefined);
    await deleteBatch(ports.database, batch.batch).catch(() => undefined);
    throw error;
  }
}
