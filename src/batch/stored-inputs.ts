import { dirname, isAbsolute, join } from 'node:path';
import { usage } from '../core/failure.ts';
import type { InputFormat, InvalidItem, Item } from './read/item.ts';
import { hasExactVersion } from './read/sources/content-digest.ts';
import type { SourcePorts } from './read/sources/input-source.ts';
import { wholeInputItems, type WholeInput } from './plan/whole-inputs.ts';
import type { InputIdentity, StoredInput } from './stores/file/journal/record.ts';

/** Returns the inputs of a batch with addresses at which they can be read; undefined when it has one plain file. */
export const storedInputs = (results: string, { inputs }: InputIdentity): readonly WholeInput[] | undefined =>
  inputs?.map((input) => ({ ...input, object: { ...input.object, address: addressOf(results, input) } }));

const addressOf = (results: string, { object: { address } }: StoredInput): string =>
  hasExactVersion(address) || isAbsolute(address) ? address : join(dirname(results), address);

/** Returns the name of the inputs of a batch for messages; undefined when it has one plain file. */
export function storedInputName(results: string, identity: InputIdentity): string | undefined {
  const [first, ...others] = storedInputs(results, identity) ?? [];
  if (first === undefined) return undefined;
  return others.length === 0 ? first.object.address : `${first.object.address} and ${String(others.length)} more`;
}

/**
 * Checks that all inputs of a batch are where they were, with their sizes and, for objects, their versions. Fails with
 * usage (2). The content of files is compared when they are read.
 */
export async function checkStoredInputs(
  { storage, signal }: SourcePorts,
  inputs: readonly WholeInput[],
): Promise<void> {
  for (const { object } of inputs) {
    const { address, bytes, version } = object;
    const found = await storage.describe(address, signal);
    if (found === undefined) throw usage(`the input ${address} is not there`, 'Bring it back to where it was.');
    if (found.bytes !== bytes || (hasExactVersion(address) && found.version !== version))
      throw usage(
        `the input ${address} is not the one this batch was begun with (${String(bytes)} bytes then, ${String(found.bytes)} now)`,
        'Bring the old one back, or begin a new batch.',
      );
  }
}

/** The items of the inputs of a batch. Fails as `wholeInputItems` does. */
export const storedInputItems = (
  ports: SourcePorts,
  inputs: readonly WholeInput[],
  { inputField, idField, types }: InputIdentity,
  extras: string,
): AsyncGenerator<Iterable<Item | InvalidItem>> => {
  const shared: Omit<InputFormat, 'path' | 'format'> = {
    extras,
    ...(inputField === undefined ? {} : { inputField }),
    ...(idField === undefined ? {} : { idField }),
    ...(types === undefined ? {} : { types }),
  };
  return wholeInputItems(ports, inputs, shared);
};
