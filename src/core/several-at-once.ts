interface SeveralLimits {
  readonly atOnce: number;
  /** At least `atOnce`. */
  readonly ahead: number;
}

interface State {
  running: number;
  areTaken: boolean;
  /** Ends when an item was taken, or there is none. */
  taking: Promise<void> | undefined;
  failure: { readonly error: unknown } | undefined;
}

/** Yields results in item order. After a failure, starts nothing more and throws once the rest has ended. */
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

/** Waits until all works have ended, and then fails as the one that failed first: none goes on behind its caller. */
export async function allEnded(works: readonly Promise<unknown>[]): Promise<void> {
  try {
    await Promise.all(works);
  } finally {
    await Promise.allSettled(works);
  }
}
