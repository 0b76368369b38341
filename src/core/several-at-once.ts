/** Yields results in item order; `ahead`: how many may wait for an earlier one. After a failure, starts nothing more and throws once the rest has ended. */
export async function* severalAtOnce<T, R>(
  items: AsyncIterable<T> | Iterable<T>,
  work: (item: T) => Promise<R>,
  { atOnce = 64, ahead = 1000 } = {},
): AsyncGenerator<R, void> {
  const works: Promise<R>[] = [];
  const ended = new Set<Promise<R>>();
  const running = new Set<Promise<void>>();
  const failures: unknown[] = [];
  const begin = (item: T): void => {
    const result = work(item);
    const end = result
      .then(undefined, (error: unknown) => void failures.push(error))
      .then(() => {
        ended.add(result);
        running.delete(end);
      });
    running.add(end);
    works.push(result);
  };
  try {
    for await (const item of items) {
      begin(item);
      if (running.size >= atOnce) await Promise.race(running);
      for (let [first] = works; first && (ended.has(first) || works.length >= ahead); [first] = works) {
        ended.delete(first);
        yield await (works.shift() ?? first);
      }
      if (failures.length > 0) break;
    }
  } catch (error) {
    failures.push(error);
  } finally {
    await Promise.all(running);
  }
  for (const result of works) yield await result;
  if (failures.length > 0) throw failures[0];
}
