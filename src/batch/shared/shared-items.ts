import type { InvalidItem, Item } from '../read/item.ts';
import type { ShardRange } from '../read/range.ts';
import type { Manifest } from '../stores/postgres/rows/batch-rows.ts';
import type { SharedBooks } from '../stores/postgres/driver/driver-records.ts';
import { createOpenedInputs } from './opened-inputs.ts';
import type { SharedPorts } from './ports.ts';

/**
 * Yields the items of the shards that this driver claims: the next shard is claimed when the items of the last one were
 * taken, before their jobs have ended. While other drivers hold all shards that are left, it waits for these: a driver
 * may end. Ends when all shards are done. Fails as reading the input does.
 */
export function sharedItems(
  ports: Pick<SharedPorts, 'storage' | 'signal'>,
  manifest: Manifest,
  books: SharedBooks,
): AsyncGenerator<Iterable<Item | InvalidItem>> {
  const stopped = new AbortController();
  const inputs = createOpenedInputs(ports, manifest, manifest.extras);
  async function* claimed(): AsyncGenerator<Iterable<Item | InvalidItem>> {
    for (;;) {
      const claim = await books.claim();
      if (claim === 'finished') return;
      if (claim === 'none' || claim === 'busy') {
        await books.changed(stopped.signal);
        continue;
      }
      const source = await inputs.at(claim.row.source);
      for await (const group of source.read(claim.row.range as ShardRange)) {
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
  // Otherwise the end would wait as long as the generator waits for a shard.
  generator.return = (value: unknown) => {
    stopped.abort(new Error('the run has ended'));
    return end(value);
  };
  return generator;
}
