import type { Milliseconds } from '../../../core/unit-types.ts';

/** What is shown of a worker until it is ready. */
export interface StartReport {
  line(line: string): void;
  /** The worker is ready: everything that it prints from now on is shown. */
  succeeded(): void;
  /** The worker ended before it was ready; `text` describes how. */
  failed(text: string): void;
}

/** After this time, the lines of a start are shown before it has ended, even after a failed one. */
const PATIENCE_MS: Milliseconds = 5000;
const MAX_HELD_LINES = 200;

/**
 * Shows what a worker prints. After a failed start the lines are not shown until the worker is ready or runs for five
 * seconds: when it fails again and prints the same lines (`lastFailure`), they are not shown again.
 */
export function createStartReport(
  monotonic: () => number,
  lastFailure: string | undefined,
  show: (line: string) => void,
): StartReport {
  const startedAt = monotonic();
  let held: string[] | undefined = lastFailure === undefined ? undefined : [];
  const release = (): void => {
    const lines = held ?? [];
    held = undefined;
    lines.forEach(show);
  };
  return {
    line: (line) => {
      if (held !== undefined && monotonic() - startedAt > PATIENCE_MS) release();
      if (held === undefined) show(line);
      else held = [...held, line].slice(-MAX_HELD_LINES);
    },
    succeeded: release,
    failed: (text) => {
      const isSame = held !== undefined && lastFailure !== undefined && endsWith(lastFailure, held);
      if (isSame) held = undefined;
      else release();
      show(isSame ? `${text.slice(0, -1)}, as the one before)` : text);
    },
  };
}

/** Returns whether the latest of these lines equal the text, apart from the numbers, which differ from run to run. */
function endsWith(text: string, lines: readonly string[]): boolean {
  const withoutNumbers = (some: string): string => some.replace(/\d+/g, '#');
  const count = text.split('\n').length;
  return withoutNumbers(lines.slice(-count).join('\n')) === withoutNumbers(text);
}
