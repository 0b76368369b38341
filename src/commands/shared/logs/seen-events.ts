import type { ServerEvent } from '../../../core/api.ts';

/** How many events are remembered: the most that a service sends again (contract rules, Pods: `tail`). */
const MAX_SEEN = 5000;

/** The events of a stream that were seen, to drop those that a later connection sends again. */
export interface SeenEvents {
  /** The id of the last new event that had one: the cursor for the next connection. */
  readonly cursor: string | undefined;
  /** The number of new events. */
  readonly count: number;
  /** Starts another connection, which may send earlier events again. */
  reconnect(): void;
  /** Remembers an event; true where it was not seen on an earlier connection. */
  isNew(event: ServerEvent): boolean;
}

/**
 * Events are compared by id and data, and counted: identical events of one connection are different events. What a later
 * connection sends is a repetition until it has sent an event more often than the earlier connections did.
 */
export function createSeenEvents(cursor?: string): SeenEvents {
  const seen: string[] = [];
  const state = { cursor, count: 0 };
  let repeats = new Map<string, number>();
  return {
    get cursor() {
      return state.cursor;
    },
    get count() {
      return state.count;
    },
    reconnect: () => {
      repeats = new Map();
      for (const key of seen) repeats.set(key, (repeats.get(key) ?? 0) + 1);
    },
    isNew: (event) => {
      const key = `${event.id ?? ''}\n${event.data}`;
      const left = repeats.get(key) ?? 0;
      if (left > 0) {
        repeats.set(key, left - 1);
        return false;
      }
      seen.push(key);
      if (seen.length > 2 * MAX_SEEN) seen.splice(0, seen.length - MAX_SEEN);
      state.count += 1;
      if (event.id !== undefined && event.id !== '') state.cursor = event.id;
      return true;
    },
  };
}
