/** A promise and what settles it. */
export function createDeferred() {
  let resolve = (): void => undefined;
  let reject = (_: unknown): void => undefined;
  const promise = new Promise<void>((onDone, onFailed) => ([resolve, reject] = [onDone, onFailed]));
  // Nobody may wait for it, or only for a later one that fails too.
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}
