import { type Message, sentence } from '../../../core/message.ts';
import { cancelLine } from '../../model/command-lines.ts';
import { requireSameFiles } from '../../model/files-as-shown.ts';
import type { StoredFile } from '../../model/store.ts';
import type { SharedPorts } from './database/database.ts';
import { findLeftovers } from './results/leftovers.ts';
import { createMarker, markerOf, removeMarker } from './results/out-marker.ts';
import { addressIn, partPrefix } from './shard/part-files.ts';
import { setCancelled, type StoredBatch } from './rows/batch-rows.ts';
import { listParts, requireNoDriver } from './rows/listing.ts';
import { deleteBatch, isMarked, otherBatchIn, setMarked } from './rows/out-rows.ts';

/**
 * Returns what a batch has in its folder: its parts, what its drivers wrote and did not publish, the copy of an input that
 * could be read only once, and the marker. Where an earlier version let two batches share the folder, parts whose names do
 * not say whose they are are left out. Fails with usage (2) while drivers work on the batch.
 */
export async function contentsOf(ports: SharedPorts, batch: StoredBatch): Promise<readonly StoredFile[]> {
  const { database, storage, signal } = ports;
  const { token, name, manifest } = batch;
  const { out, sources } = manifest;
  await requireNoDriver(database, batch, stopFirst(ports, batch));
  const isAlone = (await otherBatchIn(database, out, batch.batch)) === undefined;
  const parts = (await listParts(database, batch.batch, [0, batch.shards])).filter(
    (part) => isAlone || (token !== undefined && part.name.startsWith(partPrefix(token))),
  );
  const copies = sources.filter(({ address }) => address.startsWith(addressIn(out, `input-${name}-`)));
  const addresses = [...parts.map((part) => addressIn(out, part.name)), ...copies.map(({ address }) => address)];
  const found: StoredFile[] = [];
  for (const address of addresses) {
    const object = await storage.describe(address, signal);
    if (object !== undefined) found.push({ address, bytes: object.bytes });
  }
  return [...found, ...(await findLeftovers(ports, batch)), ...(await markerOf(ports, batch))];
}

/**
 * Removes these files, and then the batch from the store. After a failure it can be removed again. Fails with usage (2) while
 * drivers work on it, and when the batch has other files now: it was worked on, or it is another batch of the same name.
 * Nothing is changed then.
 *
 * A driver that joins meanwhile sends nothing: the batch is cancelled. A resume may take that back, and looks for the marker
 * after that, which is removed first: it ends there, or what it has claimed and written is noticed.
 */
export async function removeBatch(
  ports: SharedPorts,
  batch: StoredBatch,
  contents: readonly StoredFile[],
): Promise<void> {
  const { database, storage, signal } = ports;
  await requireNoDriver(database, batch, stopFirst(ports, batch));
  const marker = await removeMarker(ports, batch);
  try {
    await database.transaction(async (queries) => {
      // Waits for claims that have begun, and comes before all later ones.
      await setCancelled(queries, batch.batch, true);
      await setMarked(queries, batch.batch);
      await requireNoDriver(queries, batch, stopFirst(ports, batch));
    });
    requireSameFiles(batch.name, contents, [...marker, ...(await contentsOf(ports, batch))]);
  } catch (error) {
    if ((await isMarked(database, batch.batch)) === true) await createMarker(ports, batch);
    if (!batch.cancelled) await setCancelled(database, batch.batch, false);
    throw error;
  }
  for (const { address } of contents) await storage.remove(address, signal);
  await deleteBatch(database, batch.batch);
}

const stopFirst = ({ reference }: SharedPorts, { name }: StoredBatch): Message =>
  sentence`Stop what works on it, or cancel it and wait for the end: ${cancelLine(reference(name))}`;
