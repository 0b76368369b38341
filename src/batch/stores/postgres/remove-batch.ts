import { berth, sentence } from '../../../core/message.ts';
import { usage } from '../../../core/failure.ts';
import { requireSameFiles } from '../../model/same-files.ts';
import type { StoredFile } from '../../model/store.ts';
import type { ReadPorts, Queries } from './database/database.ts';
import { findGarbage } from './results/garbage.ts';
import { markerOf, removeMarker } from './results/out-marker.ts';
import { addressIn, partPrefix } from './shard/part-files.ts';
import { setCancelled, type StoredBatch } from './rows/batch-rows.ts';
import { countDrivers, listParts } from './rows/listing.ts';
import { deleteBatch, hasOutAlone } from './rows/out-rows.ts';

/**
 * Returns what a batch has in its folder: its parts, what its drivers wrote and did not publish, the copy of an input that
 * could be read only once, and the marker. Where an earlier version let two batches share the folder, parts whose names do
 * not say whose they are are left out. Fails with usage (2) while drivers work on the batch.
 */
export async function contentsOf(ports: ReadPorts, batch: StoredBatch): Promise<readonly StoredFile[]> {
  const { database, storage, signal } = ports;
  const { token, name, manifest } = batch;
  const { out, sources } = manifest;
  await requireNoDriver(database, batch);
  const isAlone = await hasOutAlone(database, batch.batch, out);
  const parts = (await listParts(database, batch.batch, 0, batch.shards)).filter(
    (part) => isAlone || (token !== undefined && part.name.startsWith(partPrefix(token))),
  );
  const copies = sources.filter(({ address }) => address.startsWith(addressIn(out, `input-${name}-`)));
  const addresses = [...parts.map((part) => addressIn(out, part.name)), ...copies.map(({ address }) => address)];
  const found: StoredFile[] = [];
  for (const address of addresses) {
    const object = await storage.describe(address, signal);
    if (object !== undefined) found.push({ address, bytes: object.bytes });
  }
  const left = (await findGarbage(ports, batch)).map(({ address, bytes }) => ({ address, bytes }));
  return [...found, ...left, ...(await markerOf(ports, batch))];
}

/**
 * Removes these files, and then the batch from the store. A driver that joins meanwhile sends nothing: the batch is
 * cancelled. After a failure it can be removed again. Fails with usage (2) while drivers work on it, and when the batch has
 * other files now: it was worked on, or it is another batch of the same name. Nothing is changed then.
 */
export async function removeBatch(
  ports: ReadPorts,
  batch: StoredBatch,
  contents: readonly StoredFile[],
): Promise<void> {
  const { database, storage, signal } = ports;
  await database.transaction(async (queries) => {
    // Waits for claims that have begun, and comes before all later ones.
    await setCancelled(queries, batch.batch, true);
    await requireNoDriver(queries, batch);
  });
  try {
    requireSameFiles(batch.name, contents, await contentsOf(ports, batch));
  } catch (error) {
    if (!batch.cancelled) await setCancelled(database, batch.batch, false);
    throw error;
  }
  const [marker] = await markerOf(ports, batch);
  for (const { address } of contents) if (address !== marker?.address) await storage.remove(address, signal);
  await removeMarker(ports, batch);
  await deleteBatch(database, batch.batch);
}

async function requireNoDriver(queries: Queries, { batch, name }: StoredBatch): Promise<void> {
  const { drivers } = await countDrivers(queries, batch);
  if (drivers > 0)
    throw usage(
      `${String(drivers)} drivers work on the batch ${name}`,
      sentence`Stop them, or cancel it and wait until they have ended: ${berth`jobs batch cancel ${name}`}`,
    );
}
