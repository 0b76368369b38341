import type { StoredObject } from '../../../core/context.ts';
import type { InputFormat } from '../item.ts';
import { openParquet } from '../parquet/parquet-items.ts';
import { collect, digestOf, hasExactVersion, verifyOnce } from './content-digest.ts';
import type { InputSource, SourcePorts } from './input-source.ts';
import { renumbered } from './renumbered.ts';
import { createShardCounter } from './shard-counter.ts';

/** A Parquet file, cut by rows. */
export function parquetSource(ports: SourcePorts, object: StoredObject, format: InputFormat): InputSource {
  const { storage, signal } = ports;
  const verify = verifyOnce(ports, object);
  const open = (current: StoredObject) =>
    openParquet(
      {
        name: object.address,
        bytes: object.bytes,
        read: (start, end) => collect(storage.read(current, start, end, signal)),
      },
      format,
    );
  let opened: { readonly version: string; readonly input: ReturnType<typeof open> } | undefined;

  return {
    object,
    close: async () => {
      opened = undefined;
    },
    plan: async function* (itemsPerShard, firstItem, onItem) {
      const digest = hasExactVersion(object.address)
        ? ''
        : await digestOf(storage.read(object, 0, object.bytes, signal));
      const input = await open(object);
      const shard = createShardCounter(itemsPerShard, { item: firstItem, start: 0, line: 1 }, onItem);
      let end = 0;
      for await (const items of input.items(0, input.rows))
        for (const item of renumbered(items, firstItem - 1)) {
          shard.add(item);
          end += 1;
          if (shard.isFull) yield shard.cut(end, end + 1, digest);
        }
      if (shard.items > 0) yield shard.cut(end, end + 1, digest);
    },
    read: async function* ({ start, end, firstItem, digest }) {
      const current = await verify(digest);
      if (opened?.version !== current.version) opened = { version: current.version, input: open(current) };
      for await (const items of (await opened.input).items(start, end)) yield renumbered(items, firstItem - start - 1);
    },
  };
}
