/** How many works run at once, and how many results may wait for an earlier one. */
export interface SeveralLimits {
  readonly atOnce: number;
  /** At least `atOnce`. */
  readonly ahead: number;
}

interface State {
  running: number;
  /** No other item is taken. */
  areTaken: boolean;
  /** Ends when an item was taken, or there is none. */
  taking: Promise<void> | undefined;
  /** Why no item could be taken. */
  failure: { readonly error: unknown } | undefined;
}

/**
 * Does a work for each item, several at once, and yields the results in the order of the items. Items are taken only when
 * one can be begun. Where taking an item or a work fails, no other work is begun: the results before it are yielded, those
 * that run are waited for, and then the failure is thrown. A caller that stops early waits for those that run.
 */
export async function* severalAtOnce<T, R>(
  items: AsyncIterable<T>,
  work: (item: T) => Promise<R>,
  { atOnce, ahead }: SeveralLimits,
): AsyncGenerator<R> {
  const results: Promise<R>[] = [];
  const state: State = { running: 0, areTaken: false, taking: undefined, failure: undefined };
  let wake = (): void => undefined;
  const changed = (): void => {
    wake();
  };
  const change = (): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve;
    });
  const source = items[Symbol.asyncIterator]();

  const begin = (item: T): void => {
    state.running += 1;
    const result = work(item).finally(() => {
      state.running -= 1;
      changed();
    });
    // It is thrown when its turn comes.
    result.catch(() => {
      state.areTaken = true;
    });
    results.push(result);
  };
  const takeOne = async (): Promise<void> => {
    try {
      const next = await source.next();
      if (next.done === true) state.areTaken = true;
      else if (!state.areTaken) begin(next.value);
    } catch (error) {
      state.areTaken = true;
      state.failure = { error };
    }
    state.taking = undefined;
    changed();
  };

  try {
    for (;;) {
      if (state.taking === undefined && !state.areTaken && state.running < atOnce && results.length < ahead)
        state.taking = takeOne();
      const [first] = results;
      if (first === undefined) {
        if (state.failure !== undefined) throw state.failure.error;
        if (state.areTaken && state.taking === undefined) return;
        await change();
        continue;
      }
      const outcome = await Promise.race([first.then((value) => ({ value })), change()]);
      if (outcome === undefined) continue;
      void results.shift();
      yield outcome.value;
    }
  } finally {
    state.areTaken = true;
    await state.taking;
    await Promise.allSettled(results);
    await source.return?.();
  }
}
