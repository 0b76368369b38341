import type { StoredObject } from '../../core/context.ts';
import { lineGroups } from '../bytes/split-lines.ts';
import { type InputFormat, MAX_LINE_BYTES } from './items/item.ts';
import { createLineParser, readItems } from './items/read-items.ts';
import { hasExactVersion, hashRanges, openContent } from './content.ts';
import { createRangeCounter, type InputSource, type SourcePorts } from './range.ts';

const NO_PREFIX = new Uint8Array(0);

/** JSON lines, cut by byte ranges that end after a line feed. */
export function lineSource(ports: SourcePorts, object: StoredObject, format: InputFormat): InputSource {
  const isExact = hasExactVersion(object.address);
  const content = openContent(ports, object, format.path);

  return {
    object,
    matches: ({ start, end, digest }) => content.matches(digest, [start, end]),
    close: async () => undefined,
    plan: async function* (itemsPerRange, firstItem, onItem) {
      const hashed = hashRanges(content.read(0, object.bytes));
      const parse = createLineParser(format, { item: firstItem });
      const range = createRangeCounter(itemsPerRange, { item: firstItem, start: 0, line: 1 }, onItem);
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
          if (item !== undefined) range.add(item);
          if (range.isFull) yield range.cut(end, line, digest());
        }
        hashed.advance();
      }
      if (range.items > 0) yield range.cut(end, line, digest());
    },
    read: async function* ({ start, end, firstItem, firstLine, digest }) {
      await content.require(digest, [start, end]);
      yield* readItems(content.read(start, end), format, { item: firstItem, line: firstLine });
    },
  };
}
