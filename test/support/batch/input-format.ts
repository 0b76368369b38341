import type { InputFormat, InvalidItem, Item } from '../../../src/batch/read/items.ts';
import { maxInputBytes } from '../../../src/queue/requests.ts';

/** How an input is read whose jobs have no options. */
export const formatOf = (format: Omit<InputFormat, 'maxBytes'>): InputFormat => ({
  ...format,
  maxBytes: maxInputBytes(''),
});

/** How many items of an input can be sent, and how many cannot. */
export async function countItems(
  groups: AsyncIterable<Iterable<Item | InvalidItem>>,
): Promise<{ readonly planned: number; readonly invalid: number }> {
  const counts = { planned: 0, invalid: 0 };
  for await (const items of groups) for (const { kind } of items) counts[kind === 'item' ? 'planned' : 'invalid'] += 1;
  return counts;
}
