import type { StoredObject } from '../../core/context.ts';
import { maxInputBytes } from '../../queue/submission.ts';
import type { InputFormat, InvalidItem, Item } from './items/item.ts';
import type { InputSource, SourcePorts } from './input-source.ts';
import type { PlannedRange } from './range.ts';
import { isGzip } from '../bytes/gzip.ts';
import { gzipSource } from './gzip-source.ts';
import { textSource } from './text-source.ts';

/** How the inputs of a batch are read, as far as they have it in common. */
export type SharedFormat = Omit<InputFormat, 'path' | 'maxBytes'>;

/** One input of a batch. */
export interface BatchInput extends StoredObject {
  /** That of the shared format by default. */
  readonly format?: InputFormat['format'] | undefined;
  /** What it is called in messages; its address by default. */
  readonly name?: string | undefined;
}

/** The inputs of a batch as its manifest has them. */
export interface BatchInputs {
  readonly sources: readonly BatchInput[];
  readonly format: SharedFormat;
  /** JSON text of the members that every submission has in addition to its input, as `optionsText` returns it. */
  readonly extras: string;
}

/** A batch may have more inputs than files that can be open. */
export function openInputs(ports: SourcePorts, { sources, format, extras }: BatchInputs) {
  const opened = new Map<number, InputSource>();
  let last: InputSource | undefined;
  const open = (position: number): InputSource => {
    const found = sources[position];
    if (found === undefined) throw new Error('a range of the batch has no input');
    const { format: own = format.format, name: path = found.address, ...object } = found;
    return openSource(ports, object, { ...format, format: own, path, maxBytes: maxInputBytes(extras) });
  };
  const at = async (position: number): Promise<InputSource> => {
    const input = opened.get(position) ?? open(position);
    opened.set(position, input);
    if (last !== input) await last?.close();
    return (last = input);
  };
  return {
    /** Returns the input at a position. Closes what the one that was used before keeps open. */
    at,
    /** The items of a range, as `InputSource.read` yields them. */
    items: async function* ({ source, range }: PlannedRange): AsyncGenerator<Iterable<Item | InvalidItem>> {
      yield* (await at(source)).read(range);
    },
    close: async (): Promise<void> => {
      await last?.close();
    },
  };
}

/** The items of all ranges, in groups as `InputSource.read` yields them. Fails as it does. */
export async function* itemsOf(
  ports: SourcePorts,
  { ranges, ...inputs }: BatchInputs & { readonly ranges: readonly PlannedRange[] },
): AsyncGenerator<Iterable<Item | InvalidItem>> {
  const opened = openInputs(ports, inputs);
  try {
    for (const range of ranges) yield* opened.items(range);
  } finally {
    await opened.close().catch(() => undefined);
  }
}

/** The name of several inputs in messages. */
export const nameOfInputs = ([first = '', ...others]: readonly string[]): string =>
  others.length === 0 ? first : `${first} and ${others.length} more`;

/** Opens an input that can be read in parts. Reads nothing yet. */
export const openSource = (ports: SourcePorts, object: StoredObject, format: InputFormat): InputSource =>
  isGzip(object.address) ? gzipSource(ports, object, format) : textSource(ports, object, format);
