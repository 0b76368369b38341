import type { InputFormat } from '../read/item.ts';
import type { InputSource, SourcePorts } from '../read/sources/input-source.ts';
import { openSource } from '../read/sources/open-source.ts';
import type { Manifest } from '../stores/postgres/rows/batch-rows.ts';

/**
 * Opens an input of a batch: the one at `position` in the manifest. `extras` is the text of the members that every
 * submission has in addition to its input.
 */
export async function openStoredInput(
  ports: SourcePorts,
  { sources, format: { types, ...shared } }: Pick<Manifest, 'sources' | 'format'>,
  position: number,
  extras: string,
): Promise<InputSource> {
  const found = sources[position];
  if (found === undefined) throw new Error('a shard of the batch has no input');
  const { format = shared.format, ...object } = found;
  const csvTypes = format === 'csv' && types !== undefined ? { types } : {};
  const read: InputFormat = { ...shared, ...csvTypes, format, path: object.address, extras };
  return await openSource(ports, object, read);
}
