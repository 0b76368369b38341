import type { InvalidItem, Item } from '../read/items/item.ts';

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

  return {
    /** Returns the next item, or undefined when none is loaded. */
    take: (): Item | undefined => {
      const item = returned.pop() ?? next;
      if (item !== undefined && item === next) advance();
      return item;
    },
    /** Throws the error with which reading failed, once all items that were read are taken. */
    check: (): void => {
      if (failed !== undefined && returned.length === 0 && next === undefined) throw failed.error;
    },
    putBack: (item: Item): void => {
      returned.push(item);
    },
    /** True when no item is left and none will be loaded. */
    get empty(): boolean {
      return returned.length === 0 && next === undefined && ended;
    },
    close: async (): Promise<void> => {
      await groups.return(undefined).catch(() => undefined);
    },
  };
}

export type ItemQueue = ReturnType<typeof createItemQueue>;
