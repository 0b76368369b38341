import type { StoredObject } from '../../core/context.ts';
import { usage } from '../../core/failure.ts';
import { compressionOf } from '../bytes/compression.ts';
import type { InputFormat } from './items/item.ts';
import type { InputSource, SourcePorts } from './input-source.ts';

/** Opens an input that can be read in parts. Reads nothing yet. Fails with usage (2) for a compressed Parquet file. */
export async function openSource(ports: SourcePorts, object: StoredObject, format: InputFormat): Promise<InputSource> {
  const compression = compressionOf(object.address);
  if (format.format === 'parquet') {
    if (compression !== undefined)
      throw usage(`${format.path} is a compressed Parquet file`, 'Parquet is compressed inside: decompress the file.');
    return (await import('./parquet-source.ts')).parquetSource(ports, object, format);
  }
  if (compression !== undefined)
    return (await import('./compressed-source.ts')).compressedSource(ports, object, format, compression);
  return format.format === 'csv'
    ? (await import('./csv-source.ts')).csvSource(ports, object, format)
    : (await import('./line-source.ts')).lineSource(ports, object, format);
}
