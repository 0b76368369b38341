import type { InputIdentity } from './record.ts';

/**
 * The copy of an input that can be read but once, beside the results. It has its first name until there is a journal: so
 * what lies under the second one without a journal is not this program's, and is left alone.
 */
export const newCopyPath = (results: string): string => `${results}.input.new`;
export const copyPath = (results: string): string => `${results}.input`;

/** Where the input of a batch may lie, most likely first. */
export const inputPlaces = (results: string, { path }: InputIdentity): readonly string[] => [
  path,
  // The process ended before the copy had its second name.
  newCopyPath(results),
];
