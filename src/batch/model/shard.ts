import { usage } from '../../core/failure.ts';

/** Every `of`-th item, from the `index`-th on (1 to `of`): one of several processes that share an input. */
export interface Shard {
  readonly index: number;
  readonly of: number;
}

/** Parses `I/N`. Fails with usage (2). */
export function parseShard(text: string, from: string): Shard {
  const [, index, of] = /^(\d{1,6})\/(\d{1,6})$/.exec(text.trim())?.map(Number) ?? [];
  if (index === undefined || of === undefined || index < 1 || index > of)
    throw usage(`${from} must be I/N, 1/N to N/N, not ${JSON.stringify(text)}`);
  return { index, of };
}

export const isInShard = (shard: Shard | undefined, item: number): boolean =>
  shard === undefined || (item - shard.index) % shard.of === 0;

/** Groups of items as they were read, with those of the shard only. */
export async function* itemsInShard<T extends { readonly number: number }>(
  groups: AsyncGenerator<Iterable<T>>,
  shard: Shard | undefined,
): AsyncGenerator<Iterable<T>> {
  function* chosen(group: Iterable<T>): Generator<T> {
    for (const item of group) if (isInShard(shard, item.number)) yield item;
  }
  for await (const group of groups) yield shard === undefined ? group : chosen(group);
}
