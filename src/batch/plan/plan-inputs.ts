import { usage } from '../../core/failure.ts';
import { compressionOf } from '../bytes/compression.ts';
import { parseColumnTypes } from '../read/items/csv.ts';
import { type BatchInput, type BatchInputs, openInputs, type SharedFormat } from '../read/inputs.ts';
import type { InputFormat, InvalidItem, Item } from '../read/items/item.ts';
import type { StoredObject } from '../../core/context.ts';
import type { PlannedRange, SourcePorts } from '../read/range.ts';
import { readItems } from '../read/items/read-items.ts';
import { readUntilAborted } from '../read/content.ts';
import { createInputTally, type InputSummary, requireItems } from './check-input.ts';
import { type FindPorts, parquetFromPipe } from './find-inputs.ts';

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
function sharedFormat(names: readonly string[], options: InputOptions): SharedFormat {
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

/** How a new batch is planned. */
export interface PlanOptions extends InputOptions {
  /** True to leave out items that cannot be sent. */
  readonly skipInvalid: boolean;
  /** Items of a range, at most; all items of an input without a limit. */
  readonly itemsPerRange: number;
  /** As `optionsText` returns it. */
  readonly extras: string;
}

/** The checked inputs of a new batch, cut into ranges. */
interface InputPlan extends BatchInputs {
  readonly ranges: readonly PlannedRange[];
  readonly summary: InputSummary;
}

/**
 * Reads and checks all inputs, one after the other, and cuts them into ranges; items are numbered through all of them. Fails
 * with usage (2), with the places of items that cannot be sent, and as reading does.
 */
export async function planInputs(
  ports: SourcePorts,
  found: readonly (StoredObject & { readonly name: string })[],
  options: PlanOptions,
): Promise<InputPlan> {
  const { itemsPerRange, extras, skipInvalid } = options;
  const names = found.map(({ name }) => name);
  const format = sharedFormat(names, options);
  const sources = found.map((object): BatchInput => ({ ...object, format: formatOf(object.name, options) }));
  const inputs = openInputs(ports, { sources, format, extras });
  const tally = createInputTally(extras);
  const ranges: PlannedRange[] = [];
  let firstItem = 1;
  for (const [source, name] of names.entries()) {
    const count = (item: Item | InvalidItem): void => {
      tally.add(item, name);
    };
    for await (const range of (await inputs.at(source)).plan(itemsPerRange, firstItem, count)) {
      firstItem = range.firstItem + range.items;
      ranges.push({ source, range });
    }
  }
  await inputs.close();
  const bytes = found.reduce((sum, object) => sum + object.bytes, 0);
  return { sources, format, extras, ranges, summary: requireItems(tally.summary(bytes), names, format, skipInvalid) };
}

/** Checks an input that can be read only once, and keeps nothing of it. Fails as `planInputs` does. */
export async function checkPiped(
  { durable, signal }: FindPorts,
  input: string,
  options: PlanOptions,
): Promise<InputSummary> {
  const format: SharedFormat = sharedFormat([input], options);
  if (format.format === 'parquet') throw parquetFromPipe();
  const tally = createInputTally(options.extras);
  let bytes = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of readUntilAborted(durable, input, signal)) {
      bytes += chunk.byteLength;
      yield chunk;
    }
  }
  const groups = readItems(counted(), { ...format, path: input, maxBytes: tally.maxBytes });
  for await (const items of groups) for (const item of items) tally.add(item, input);
  return requireItems(tally.summary(bytes), [input], format, options.skipInvalid);
}
