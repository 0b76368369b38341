import type { DurableFiles, StoredObject } from '../../core/context.ts';
import { localFile, usage } from '../../core/failure.ts';
import { MARKER_NAME } from '../read/marker-name.ts';
import type { SourcePorts } from '../read/sources/input-source.ts';

export interface FindPorts extends SourcePorts {
  readonly durable: Pick<DurableFiles, 'absolute'>;
}

/**
 * Returns the objects that `--input` names, in the order given: files, `s3://` addresses, globs, and folders that end with
 * a slash. The addresses of files are absolute. Fails with usage (2) when a pattern matches nothing and when an object is
 * named twice, and with local-file (14) when one does not exist.
 */
export async function findInputs(ports: FindPorts, patterns: readonly string[]): Promise<readonly StoredObject[]> {
  const found: StoredObject[] = [];
  for (const pattern of patterns) found.push(...(await findPattern(ports, pattern)));
  const addresses = new Set<string>();
  for (const { address } of found) {
    if (addresses.has(address)) throw usage(`--input names ${address} twice`, 'Its items would be sent twice.');
    addresses.add(address);
  }
  return found;
}

async function findPattern({ storage, durable, signal }: FindPorts, pattern: string): Promise<readonly StoredObject[]> {
  if (pattern === '-') throw usage('stdin cannot be combined with other inputs', 'Leave out - or the other inputs.');
  if (pattern === '')
    throw usage('--input is not the name of a file', 'Name a file, an s3:// address, or a glob in quotes.');
  const isFolder = pattern.endsWith('/');
  const address = pattern.startsWith('s3://') ? pattern : durable.absolute(pattern) + (isFolder ? '/' : '');
  const object = isFolder ? undefined : await storage.describe(address, signal);
  if (object !== undefined) return [object];
  if (!isPattern(pattern)) throw localFile(`cannot read ${pattern}: it does not exist`, 'Check its name.');
  const objects: StoredObject[] = [];
  for await (const each of storage.list(address, signal)) if (!isMarker(each.address)) objects.push(each);
  if (objects.length === 0) throw usage(`--input ${pattern} matches nothing`, 'Quote a glob for the shell.');
  return objects;
}

/** A folder of results is an input too; whose results they are is not. */
const isMarker = (address: string): boolean => address.endsWith(`/${MARKER_NAME}`);

/** Whether a text may name several objects: a glob, or a folder that ends with a slash. */
export const isPattern = (text: string): boolean => /[*?[{]|\/$/.test(text);
