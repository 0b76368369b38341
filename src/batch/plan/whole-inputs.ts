import { createHash } from 'node:crypto';
import type { StoredObject } from '../../core/context.ts';
import { createInputTally, type InputSummary } from './check-input.ts';
import type { InputFormat, InvalidItem, Item } from '../read/item.ts';
import type { ShardRange } from '../read/range.ts';
import type { SourcePorts } from '../read/sources/input-source.ts';
import { openSource } from '../read/sources/open-source.ts';

/** One of the inputs of a batch that are read as a whole, one after the other. The journal stores it. */
export interface WholeInput {
  readonly object: StoredObject;
  readonly format: InputFormat['format'];
  /** All of it; undefined when it has no items. */
  readonly range?: ShardRange;
}

/** Reads all inputs once and counts their items; `formats` has one for each. Fails as `InputSource.plan` does. */
export async function checkWholeInputs(
  ports: SourcePorts,
  objects: readonly StoredObject[],
  formats: readonly InputFormat[],
): Promise<{ readonly summary: InputSummary; readonly inputs: readonly WholeInput[] }> {
  const tally = createInputTally();
  const inputs: WholeInput[] = [];
  let firstItem = 1;
  for (const [position, object] of objects.entries()) {
    const format = formats[position];
    if (format === undefined) throw new Error('an input has no format');
    const source = await openSource(ports, object, format);
    const before = inputs.length;
    const add = (item: Item | InvalidItem): void => {
      tally.add(item, object.address);
    };
    for await (const range of source.plan(Number.POSITIVE_INFINITY, firstItem, add)) {
      inputs.push({ object, format: format.format, range });
      firstItem += range.items;
    }
    if (inputs.length === before) inputs.push({ object, format: format.format });
  }
  return { summary: tally.summary(identityOf(inputs)), inputs };
}

/** Identifies the inputs together: their sizes, their versions and their order. */
function identityOf(inputs: readonly WholeInput[]): InputSummary['fingerprint'] {
  const bytes = inputs.reduce((sum, { object }) => sum + object.bytes, 0);
  const sha256 = createHash('sha256').update(JSON.stringify(inputs)).digest('hex');
  return { bytes, sha256, prefixes: new Uint8Array(0) };
}

/**
 * The items of all inputs, in groups. Fails with local-file (14) before the first item of an input that was changed, and as
 * reading does.
 */
export async function* wholeInputItems(
  ports: SourcePorts,
  inputs: readonly WholeInput[],
  shared: Omit<InputFormat, 'path' | 'format'>,
): AsyncGenerator<Iterable<Item | InvalidItem>> {
  for (const { object, format, range } of inputs) {
    if (range === undefined) continue;
    const { types, ...others } = shared;
    const csvTypes = format === 'csv' && types !== undefined ? { types } : {};
    const source = await openSource(ports, object, { ...others, ...csvTypes, path: object.address, format });
    try {
      yield* source.read(range);
    } finally {
      await source.close();
    }
  }
}
