import { usage } from '../../core/failure.ts';
import { compressionOf } from '../bytes/compression.ts';
import { parseColumnTypes } from '../read/csv-types.ts';
import type { InputFormat } from '../read/item.ts';

/** How the inputs of a batch are read, as the command line says it. */
export interface InputOptions {
  /** By default, the name of each input decides. */
  readonly format?: InputFormat['format'] | undefined;
  readonly inputField?: string | undefined;
  readonly idField?: string | undefined;
  /** The types of CSV columns, as `price:number,active:boolean`. */
  readonly types?: string | undefined;
  /** The cells of CSV files are taken as they are. */
  readonly csvRaw?: boolean | undefined;
}

/** Returns how the input at an address is read. Fails with usage (2) for options that exclude each other. */
export function inputFormat(path: string, options: InputOptions, extras: string): InputFormat {
  const kind = options.format ?? formatByName(path);
  const { types, inputField, idField } = options;
  if (types !== undefined && (kind !== 'csv' || inputField !== undefined))
    throw usage(
      kind === 'csv' ? '--types and --input-field exclude each other' : '--types is for a CSV file',
      kind === 'csv' ? 'The column of --input-field holds JSON.' : 'In other files, each value has its type.',
    );
  return {
    path,
    format: kind,
    ...(kind === 'csv' ? { types: types === undefined ? {} : parseColumnTypes(types) } : {}),
    ...(kind === 'csv' && options.csvRaw !== true ? { exported: true } : {}),
    ...(inputField === undefined ? {} : { inputField }),
    ...(idField === undefined ? {} : { idField }),
    extras,
  };
}

/**
 * Returns how each of several inputs is read; `types` are for the CSV files among them. Fails as `inputFormat` does, for
 * `types` only when no input is a CSV file.
 */
export function inputFormats(paths: readonly string[], options: InputOptions, extras: string): readonly InputFormat[] {
  const isCsv = (path: string): boolean => (options.format ?? formatByName(path)) === 'csv';
  const hasCsv = paths.some(isCsv);
  return paths.map((path) =>
    inputFormat(path, hasCsv && !isCsv(path) ? { ...options, types: undefined } : options, extras),
  );
}

/** Returns the format that a name says; an extension of a compression is left out. */
export function formatByName(name: string): InputFormat['format'] {
  const plain = compressionOf(name) === undefined ? name : name.replace(/\.[^.]*$/, '');
  if (/\.[ct]sv$/i.test(plain)) return 'csv';
  return /\.(?:parquet|pq)$/i.test(plain) ? 'parquet' : 'jsonl';
}
