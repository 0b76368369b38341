import type { DurableFiles } from '../../../core/context.ts';

/**
 * Returns the chunks of an input until the signal is aborted: reading a large input before the first request can take
 * long. Fails with the signal's reason, and as reading the file does.
 */
export async function* readUntilAborted(
  durable: DurableFiles,
  path: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of durable.read(path)) {
    if (signal.aborted) throw signal.reason;
    yield chunk;
  }
}
