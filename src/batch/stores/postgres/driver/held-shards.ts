import { type Deferred } from '../../../bytes/deferred.ts';
import { rangesOf } from '../../../../core/text/patterns/number-ranges.ts';
import type { ItemState } from '../../../model/item-states.ts';
import { type Held, findLostWrites, type Driver } from '../rows/shard-rows.ts';
import type { HeldShard } from '../shard/held-shard.ts';
import type { Database } from '../database/database.ts';
import { storeBroken } from '../database/failures.ts';

/** A shard of this driver, and who waits for its records. */
export interface HeldEntry {
  readonly shard: HeldShard;
  /** Different each time that this driver claims a shard. */
  readonly tenure: number;
  /** Resolves when the records are durable that were not taken yet; undefined when nobody waits. */
  written: Deferred | undefined;
  /** The latest group of records that the store has confirmed. */
  confirmed: { readonly epoch: number; readonly number: number } | undefined;
  publishing: Promise<void> | undefined;
  /** Time of the monotonic clock. */
  publishedAt: number;
  /** True when the shard is done or another driver has taken it over. */
  lost: boolean;
}

/** `onDrop` is called when a shard was dropped. */
export function createHeldShards(onDrop: () => void) {
  const held = new Map<number, HeldEntry>();
  let recent: HeldEntry | undefined;
  let tenure = 0;
  const all = (): readonly HeldEntry[] => [...held.values()];
  const holderOf = (item: number): HeldEntry | undefined => {
    if (recent?.lost === false && recent.shard.has(item)) return recent;
    for (const entry of held.values()) if (entry.shard.has(item)) return (recent = entry);
    return undefined;
  };
  const drop = (entry: HeldEntry): void => {
    if (entry.lost) return;
    entry.lost = true;
    held.delete(entry.shard.shard);
    takeWritten(entry)?.resolve();
    onDrop();
  };
  return {
    all,
    numbers: (): readonly number[] => [...held.keys()],
    epochs: (): readonly Held[] => all().map(({ shard }) => ({ shard: shard.shard, epoch: shard.epoch() })),
    add: (shard: HeldShard, now: number): HeldEntry => {
      tenure += 1;
      const entry = {
        shard,
        tenure,
        written: undefined,
        confirmed: undefined,
        publishing: undefined,
        publishedAt: now,
        lost: false,
      };
      held.set(shard.shard, entry);
      return entry;
    },
    /** Returns the shard of an item; undefined when this driver does not hold it. */
    holderOf,
    stateOf: (item: number): ItemState => {
      const shard = holderOf(item)?.shard;
      if (shard === undefined) return 'unknown';
      const state = shard.stateOf(item);
      // An earlier driver has published its end.
      return state === 'waiting' && !shard.isWaiting(item) ? 'unknown' : state;
    },
    /** The store has confirmed groups of records of these shards. */
    confirm: (groups: readonly { readonly shard: number; readonly epoch: number; readonly number: number }[]): void => {
      for (const { shard, epoch, number } of groups) {
        const entry = held.get(shard);
        if (entry !== undefined) entry.confirmed = { epoch, number };
      }
    },
    /** What happens to the items of the shard is ignored from now on. */
    drop,
    /** Drops those of the asked shards that are not in `still`. */
    dropAllBut: (still: readonly number[], asked: readonly number[]): void => {
      const kept = new Set(still);
      for (const number of asked) {
        const entry = held.get(number);
        if (entry !== undefined && !kept.has(number)) drop(entry);
      }
    },
    /** Bytes of the results that are kept until they are published, approximately. */
    keptBytes: (): number => all().reduce((sum, { shard }) => sum + shard.keptBytes(), 0),
  };
}

export type HeldShards = ReturnType<typeof createHeldShards>;

/** Returns who waits for the records that are taken now; undefined when nobody does. */
export function takeWritten(entry: HeldEntry): Deferred | undefined {
  const { written } = entry;
  entry.written = undefined;
  return written;
}

/**
 * Fails with local-file (14) when the database has lost what it had confirmed to this driver: it was restored to an earlier
 * state, a standby that lagged took over, or it does not keep what it confirms. Names the items that were sent and may be sent
 * again. Fails as the database does.
 */
export async function requireOwnWrites(database: Database, driver: Driver, held: readonly HeldEntry[]): Promise<void> {
  const confirmed = held.map(({ shard, confirmed: group }) => ({
    shard: shard.shard,
    epoch: shard.epoch(),
    number: group?.epoch === shard.epoch() ? group.number : undefined,
  }));
  const lost = new Set(confirmed.length === 0 ? [] : await findLostWrites(database, driver, confirmed));
  if (lost.size === 0) return;
  const items = held.filter(({ shard }) => lost.has(shard.shard)).flatMap(({ shard }) => shard.sentItems());
  throw storeBroken(
    `the database ${database.shown} has lost what it had confirmed${items.length === 0 ? '' : `. Items in doubt, which were sent and may be sent again: ${rangesOf(items.toSorted((one, other) => one - other))}`}`,
    'It was restored to an earlier state, or a standby that lagged took over, or it does not keep what it confirms. Stop the other drivers. Look at the items before you go on with the batch.',
  );
}
