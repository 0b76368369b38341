import type { Writable } from 'node:stream';
import { safeText } from '../../core/safe-text.ts';
import type { Bytes } from '../../core/unit-types.ts';

/** How much text may wait for a reader of stderr that does not read. */
const MAX_WAITING_BYTES: Bytes = 4_000_000;

/**
 * Returns what prints the lines of an endpoint's workers on stderr, each with its endpoint before it and made safe for a
 * terminal. Lines that nobody reads are left out instead of kept in memory, and counted.
 */
export function workerLog(stderr: Writable): (endpoint: string, text: string) => void {
  let leftOut = 0;
  return (endpoint, text) => {
    for (const line of text.replace(/\r?\n$/, '').split(/\r?\n/)) {
      if (stderr.writableLength > MAX_WAITING_BYTES) leftOut += 1;
      else {
        if (leftOut > 0) stderr.write(`(${String(leftOut)} lines of workers left out: nothing read them)\n`);
        leftOut = 0;
        stderr.write(`[${safeText(endpoint)}] ${safeText(line, true)}\n`);
      }
    }
  };
}
