import type { StoredObject } from '../../../core/context.ts';
import { readCsvItems } from '../csv.ts';
import { inputChanged } from '../fingerprint.ts';
import type { InputFormat } from '../item.ts';
import { readItems } from '../read-items.ts';
import { collect, currentObject, digestOf, hashRanges, hasExactVersion } from './content-digest.ts';
import type { InputSource, SourcePorts } from './input-source.ts';
import { createShardCounter } from './shard-counter.ts';

/** A CSV file, cut by byte ranges that end after a row. Every range is read with the header before it. */
export function csvSource(ports: SourcePorts, object: StoredObject, format: InputFormat): InputSource {
  const { storage, signal } = ports;
  const isExact = hasExactVersion(object.address);
  let header: Uint8Array | undefined;

  const readHeader = async (current: StoredObject): Promise<Uint8Array> => {
    for await (const { end } of readCsvItems(storage.read(current, 0, current.bytes, signal), format, { item: 1 }))
      return await collect(storage.read(current, 0, end, signal));
    return new Uint8Array(0);
  };

  return {
    object,
    close: async () => undefined,
    plan: async function* (itemsPerShard, firstItem, onItem) {
      const hashed = hashRanges(storage.read(object, 0, object.bytes, signal));
      const rows = readCsvItems(hashed.chunks, format, { item: firstItem });
      const first = await rows.next();
      if (first.done === true) return;
      const prefix = (header = await collect(storage.read(object, 0, first.value.end, signal)));
      let { end, lines } = first.value;
      const shard = createShardCounter(itemsPerShard, { item: firstItem, start: end, line: lines + 1 }, onItem);
      hashed.advance(end);
      const digest = (): string => {
        const text = hashed.digest(prefix);
        return isExact ? '' : text;
      };
      for await (const row of rows) {
        ({ end, lines } = row);
        hashed.advance(end);
        if (row.item !== undefined) shard.add(row.item);
        if (shard.isFull) yield shard.cut(end, lines + 1, digest());
      }
      if (shard.items > 0) yield shard.cut(end, lines + 1, digest());
    },
    read: async function* ({ start, end, firstItem, firstLine, digest }) {
      const current = await currentObject(ports, object);
      const prefix = (header ??= await readHeader(current));
      const content = async function* (): AsyncGenerator<Uint8Array> {
        yield prefix;
        yield* storage.read(current, start, end, signal);
      };
      if (!isExact && (await digestOf(content())) !== digest) throw inputChanged(object.address);
      yield* readItems(content(), format, { item: firstItem, line: firstLine });
    },
  };
}
