import type { SortedItems } from '../../../core/ports/files.ts';
import { compareBytes } from '../../../core/text/compare-bytes.ts';
import { foldedName } from '../../shared/paths/names.ts';
import type { SideEntry } from './sides.ts';

/** The entries of a folder, of both sides, whose names are the same on some systems. */
export interface Alike {
  readonly source: readonly SideEntry[];
  readonly target: readonly SideEntry[];
}

/** Goes through a folder of each side, both in the order of `orderOfName`, and yields the entries that stand for each name. */
export async function* alikeIn(
  source: SortedItems<SideEntry> | undefined,
  target: SortedItems<SideEntry> | undefined,
): AsyncGenerator<Alike> {
  const [one, other] = [readerOf(source), readerOf(target)];
  try {
    await one.next();
    await other.next();
    for (;;) {
      const [name] = [one, other].flatMap(({ name }) => name ?? []).sort(compareBytes);
      if (name === undefined) return;
      yield { source: await take(one, name), target: await take(other, name) };
    }
  } finally {
    await one.end();
    await other.end();
  }
}

interface Reader {
  entry: SideEntry | undefined;
  /** The name of the entry as it is compared. */
  name: string | undefined;
  next(): Promise<void>;
  end(): Promise<void>;
}

function readerOf(items: SortedItems<SideEntry> | undefined): Reader {
  const iterator = items?.[Symbol.asyncIterator]();
  const reader: Reader = {
    entry: undefined,
    name: undefined,
    next: async () => {
      const next = await iterator?.next();
      reader.entry = next?.done === false ? next.value : undefined;
      reader.name = reader.entry === undefined ? undefined : foldedName(reader.entry.name);
    },
    end: async () => {
      await iterator?.return?.();
      await items?.close();
    },
  };
  return reader;
}

/** Takes the entries with a name. */
async function take(reader: Reader, name: string): Promise<readonly SideEntry[]> {
  const taken: SideEntry[] = [];
  while (reader.name === name && reader.entry !== undefined) {
    taken.push(reader.entry);
    await reader.next();
  }
  return taken;
}
