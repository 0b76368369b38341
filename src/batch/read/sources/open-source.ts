import type { StoredObject } from '../../../core/context.ts';
import { usage } from '../../../core/failure.ts';
import { compressionOf } from '../../bytes/compression.ts';
import type { InputFormat, InvalidItem, Item } from '../item.ts';
import type { ShardRange } from '../range.ts';
import type { InputSource, SourcePorts } from './input-source.ts';

/** Opens an input that can be read in parts. Reads nothing yet. Fails with usage (2) for a compressed Parquet file. */
export async function openSource(ports: SourcePorts, object: StoredObject, format: InputFormat): Promise<InputSource> {
  const compression = compressionOf(object.address);
  if (format.format === 'parquet') {
    if (compression !== undefined)
      throw usage(
        `${object.address} is a compressed Parquet file`,
        'Parquet is compressed inside: decompress the file.',
      );
    return (await import('./parquet-source.ts')).parquetSource(ports, object, format);
  }
  if (compression !== undefined)
    return (await import('./compressed-source.ts')).compressedSource(ports, object, format, compression);
  return format.format === 'csv'
    ? (await import('./csv-source.ts')).csvSource(ports, object, format)
    : (await import('./line-source.ts')).lineSource(ports, object, format);
}

/** A shard of a batch: a range of one of its inputs. */
export interface PlannedShard {
  /** The position of the input among all inputs, from 0. */
  readonly source: number;
  readonly range: ShardRange;
}

/**
 * Plans all inputs of a batch one after the other; items are numbered through all of them. Calls `onItem` with every item
 * and the input that has it. Fails as `InputSource.plan` does.
 */
export async function* planSources(
  sources: readonly InputSource[],
  itemsPerShard: number,
  onItem: (item: Item | InvalidItem, source: InputSource) => void,
): AsyncGenerator<PlannedShard> {
  let firstItem = 1;
  for (const [position, source] of sources.entries())
    for await (const range of source.plan(itemsPerShard, firstItem, (item) => {
      onItem(item, source);
    })) {
      firstItem = range.firstItem + range.items;
      yield { source: position, range };
    }
}
