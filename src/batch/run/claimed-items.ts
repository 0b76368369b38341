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
