import { dirname, isAbsolute, join, relative } from 'node:path';
import type { InputIdentity } from './journal/record.ts';

/**
 * The copy of an input that can be read but once, beside the results. It has its first name until there is a journal: so
 * what lies under the second one without a journal is not this program's, and is left alone.
 */
export const newCopyPath = (results: string): string => `${results}.input.new`;
export const copyPath = (results: string): string => `${results}.input`;

/**
 * An input as its batch remembers it: from the directory of the results where it lies in or below that, so that both can
 * be moved together; else from the root. Both names are given from the root on.
 */
export function rememberedPath(results: string, input: string): string {
  const below = relative(dirname(results), input);
  return isAbsolute(below) || /^\.\.([/\\]|$)/.test(below) ? input : below;
}

/** Where the input of a batch may lie, most likely first, each place once. */
export const inputPlaces = (results: string, { path }: InputIdentity): readonly string[] => [
  ...new Set([
    isAbsolute(path) ? path : join(dirname(results), path),
    // A journal of an earlier version has the name that was given.
    path,
    // The process ended before the copy had its second name.
    newCopyPath(results),
  ]),
];
