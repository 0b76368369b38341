import { countedAs, ENDINGS, type ItemCounts, type ItemState } from '../../../model/item-states.ts';
import type { Unwritten } from '../shard/held-shard.ts';

/** The counts of a whole batch as one driver knows them: those of the store, and what it did since it read them. */
export function createProgress(begun: ItemCounts) {
  let known: Record<keyof ItemCounts, number> = { ...begun };
  return {
    counts: (): ItemCounts => {
      const { planned, waiting, ...others } = known;
      const left = planned - Object.values(others).reduce((sum, count) => sum + count, 0);
      // A moment after a shard has changed hands, some counts may be too large; the sum is exact at the end.
      return left < 0 ? { ...others, planned: planned - left, waiting: 0 } : { ...others, planned, waiting: left };
    },
    /** An item of this driver has another state; undefined when nothing changed. */
    apply: (before: ItemState, after: ItemState | undefined): void => {
      if (after === undefined) return;
      known[countedAs(before)] -= 1;
      known[countedAs(after)] += 1;
    },
    /** Takes the counts of the store, to which is added what this driver has not written yet. */
    refresh: (counts: ItemCounts, unwritten: readonly Unwritten[]): void => {
      known = { ...counts };
      for (const { ends, endedJobs, changes } of unwritten) {
        for (const ending of ENDINGS) known[ending] += ends[ending];
        known.inFlight += changes.sending + changes.submitted - endedJobs;
        known.unknown += changes.unknown;
      }
    },
  };
}
