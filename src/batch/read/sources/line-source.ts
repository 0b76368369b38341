import type { StoredObject } from '../../../core/context.ts';
import { lineGroups } from '../../bytes/split-lines.ts';
import { inputChanged } from '../fingerprint.ts';
import { MAX_LINE_BYTES, type InputFormat } from '../item.ts';
import { createLineParser, readItems } from '../read-items.ts';
import { currentObject, digestOf, hashRanges, hasExactVersion } from './content-digest.ts';
import type { InputSource, SourcePorts } from './input-source.ts';
import { createShardCounter } from './shard-counter.ts';

const NO_PREFIX = new Uint8Array(0);

/** JSON lines, cut by byte ranges that end after a line feed. */
export function lineSource(ports: SourcePorts, object: StoredObject, format: InputFormat): InputSource {
  const { storage, signal } = ports;
  const isExact = hasExactVersion(object.address);

  return {
    object,
    close: async () => undefined,
    plan: async function* (itemsPerShard, firstItem, onItem) {
      const hashed = hashRanges(storage.read(object, 0, object.bytes, signal));
      const parse = createLineParser(format, { item: firstItem });
      const shard = createShardCounter(itemsPerShard, { item: firstItem, start: 0, line: 1 }, onItem);
      let line = 1;
      let end = 0;
      const digest = (): string => {
        hashed.advance(end);
        const text = hashed.digest(NO_PREFIX);
        return isExact ? '' : text;
      };
      for await (const lines of lineGroups(hashed.chunks, MAX_LINE_BYTES)) {
        for (const each of lines) {
          line += 1;
          ({ end } = each);
          const item = parse(each);
          if (item !== undefined) shard.add(item);
          if (shard.isFull) yield shard.cut(end, line, digest());
        }
        hashed.advance();
      }
      if (shard.items > 0) yield shard.cut(end, line, digest());
    },
    read: async function* ({ start, end, firstItem, firstLine, digest }) {
      const current = await currentObject(ports, object);
      if (!isExact && (await digestOf(storage.read(current, start, end, signal))) !== digest)
        throw inputChanged(object.address);
      yield* readItems(storage.read(current, start, end, signal), format, { item: firstItem, line: firstLine });
    },
  };
}
