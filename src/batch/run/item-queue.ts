import type { OpenedInputs } from '../read/inputs.ts';
import type { InvalidItem, Item } from '../read/items/item.ts';
import type { RangeClaims } from '../model/run-records.ts';

/**
 * Yields the items of the ranges that this driver claims: the next range is claimed when the items of the last one were
 * taken, before their jobs have ended. While other drivers hold all that are left, it waits for these: a driver may end.
 * Ends when all ranges are done, and then closes the inputs. Fails as reading them does.
 */
export function claimedItems(claims: RangeClaims, inputs: OpenedInputs): AsyncGenerator<Iterable<Item | InvalidItem>> {
  const stopped = new AbortController();
  async function* claimed(): AsyncGenerator<Iterable<Item | InvalidItem>> {
    for (;;) {
      const claim = await claims.claim();
      if (claim === 'finished') return;
      if (claim === 'none' || claim === 'busy') {
        await claims.changed(stopped.signal);
        continue;
      }
      for await (const group of inputs.items(claim.row)) {
        if (claim.isLost()) break;
        yield group;
      }
    }
  }
  async function* items(): AsyncGenerator<Iterable<Item | InvalidItem>> {
    try {
      yield* claimed();
    } finally {
      await inputs.close().catch(() => undefined);
    }
  }
  const generator = items();
  const end = generator.return.bind(generator);
  // Otherwise the end would wait as long as the generator waits for a range.
  generator.return = (value: unknown) => {
    stopped.abort(new Error('the run has ended'));
    return end(value);
  };
  return generator;
}

/**
 * Creates a queue of the items for which `isWanted` returns true. `onChange` is called when an item was loaded, at the
 * end, and when reading failed.
 */
export function createItemQueue(
  groups: AsyncGenerator<Iterable<Item | InvalidItem>>,
  isWanted: (item: Item) => boolean,
  onChange: () => void,
) {
  const returned: Item[] = [];
  let group: Iterator<Item | InvalidItem, unknown> | undefined;
  let next: Item | undefined;
  let ended = false;
  let failed: { readonly error: unknown } | undefined;

  const advance = (): void => {
    next = undefined;
    while (group !== undefined && next === undefined) {
      const step = group.next();
      if (step.done === true) {
        group = undefined;
        void loadGroup();
      } else if (step.value.kind === 'item' && isWanted(step.value)) next = step.value;
    }
  };
  const loadGroup = async (): Promise<void> => {
    try {
      const step: IteratorResult<Iterable<Item | InvalidItem>, unknown> = await groups.next();
      if (step.done === true) ended = true;
      else {
        group = step.value[Symbol.iterator]();
        advance();
      }
    } catch (error) {
      failed = { error };
    }
    onChange();
  };
  void loadGroup();

  /** An item that was loaded may have been taken over by another driver since then. */
  const dropUnwanted = (): void => {
    for (let item = returned.at(-1); item !== undefined && !isWanted(item); item = returned.at(-1)) returned.pop();
    while (next !== undefined && !isWanted(next)) advance();
  };

  return {
    /** Returns the next item, or undefined when none is loaded. */
    take: (): Item | undefined => {
      dropUnwanted();
      const item = returned.pop() ?? next;
      if (item !== undefined && item === next) advance();
      return item;
    },
    /** Throws the error with which reading failed, once all items that were read are taken. */
    check: (): void => {
      if (failed === undefined) return;
      dropUnwanted();
      if (returned.length === 0 && next === undefined) throw failed.error;
    },
    putBack: (item: Item): void => {
      returned.push(item);
    },
    get hasNext(): boolean {
      return returned.length > 0 || next !== undefined;
    },
    /** True when no item is left and none will be loaded. */
    get empty(): boolean {
      dropUnwanted();
      return returned.length === 0 && next === undefined && ended;
    },
    close: async (): Promise<void> => {
      await groups.return(undefined).catch(() => undefined);
    },
  };
}

export type ItemQueue = ReturnType<typeof createItemQueue>;
