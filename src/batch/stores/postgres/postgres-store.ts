import { localFile, usage } from '../../../core/failure.ts';
import type { Batch, CopyInput, CreatedBatch, NewBatch, Store, StorePorts, WantedPlace } from '../../model/store.ts';
import { unlessBroken } from '../../model/unless-broken.ts';
import { type Database, isStoreUnavailable } from './database/database.ts';
import { driverSession } from './driver-session.ts';
import { tablesVersion } from './migrations.ts';
import { contentsOf, removeBatch } from './remove-batch.ts';
import { reopenItems } from './reopen-items.ts';
import { readBatchResults, readStatus } from './results/batch-results.ts';
import { findGarbage, removeGarbage } from './results/garbage.ts';
import { claimOut, removeMarker, requireNoMarker } from './results/out-marker.ts';
import { addressIn } from './shard/part-files.ts';
import {
  createBatchRows,
  findBatch,
  listBatches,
  requireFreeName,
  setCancelled,
  type StoredBatch,
} from './rows/batch-rows.ts';
import { deleteBatch, requireFreeOut } from './rows/out-rows.ts';

/** Batches in a PostgreSQL database, which drivers on several machines share. */
export function createPostgresStore(ports: StorePorts, database: Database): Store {
  return {
    place: async (wanted) => {
      const out = await requireNewBatch(ports, database, wanted);
      const name = wanted.name ?? '';
      return { name, create: (prepare) => createRows(ports, database, name, out, prepare) };
    },
    open: async (name) => storedBatch(ports, database, await findBatch(database, name)),
    list: async function* () {
      for (const name of await listBatches(database))
        yield await unlessBroken(name, async () => readStatus(ports, database, await findBatch(database, name)));
    },
  };
}

/** Returns the absolute folder of the results. Fails with usage (2) for a name, and with local-file (14) for a folder in use. */
async function requireNewBatch(
  ports: StorePorts,
  database: Database,
  { name = '', out: given }: WantedPlace,
): Promise<string> {
  if (!/^[A-Za-z0-9][\w.-]{0,99}$/.test(name))
    throw usage('--name has letters, digits, . _ and - only, 100 at most', 'It begins with a letter or a digit.');
  const out = given.startsWith('s3://') ? given : ports.durable.absolute(given);
  // A check without tables: a dry run creates none.
  if ((await tablesVersion(database)) > 0) {
    await requireFreeName(database, name);
    await requireFreeOut(database, out);
  }
  await requireNoMarker(ports, out);
  // Parts of a batch that was begun by a version without markers.
  for await (const { address } of ports.storage.list(addressIn(out, 'part-'), ports.signal))
    throw localFile(`${out} has parts of a batch already: ${address}`, 'Name another --out.');
  return out;
}

/**
 * Stores a planned batch and marks its folder. After a failure the batch does not exist, unless the store cannot be reached:
 * without its answer the batch may have been created, and needs the copy of its input.
 */
async function createRows(
  ports: StorePorts,
  database: Database,
  name: string,
  out: string,
  prepare: (copy: CopyInput) => Promise<NewBatch>,
): Promise<CreatedBatch> {
  const { storage, signal } = ports;
  let copied: string | undefined;
  try {
    const created = await prepare(async (chunks, format) => {
      const address = addressIn(out, `input-${name}-${randomSuffix(ports.random)}.${format}`);
      await storage.write(address, chunks, signal);
      return (copied = address);
    });
    await createBatchRows(database, name, manifestOf(created, out), created.plan.ranges);
    const batch = await findBatch(database, name);
    await claimOut({ ...ports, database }, batch).catch(async (error: unknown) => {
      await removeMarker(ports, batch).catch(() => undefined);
      await deleteBatch(database, batch.batch).catch(() => undefined);
      throw error;
    });
    return {
      ...factsOf(ports, batch),
      copy: copied,
      drive: (options) => driverSession(ports, database, batch, options, []),
    };
  } catch (error) {
    if (copied !== undefined && !isStoreUnavailable(error)) await storage.remove(copied).catch(() => undefined);
    throw error;
  }
}

const randomSuffix = (random: () => number): string =>
  Math.floor(random() * 36 ** 6)
    .toString(36)
    .padStart(6, '0');

const manifestOf = ({ endpoint, endpointId, service, input, plan, compression }: NewBatch, out: string) => ({
  version: 1 as const,
  ...{ endpoint, endpointId, service, input },
  sources: plan.sources.map(({ name: _, ...source }) => source),
  format: plan.format,
  extras: plan.extras,
  ...{ out, compression },
});

const factsOf = ({ reference }: StorePorts, { name, manifest, invalid, createdAt }: StoredBatch) => {
  const { endpoint, endpointId, service } = manifest;
  return { name, reference: reference(name), endpoint, endpointId, service, invalid, createdAt };
};

function storedBatch(ports: StorePorts, database: Database, batch: StoredBatch): Batch {
  const parts = { ...ports, database };
  return {
    ...factsOf(ports, batch),
    cancelled: batch.cancelled,
    status: () => readStatus(ports, database, batch),
    read: () => readBatchResults(ports, database, batch),
    drive: async (options) => {
      const { resume } = options;
      if (resume === undefined) return await driverSession(ports, database, batch, options, []);
      if (batch.cancelled) await setCancelled(database, batch.batch, false);
      const notes = await reopenItems(parts, batch, resume.resubmit);
      return await driverSession(ports, database, await findBatch(database, batch.name), options, notes);
    },
    cancel: () => setCancelled(database, batch.batch, true),
    leftovers: () => findGarbage(parts, batch),
    clean: async (found) => {
      const addresses = new Set(found.map(({ address }) => address));
      const still = await findGarbage(parts, batch);
      return await removeGarbage(
        parts,
        batch,
        still.filter(({ address }) => addresses.has(address)),
      );
    },
    contents: () => contentsOf(parts, batch),
    remove: (contents) => removeBatch(parts, batch, contents),
  };
}
