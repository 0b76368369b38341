import { addsUp, type Ledger } from '../../../src/batch/store/items/item-states.ts';
import type { State } from '../../../src/local/state/state.ts';
import type { Store } from '../../../src/local/state/store.ts';

/** How often a service took each item, by the `n` of its input. */
export type SubmissionCounts = ReadonlyMap<number, number>;

/**
 * What a local service holds of a batch. Jobs that it deletes as retention passes stay in `seen`, by their ids, where they
 * were looked at before.
 */
export const countSubmissions = (store: Store, seen = new Map<string, number>()): Promise<SubmissionCounts> =>
  store.transact(
    () => {
      throw new Error('no request has come yet');
    },
    ({ queue }: State) => {
      for (const { id, input } of Object.values(queue.jobs)) seen.set(id, (JSON.parse(input) as { n: number }).n);
      const counts = new Map<number, number>();
      for (const n of seen.values()) counts.set(n, (counts.get(n) ?? 0) + 1);
      return counts;
    },
  );

/**
 * Everything that a journal tells and that the service knows better, one line each: none where the batch is accounted
 * for. What waits was never taken, what nobody can tell of at most once, all else once; `twice` are those that somebody
 * asked to send again.
 */
export function journalMismatches(
  ledger: Ledger,
  taken: SubmissionCounts,
  items: number,
  twice: ReadonlySet<number> = new Set(),
): string[] {
  const found = addsUp(ledger.accounting()) ? [] : [`the counts do not add up: ${JSON.stringify(ledger.accounting())}`];
  for (let item = 1; item <= items; item++) {
    const state = ledger.stateOf(item);
    const times = taken.get(item) ?? 0;
    const unsure = state === 'sending' || state === 'unknown';
    const most = (state === 'waiting' ? 0 : 1) + (twice.has(item) ? 1 : 0);
    const least = state === 'waiting' || unsure ? 0 : 1;
    if (times < least || times > most)
      found.push(`item ${String(item)} is ${state} and was taken ${String(times)} times`);
  }
  return found;
}
