import { EXIT } from '../../../../core/exit-codes.ts';
import { Failure } from '../../../../core/failure.ts';
import type { Database } from '../database/database.ts';
import { findLostWrites, type Driver } from '../rows/shard-rows.ts';
import type { HeldEntry } from './held-shards.ts';

/**
 * Fails with local-file (14) when the database has lost what it had confirmed to this driver: it was restored to an earlier
 * state, a standby that lagged took over, or it does not keep what it confirms. Names the items that were sent and may be sent
 * again. Fails as the database does.
 */
export async function requireOwnWrites(database: Database, driver: Driver, held: readonly HeldEntry[]): Promise<void> {
  const confirmed = held.map(({ shard, confirmed: group }) => ({
    shard: shard.shard,
    epoch: shard.epoch(),
    group: group?.epoch === shard.epoch() ? group.number : undefined,
  }));
  const lost = new Set(confirmed.length === 0 ? [] : await findLostWrites(database, driver, confirmed));
  if (lost.size === 0) return;
  const items = held.filter(({ shard }) => lost.has(shard.shard)).flatMap(({ shard }) => shard.sentItems());
  throw new Failure({
    code: 'store-broken',
    exit: EXIT.localFile,
    message: `the database ${database.shown} has lost what it had confirmed${items.length === 0 ? '' : `. Items in doubt, which were sent and may be sent again: ${rangesOf(items)}`}`,
    hint: 'It was restored to an earlier state, or a standby that lagged took over, or it does not keep what it confirms. Stop the other drivers. Look at the items before you go on with the batch.',
  });
}

/** Numbers as text, such as `1-4, 7`. */
function rangesOf(numbers: readonly number[]): string {
  const ranges: { readonly first: number; last: number }[] = [];
  for (const number of numbers.toSorted((one, other) => one - other)) {
    const range = ranges.at(-1);
    if (range?.last === number - 1) range.last = number;
    else ranges.push({ first: number, last: number });
  }
  return ranges
    .map(({ first, last }) => (first === last ? String(first) : `${String(first)}-${String(last)}`))
    .join(', ');
}
