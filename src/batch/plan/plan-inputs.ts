import type { StoredObject } from '../../core/context.ts';
import { openInputs, type BatchInput, type BatchInputs, type SharedFormat } from '../read/inputs.ts';
import type { InvalidItem, Item } from '../read/items/item.ts';
import type { PlannedRange } from '../read/range.ts';
import { readItems } from '../read/items/read-items.ts';
import { readUntilAborted } from '../read/items/read-until-aborted.ts';
import type { SourcePorts } from '../read/input-source.ts';
import { createInputTally, requireItems, type InputSummary } from './check-input.ts';
import type { FindPorts } from './find-inputs.ts';
import { formatOf, sharedFormat, type InputOptions } from './input-format.ts';
import { parquetFromPipe } from './read-once.ts';

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
export interface InputPlan extends BatchInputs {
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
