import { usage, asError } from '../../core/failure.ts';
import type { Input } from '../runtime/runtime.ts';

/**
 * Yields the bytes of standard input. An abort ends the read with the signal's reason. Fails with usage (2) when standard
 * input is a terminal.
 */
export async function* readStdin(stdin: Input, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  if (stdin.isTTY === true)
    throw usage('"-" reads standard input, which is a terminal here', 'Pipe the data in, or name a file.');
  const stop = (): void => {
    stdin.destroy(asError(signal.reason));
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const chunk of stdin) yield Buffer.from(chunk as Uint8Array);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
