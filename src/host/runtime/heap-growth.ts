import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import type { Bytes, Milliseconds } from '../../core/unit-types.ts';

/** Smaller, it would be cleaned up too often. */
const NEW_SPACE_BYTES: Bytes = 4 * 1024 * 1024;

/** Percent of what is used after the last clean-up. */
const OLD_GROWTH_PERCENT = 20;

const CHECK_MS: Milliseconds = 20;

/** For millions of names: else the heap grows to several times its use. Nothing undoes it. */
export function keepHeapSmall(): void {
  setFlagsFromString(`--heap-growing-percent=${String(OLD_GROWTH_PERCENT)}`);
  const timer = setInterval(() => {
    const size = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0;
    if (size < NEW_SPACE_BYTES) return;
    setFlagsFromString('--semi-space-growth-factor=1');
    clearInterval(timer);
  }, CHECK_MS);
  timer.unref();
}
