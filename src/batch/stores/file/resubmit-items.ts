import type { DurableFiles } from '../../../core/context.ts';
import { decodeJson } from '../../../core/json.ts';
import { hasResult, type ItemStates } from '../../model/item-states.ts';
import { describeResubmitted } from '../../model/resubmit.ts';
import type { Journal } from './journal/journal.ts';
import { errorMatcher } from '../../model/error-text.ts';
import { type ResultsSource, storedResults } from './results/stored-results.ts';
import type { Resubmit } from '../../model/store.ts';

interface Resubmitted {
  readonly count: number;
  /** True when some of the items have a line in the results. */
  readonly hadResults: boolean;
  /** What was done: one sentence. */
  readonly notes: readonly string[];
}

/**
 * Sets items back to `waiting`, so that they are sent as new jobs, and writes that to the journal. If the process is
 * killed before it has finished, the remaining items are unchanged. Fails with local-file (14), and with the signal's
 * reason before anything is written.
 */
export async function resubmitItems(
  durable: DurableFiles,
  source: ResultsSource,
  journal: Journal,
  { resubmit, signal }: { readonly resubmit?: Resubmit | undefined; readonly signal?: AbortSignal },
): Promise<Resubmitted> {
  if (resubmit === undefined) return { count: 0, hadResults: false, notes: [] };
  const { states } = source;
  const chosen = resubmit.states.flatMap((state) => [...states.items(state)]);
  const { onlyError } = resubmit;
  const matching = onlyError === undefined ? undefined : await itemsWithError(durable, source, onlyError, signal);
  const items = chosen.filter((item) => matching === undefined || matching[item] === 1).sort((a, b) => a - b);
  const hadResults = items.some((item) => hasResult(states.stateOf(item)));
  const mayHaveRun = items.some((item) => ['unknown', 'expired'].includes(states.stateOf(item)));
  const count = await applyToAll(states, journal, items, 'resubmit');
  return { count, hadResults, notes: [describeResubmitted(count, onlyError, mayHaveRun)] };
}

/** Applies an event to items and resolves to their number when all records are on disk. */
export async function applyToAll(
  states: ItemStates,
  journal: Journal,
  items: readonly number[],
  kind: 'lose' | 'resubmit',
): Promise<number> {
  let written: Promise<void> | undefined;
  for (const item of items) {
    states.apply(item, { kind });
    // They are synced in order, so waiting for the last one is enough.
    written = journal.write({ kind: 'event', item, event: { kind }, data: {} });
  }
  await written;
  return items.length;
}

/** Returns 1 for each item whose result has an error that contains the text. */
async function itemsWithError(
  durable: DurableFiles,
  source: ResultsSource,
  text: string,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  const matches = errorMatcher(text);
  const found = new Uint8Array(source.states.positions + 1);
  for await (const results of storedResults(durable, source, signal))
    for (const { item, bytes } of results) {
      if (source.states.stateOf(item) === 'completed') continue;
      if (matches(decodeJson(Buffer.from(bytes).toString('utf8')))) found[item] = 1;
    }
  return found;
}
