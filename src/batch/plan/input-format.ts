import { usage } from '../../core/failure.ts';
import { compressionOf } from '../bytes/compression.ts';
import { parseColumnTypes } from '../read/items/csv-types.ts';
import type { SharedFormat } from '../read/inputs.ts';
import type { InputFormat } from '../read/items/item.ts';

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

/** The format of an input: by its name, unless the options say it. */
export const formatOf = (name: string, { format }: InputOptions): InputFormat['format'] => format ?? formatByName(name);

/**
 * Returns what the inputs of a batch have in common: the options of each, and the types of those that are CSV. Fails with
 * usage (2) for options that exclude each other.
 */
export function sharedFormat(names: readonly string[], options: InputOptions): SharedFormat {
  const { types, inputField, idField } = options;
  const formats = names.map((name) => formatOf(name, options));
  const hasCsv = formats.includes('csv');
  if (types !== undefined && (!hasCsv || inputField !== undefined))
    throw usage(
      hasCsv ? '--types and --input-field exclude each other' : '--types is for a CSV file',
      hasCsv ? 'The column of --input-field holds JSON.' : 'In other files, each value has its type.',
    );
  return {
    format: formats[0] ?? 'jsonl',
    ...(hasCsv ? { types: types === undefined ? {} : parseColumnTypes(types) } : {}),
    ...(hasCsv && options.csvRaw !== true ? { exported: true } : {}),
    ...(inputField === undefined ? {} : { inputField }),
    ...(idField === undefined ? {} : { idField }),
  };
}

/** Returns the format that a name says; an extension of a compression is left out. */
function formatByName(name: string): InputFormat['format'] {
  const plain = compressionOf(name) === undefined ? name : name.replace(/\.[^.]*$/, '');
  if (/\.[ct]sv$/i.test(plain)) return 'csv';
  return /\.(?:parquet|pq)$/i.test(plain) ? 'parquet' : 'jsonl';
}
