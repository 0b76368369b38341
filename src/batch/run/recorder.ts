import type { Json } from '../../core/json.ts';
import type { EndEvent, ItemEvent } from '../store/items/item-state-machine.ts';
import type { ItemStates } from '../store/items/item-states.ts';
import type { Journal } from '../store/journal/journal.ts';
import type { EventData } from '../store/journal/record.ts';
import { resultLine, type LineOwner, type Results } from '../store/results/results-file.ts';

/** Writes events and results to disk. */
export interface Recorder {
  /** Applies an event and writes it to the journal; resolves when it and all earlier records are on disk. */
  record(item: number, event: ItemEvent, data?: EventData): Promise<void>;
  /** Writes the result of an item, and then the event that ends it. */
  saveResult(owner: LineOwner, document: Json, event: EndEvent): Promise<void>;
}

/** `now` returns the date for the journal, in milliseconds since the epoch. */
export function createRecorder(
  states: ItemStates,
  journal: Journal,
  results: Results,
  onEnded: (event: EndEvent, document: Json) => void,
  now: () => number,
): Recorder {
  const record: Recorder['record'] = (item, event, data = {}) => {
    if (!states.apply(item, event))
      throw new Error(`item ${String(item)} is ${states.stateOf(item)} and cannot ${event.kind}`);
    return journal.write({ kind: 'event', item, event, data });
  };
  return {
    record,
    saveResult: async (owner, document, event) => {
      const extent = await results.append(resultLine(owner, document));
      await record(owner.item, event, { ...extent, at: now() });
      onEnded(event, document);
    },
  };
}
