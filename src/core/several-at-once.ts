/** Yields results in item order; `ahead`: how many may wait for an earlier one. After a failure, starts nothing more and throws once the rest has ended. */
export async function* severalAtOnce<T, R>(
  items: AsyncIterable<T> | Iterable<T>,
  work: (item: T) => Promise<R>,
  { atOnce = 64, ahead = 1000 } = {},
): AsyncGenerator<R> {
  const works: { readonly result: Promise<R>; hasEnded: boolean }[] = [];
  const running = new Set<Promise<void>>();
  const source = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  const failures: unknown[] = [];
  let lost: { readonly error: unknown } | undefined;
  const next = async (): Promise<IteratorResult<T>> => {
    try {
      return await source.next();
    } catch (error) {
      lost = { error };
      return { done: true, value: undefined };
    }
  };
  try {
    for (let item = await next(); item.done !== true && failures.length === 0; item = await next()) {
      const started = { result: work(item.value), hasEnded: false };
      const end = started.result
        .then(undefined, (error: unknown) => void failures.push(error))
        .then(() => {
          started.hasEnded = true;
          running.delete(end);
        });
      running.add(end);
      works.push(started);
      if (running.size >= atOnce) await Promise.race(running);
      for (let [first] = works; first?.hasEnded === true || works.length >= ahead; [first] = works) {
        works.shift();
        if (first !== undefined) yield await first.result;
      }
    }
    for (const { result } of works) yield await result;
    if (lost !== undefined) throw lost.error;
  } finally {
    await Promise.all(running);
    await source.return?.();
  }
}
