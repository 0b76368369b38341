import { type Failure, localFile, usage } from '../../../core/failure.ts';
import { sentence } from '../../../core/message.ts';
import { workLine } from '../../model/command-lines.ts';
import type { Batch, CopyInput, CreatedBatch, NewBatch, Store, StorePorts, WantedPlace } from '../../model/store.ts';
import type { SharedPorts } from './database/database.ts';
import { isStoreUnavailable } from './database/failures.ts';
import { driverSession, randomName } from './driver-session.ts';
import { prepareTables, tablesVersion } from './migrations.ts';
import { contentsOf, removeBatch } from './remove-batch.ts';
import { reopenItems } from './reopen-items.ts';
import { readBatchResults, readStatus } from './batch-results.ts';
import { findLeftovers, removeLeftovers } from './results/leftovers.ts';
import { claimOut, removeMarker, requireNoMarker } from './results/out-marker.ts';
import { addressIn } from './shard/part-files.ts';
import {
  createBatchRows,
  findBatch,
  hasBatch,
  listBatches,
  setCancelled,
  type StoredBatch,
} from './rows/batch-rows.ts';
import { deleteUnclaimed, requireFreeOut } from './rows/out-rows.ts';

/** Batches in a PostgreSQL database, which drivers on several machines share. */
export function createPostgresStore(ports: SharedPorts): Store {
  const { database } = ports;
  return {
    place: async (wanted) => {
      const out = await requireNewBatch(ports, wanted);
      const name = wanted.name ?? '';
      return { name, create: (prepare) => createRows(ports, name, out, prepare) };
    },
    open: async (name) => storedBatch(ports, await findBatch(database, name)),
    list: async function* () {
      for (const name of await listBatches(database))
        yield { name, status: async () => await readStatus(ports, await findBatch(database, name)) };
    },
  };
}

/** Returns the absolute folder of the results. Fails with usage (2) for a name, and with local-file (14) for a folder in use. */
async function requireNewBatch(ports: SharedPorts, { name = '', out: given }: WantedPlace): Promise<string> {
  if (!/^[A-Za-z0-9][\w.-]{0,99}$/.test(name))
    throw usage('--name has letters, digits, . _ and - only, 100 at most', 'It begins with a letter or a digit.');
  const out = given.startsWith('s3://') ? given : ports.durable.absolute(given);
  // The tables are created with the batch.
  const { database } = ports;
  if ((await tablesVersion(database)) > 0) {
    // The input of a new batch need not be read when its name is in use.
    if (await hasBatch(database, name)) throw nameInUse(ports, name);
    await requireFreeOut(database, out);
  }
  await requireNoMarker(ports, out);
  // Parts of a batch that was begun by a version without markers.
  for await (const { address } of ports.storage.list(addressIn(out, 'part-'), ports.signal))
    throw localFile(`${out} has parts of a batch already: ${address}`, 'Name another --out.');
  return out;
}

const nameInUse = ({ reference }: StorePorts, name: string): Failure =>
  usage(
    `the store has a batch ${name} already`,
    sentence`Go on with it: ${workLine(reference(name))}. Or give another --name.`,
  );

/**
 * Makes the tables where there are none, stores a planned batch and marks its folder. After a failure the batch does not exist,
 * unless another driver has begun to work on it, or the store cannot be reached: without its answer the batch may have been
 * created. It needs the copy of its input then.
 */
async function createRows(
  ports: SharedPorts,
  name: string,
  out: string,
  prepare: (copy: CopyInput) => Promise<NewBatch>,
): Promise<CreatedBatch> {
  const { database, storage, signal } = ports;
  let copied: string | undefined;
  try {
    const created = await prepare(async (chunks, format) => {
      const address = addressIn(out, `input-${name}-${randomName(ports.random, 6)}.${format}`);
      await storage.write(address, chunks, signal);
      return (copied = address);
    });
    await prepareTables(database, 'create');
    const { ranges } = created.plan;
    if (!(await createBatchRows(database, name, manifestOf(created, out), ranges))) throw nameInUse(ports, name);
    const batch = await findBatch(database, name);
    await claimOut(ports, batch).catch(async (error: unknown) => {
      if (await deleteUnclaimed(database, batch.batch).catch(() => false))
        await removeMarker(ports, batch).catch(() => undefined);
      else copied = undefined;
      throw error;
    });
    return {
      ...factsOf(ports, batch),
      summary: created.plan.summary,
      copy: copied,
      drive: (options) => driverSession(ports, batch, options, []),
    };
  } catch (error) {
    if (copied !== undefined && !isStoreUnavailable(error)) await storage.remove(copied).catch(() => undefined);
    throw error;
  }
}

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

function storedBatch(ports: SharedPorts, batch: StoredBatch): Batch {
  const { database } = ports;
  return {
    ...factsOf(ports, batch),
    cancelled: batch.cancelled,
    status: () => readStatus(ports, batch),
    read: () => readBatchResults(ports, batch),
    drive: async (options) => {
      const { resume } = options;
      if (resume === undefined) return await driverSession(ports, batch, options, []);
      if (batch.cancelled) await setCancelled(database, batch.batch, false);
      const { count, notes } = await reopenItems(ports, batch, resume.resubmit, resume.findJobs);
      return await driverSession(ports, { ...batch, resubmitted: batch.resubmitted + count }, options, notes);
    },
    sharing: {
      cancel: () => setCancelled(database, batch.batch, true),
      leftovers: () => findLeftovers(ports, batch),
      clean: async (found) => {
        const addresses = new Set(found.map(({ address }) => address));
        const still = (await findLeftovers(ports, batch)).filter(({ address }) => addresses.has(address));
        return await removeLeftovers(ports, batch, still);
      },
    },
    contents: () => contentsOf(ports, batch),
    remove: (contents) => removeBatch(ports, batch, contents),
  };
}
