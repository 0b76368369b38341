import type { ServerEvent } from '../../../core/api.ts';

/** How many events are remembered: the most that a service sends again (contract rules, Pods: `tail`). */
const MAX_SEEN = 5000;

/**
 * The events of a stream that were seen, to drop those that a later connection sends again. Events are compared by id and data,
 * and counted: identical events of one connection are different events. What a later connection sends is a repetition until it
 * has sent an event more often than the earlier connections did.
 */
export class SeenEvents {
  readonly #seen: string[] = [];
  #repeats = new Map<string, number>();
  #cursor: string | undefined;
  #count = 0;

  constructor(cursor?: string) {
    this.#cursor = cursor;
  }

  /** The id of the last new event that had one: the cursor for the next connection. */
  get cursor(): string | undefined {
    return this.#cursor;
  }

  /** The number of new events. */
  get count(): number {
    return this.#count;
  }

  /** Starts another connection, which may send earlier events again. */
  reconnect(): void {
    this.#repeats = new Map();
    for (const key of this.#seen) this.#repeats.set(key, (this.#repeats.get(key) ?? 0) + 1);
  }

  /** Remembers an event; true where it was not seen on an earlier connection. */
  isNew(event: ServerEvent): boolean {
    const key = `${event.id ?? ''}\n${event.data}`;
    const left = this.#repeats.get(key) ?? 0;
    if (left > 0) {
      this.#repeats.set(key, left - 1);
      return false;
    }
    this.#seen.push(key);
    if (this.#seen.length > 2 * MAX_SEEN) this.#seen.splice(0, this.#seen.length - MAX_SEEN);
    this.#count += 1;
    if (event.id !== undefined && event.id !== '') this.#cursor = event.id;
    return true;
  }
}
