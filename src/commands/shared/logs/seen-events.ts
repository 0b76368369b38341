import type { ServerEvent } from '../../../core/api.ts';

/** Events that are remembered: as many as a service ever sends of the past (contract rules, Pods: `tail`). */
const KEPT = 5000;

/** What was seen of a stream of events, so that a server that repeats itself is heard once. */
export interface SeenEvents {
  /** The id of the last new event that had one: where to go on. */
  readonly cursor: string | undefined;
  /** New events so far. */
  readonly count: number;
  /** Begins another connection: the server may send again what came before. */
  reconnect(): void;
  /** True for an event that was not seen before this connection; it is remembered. */
  isNew(event: ServerEvent): boolean;
}

/**
 * An event is known by its id and its data, and counted: two lines that are alike are two lines, as often as one
 * connection sends them. What a new connection sends counts against what earlier ones sent.
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
      if (seen.length > 2 * KEPT) seen.splice(0, seen.length - KEPT);
      state.count += 1;
      if (event.id !== undefined && event.id !== '') state.cursor = event.id;
      return true;
    },
  };
}
