/** Waits until all works have ended, and then fails as the one that failed first: none goes on behind its caller. */
export async function allEnded(works: readonly Promise<unknown>[]): Promise<void> {
  try {
    await Promise.all(works);
  } finally {
    await Promise.allSettled(works);
  }
}
