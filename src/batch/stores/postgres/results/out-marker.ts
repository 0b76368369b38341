import type { StoredObject } from '../../../../core/context.ts';
import { collectBytes } from '../../../../core/files/byte-streams.ts';
import { type Failure, localFile } from '../../../../core/failure.ts';
import { stringAt, tryDecodeJson } from '../../../../core/json.ts';
import { safeText } from '../../../../core/safe-text.ts';
import type { StoredBatch } from '../rows/batch-rows.ts';
import type { ReadPorts, Database } from '../database/database.ts';
import { isMarked, setMarked } from '../rows/out-rows.ts';
import { MARKER_NAME } from '../../../read/marker-name.ts';
import { addressIn } from '../shard/part-files.ts';

type MarkerPorts = Pick<ReadPorts, 'storage' | 'signal'>;

/** What the marker in a folder of results says. */
interface Marker {
  readonly batch: string;
  readonly token: string;
  readonly store: string;
}

const MAX_MARKER_BYTES = 64 * 1024;

/**
 * Fails with local-file (14) when a folder has the marker of a batch, of whichever store: the input of a new batch need not
 * be read then.
 */
export async function requireNoMarker(ports: MarkerPorts, out: string): Promise<void> {
  const marker = await readMarker(ports, out);
  if (marker !== undefined) throw markedByAnother(out, marker);
}

/**
 * Checks that the folder of a batch is its own, before a driver writes there. The first driver creates the marker; also in
 * the folder of a batch that was begun by a version without markers. Fails with local-file (14) when the marker is that of
 * another batch, and when it is missing although it was created: then this is another folder.
 */
export async function claimOut(ports: ReadPorts, stored: StoredBatch): Promise<void> {
  const { batch, name, token, manifest } = stored;
  const { out } = manifest;
  const wasMarked = await isMarked(ports.database, batch);
  if (wasMarked === undefined || token === undefined) return;
  const address = addressIn(out, MARKER_NAME);
  const marker = await readMarker(ports, out);
  if (marker === undefined && wasMarked)
    throw localFile(
      `${address} is missing, by which drivers know the folder of batch ${name}`,
      `Check that ${out} is the same folder on all machines. If it is, and the file was removed, restore it with this line: ${contentOf(name, token, ports.database)}`,
    );
  if (marker === undefined) {
    if (!(await createMarker(ports, stored))) {
      const found = await readMarker(ports, out);
      if (found?.token !== token) throw markedByAnother(out, found);
    }
  } else if (marker.token !== token) throw markedByAnother(out, marker);
  if (!wasMarked) await setMarked(ports.database, batch);
}

/** The marker of a batch, where it is in its folder. Fails as the storage does. */
export async function markerOf(
  ports: MarkerPorts,
  { token, manifest: { out } }: Pick<StoredBatch, 'token' | 'manifest'>,
): Promise<readonly StoredObject[]> {
  const object = await ports.storage.describe(addressIn(out, MARKER_NAME), ports.signal);
  const isOwn = object !== undefined && token !== undefined && (await readMarker(ports, out))?.token === token;
  return isOwn ? [object] : [];
}

/** Creates the marker of a batch. Resolves to false when its folder has one already. Fails as the storage does. */
export async function createMarker(
  { storage, database, signal }: ReadPorts,
  { name, token, manifest: { out } }: StoredBatch,
): Promise<boolean> {
  if (token === undefined) return false;
  return await storage.create(
    addressIn(out, MARKER_NAME),
    Buffer.from(`${contentOf(name, token, database)}\n`),
    signal,
  );
}

/** Removes the marker of a batch, and returns it; leaves that of another. Fails as the storage does. */
export async function removeMarker(
  ports: MarkerPorts,
  batch: Pick<StoredBatch, 'token' | 'manifest'>,
): Promise<readonly StoredObject[]> {
  const found = await markerOf(ports, batch);
  for (const { address } of found) await ports.storage.remove(address, ports.signal);
  return found;
}

const contentOf = (batch: string, token: string, { shown: store }: Database): string =>
  JSON.stringify({ berth: 'batch', batch, token, store });

/** Returns undefined when there is no marker. A file that is none has empty texts. */
async function readMarker({ storage, signal }: MarkerPorts, out: string): Promise<Marker | undefined> {
  const object = await storage.describe(addressIn(out, MARKER_NAME), signal);
  if (object === undefined) return undefined;
  const bytes = await collectBytes(storage.read(object, 0, object.bytes, signal), MAX_MARKER_BYTES);
  const value = bytes === undefined ? undefined : tryDecodeJson(bytes.toString());
  const text = (name: string): string => safeText(stringAt(value, name) ?? '').slice(0, 200);
  return { batch: text('batch'), token: text('token'), store: text('store') };
}

function markedByAnother(out: string, marker: Marker | undefined): Failure {
  const address = addressIn(out, MARKER_NAME);
  if (marker === undefined || marker.token === '')
    return localFile(
      `${address} says that the results of another batch are there, but not of which`,
      'Name another --out. If no other batch uses the folder, remove that file.',
    );
  return localFile(
    `the results of batch ${marker.batch} of the store ${marker.store} are in ${out}: a folder of results belongs to one batch`,
    'Name another --out.',
  );
}
