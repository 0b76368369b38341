import { usage } from '../../core/failure.ts';
import type { StoredFile } from './store.ts';

/**
 * Fails with usage (2) when the files that a batch has now are not those that were shown to the user: it was worked on since
 * then, or another batch was begun in its place.
 */
export function requireSameFiles(name: string, shown: readonly StoredFile[], now: readonly StoredFile[]): void {
  if (textOf(shown) === textOf(now)) return;
  throw usage(
    `the files of the batch ${name} are not those that were listed: it was worked on, or another batch took its place`,
    'Nothing was removed. Give the same command again to see what there is now.',
  );
}

const textOf = (files: readonly StoredFile[]): string =>
  files
    .map(({ address, bytes }) => `${address} ${bytes}`)
    .sort()
    .join('\n');
