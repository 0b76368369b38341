import type { DurableFiles } from '../../core/context.ts';

/**
 * The bytes of an input while it is only looked through, before anything is sent: that may take long, and an interrupt
 * ends it. Fails with the interrupt (130 or 143), and as the file does.
 */
export async function* readThrough(
  { signal }: { readonly signal: AbortSignal },
  durable: DurableFiles,
  path: string,
): AsyncGenerator<Uint8Array> {
  for await (const piece of durable.read(path)) {
    if (signal.aborted) throw signal.reason;
    yield piece;
  }
}
