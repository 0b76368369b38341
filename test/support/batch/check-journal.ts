import { countsAddUp, type ItemStates } from '../../../src/batch/model/item-states.ts';
import type { State } from '../../../src/local/state/state.ts';
import type { Store } from '../../../src/local/state/store.ts';
import { type Job, queuesOf } from '../../../src/local/queue/records.ts';

/** How often a service accepted each item, by the `n` of its input. */
export type SubmissionCounts = ReadonlyMap<number, number>;

/**
 * Counts the submissions that a local service has accepted. `seen` maps job ids to items: pass the same map again to keep
 * counting jobs that the service has since deleted.
 */
export const countSubmissions = (store: Store, seen = new Map<string, number>()): Promise<SubmissionCounts> =>
  store.transact(
    () => {
      throw new Error('the service has received no request');
    },
    (state: State) => {
      for (const { id, input } of Object.values<Job>(queuesOf(state).jobs))
        seen.set(id, (JSON.parse(input) as { n: number }).n);
      const counts = new Map<number, number>();
      for (const n of seen.values()) counts.set(n, (counts.get(n) ?? 0) + 1);
      return counts;
    },
  );

/**
 * Returns one line for each item whose state in the journal contradicts the submissions that the service accepted. A waiting
 * item was never accepted, one that is being sent or is unknown at most once, any other exactly once. Items in `twice` were
 * resubmitted on request and may have been accepted once more.
 */
export function journalMismatches(
  states: ItemStates,
  taken: SubmissionCounts,
  items: number,
  twice: ReadonlySet<number> = new Set(),
): string[] {
  const found = countsAddUp(states.counts()) ? [] : [`the counts do not add up: ${JSON.stringify(states.counts())}`];
  for (let item = 1; item <= items; item++) {
    const state = states.stateOf(item);
    const times = taken.get(item) ?? 0;
    const unsure = state === 'sending' || state === 'unknown';
    const most = (state === 'waiting' ? 0 : 1) + (twice.has(item) ? 1 : 0);
    const least = state === 'waiting' || unsure ? 0 : 1;
    if (times < least || times > most)
      found.push(`item ${String(item)} is ${state} and was accepted ${String(times)} times`);
  }
  return found;
}
