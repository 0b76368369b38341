import type { BadItem, Item } from './item.ts';

/** Items that are still to be sent, the next one at hand. */
export interface Supply {
  /** The next one; undefined where none is at hand. Throws what reading failed with. */
  take(): Item | undefined;
  /** Puts back what was not sent. */
  giveBack(item: Item): void;
  /** True where nothing is at hand and nothing will come. */
  readonly empty: boolean;
  close(): Promise<void>;
}

/**
 * A supply of the items that `wanted` says are to be sent. `onChange` is called when there is more, or an end, or a
 * failure of reading, which `take` then throws.
 */
export function createSupply(
  groups: AsyncGenerator<Iterable<Item | BadItem>>,
  wanted: (item: Item) => boolean,
  onChange: () => void,
): Supply {
  const returned: Item[] = [];
  let group: Iterator<Item | BadItem, unknown> | undefined;
  let atHand: Item | undefined;
  let ended = false;
  let failed: { readonly error: unknown } | undefined;

  const advance = (): void => {
    atHand = undefined;
    while (group !== undefined && atHand === undefined) {
      const next = group.next();
      if (next.done === true) {
        group = undefined;
        void fetch();
      } else if (next.value.kind === 'item' && wanted(next.value)) atHand = next.value;
    }
  };
  const fetch = async (): Promise<void> => {
    try {
      const next: IteratorResult<Iterable<Item | BadItem>, unknown> = await groups.next();
      if (next.done === true) ended = true;
      else {
        group = next.value[Symbol.iterator]();
        advance();
      }
    } catch (error) {
      failed = { error };
    }
    onChange();
  };
  void fetch();

  return {
    take: () => {
      const back = returned.pop();
      if (back !== undefined) return back;
      const item = atHand;
      if (item !== undefined) advance();
      else if (failed !== undefined) throw failed.error;
      return item;
    },
    giveBack: (item) => {
      returned.push(item);
    },
    get empty() {
      return returned.length === 0 && atHand === undefined && ended;
    },
    close: async () => {
      await groups.return(undefined).catch(() => undefined);
    },
  };
}
