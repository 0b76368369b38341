import type { StoredObject } from '../../core/context.ts';
import type { InputFormat } from './items/item.ts';
import { openParquet, type ParquetInput } from './parquet/parquet-items.ts';
import { collect, openContent } from './content.ts';
import { createRangeCounter, type InputSource, renumbered, type SourcePorts } from './range.ts';

/** A Parquet file, cut by rows. */
export function parquetSource(ports: SourcePorts, object: StoredObject, format: InputFormat): InputSource {
  const { bytes } = object;
  const content = openContent(ports, object, format.path);
  const open = (): Promise<ParquetInput> =>
    openParquet(
      { name: format.path, bytes, read: (start, end) => collect(content.read(start, Math.max(start, end))) },
      format,
    );
  let opened: Promise<ParquetInput> | undefined;

  return {
    object,
    matches: ({ digest }) => content.matches(digest, [0, bytes]),
    close: async () => {
      opened = undefined;
    },
    plan: async function* (itemsPerRange, firstItem, onItem) {
      const digest = await content.digestOf([0, bytes]);
      const input = await open();
      const range = createRangeCounter(itemsPerRange, { item: firstItem, start: 0, line: 1 }, onItem);
      let end = 0;
      for await (const items of input.items(0, input.rows))
        for (const item of renumbered(items, firstItem - 1)) {
          range.add(item);
          end += 1;
          if (range.isFull) yield range.cut(end, end + 1, digest);
        }
      if (range.items > 0) yield range.cut(end, end + 1, digest);
    },
    read: async function* ({ start, end, firstItem, digest }) {
      await content.require(digest, [0, bytes]);
      const input = await (opened ??= open());
      for await (const items of input.items(start, end)) yield renumbered(items, firstItem - start - 1);
    },
  };
}
