import type { BadItem, Item } from './item.ts';

/** Items that are still to be sent, read a little ahead of their time. */
export interface Supply {
  /** The next one; undefined where none is at hand. */
  take(): Item | undefined;
  /** Puts back what was not sent. */
  giveBack(item: Item): void;
  /** True where nothing is at hand and nothing will come. */
  readonly empty: boolean;
  close(): Promise<void>;
}

/** As many items are read ahead, unless they are larger than these bytes. */
const AHEAD = 256;
const AHEAD_BYTES = 8_000_000;

/**
 * A supply of the items that `wanted` says are to be sent. `onChange` is called when there is more, or an end, or a
 * failure of reading, which `take` then throws.
 */
export function createSupply(
  items: AsyncGenerator<Item | BadItem>,
  wanted: (item: Item) => boolean,
  onChange: () => void,
): Supply {
  const returned: Item[] = [];
  let ahead: Item[] = [];
  let taken = 0;
  let bytes = 0;
  let ended = false;
  let failed: { readonly error: unknown } | undefined;
  let filling = false;

  const left = (): number => ahead.length - taken;
  const fill = async (): Promise<void> => {
    filling = true;
    try {
      while (!ended && left() < AHEAD && bytes < AHEAD_BYTES) {
        const next: IteratorResult<Item | BadItem, unknown> = await items.next();
        if (next.done === true) ended = true;
        else if (next.value.kind === 'item' && wanted(next.value)) {
          ahead.push(next.value);
          bytes += next.value.body.byteLength;
        }
      }
    } catch (error) {
      failed = { error };
    } finally {
      filling = false;
      onChange();
    }
  };
  const refill = (): void => {
    if (!filling && !ended && failed === undefined && left() < AHEAD / 2 && bytes < AHEAD_BYTES / 2) void fill();
  };
  const takeAhead = (): Item | undefined => {
    const item = ahead[taken];
    if (item === undefined) return undefined;
    taken += 1;
    bytes -= item.body.byteLength;
    if (taken === ahead.length || taken >= AHEAD) [ahead, taken] = [ahead.slice(taken), 0];
    return item;
  };

  return {
    take: () => {
      const item = returned.pop() ?? takeAhead();
      refill();
      if (item === undefined && failed !== undefined) throw failed.error;
      return item;
    },
    giveBack: (item) => {
      returned.push(item);
    },
    get empty() {
      return returned.length === 0 && left() === 0 && ended;
    },
    close: async () => {
      await items.return(undefined).catch(() => undefined);
    },
  };
}
