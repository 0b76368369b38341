import type { RememberedNotes } from '../../core/ports/remembered.ts';
import { isRecord, readObject, writeObject } from './json-file.ts';
import { quietly, type RememberedOptions } from './lists.ts';

/** The most notes that are kept; the oldest are dropped. */
const MAX_NOTES = 100;

/** Keeps notes of a profile in a file, `{notes: {NOTE: AT}}`. Errors of the file are ignored: nothing is then remembered. */
export function createRememberedNotes(options: Omit<RememberedOptions, 'account'>): RememberedNotes {
  const kept = (): readonly (readonly [string, number])[] => {
    const { notes } = readObject(options.path(), options.user);
    const entries = isRecord(notes) ? Object.entries(notes) : [];
    return entries.filter((entry): entry is [string, number] => typeof entry[1] === 'number');
  };
  return {
    ageMs: (note) =>
      quietly(undefined, () => {
        const found = kept().find(([name]) => name === note);
        const ageMs = found === undefined ? -1 : options.date() - found[1];
        return ageMs < 0 ? undefined : ageMs;
      }),
    make: (note) =>
      quietly(undefined, () => {
        const others = kept().filter(([name]) => name !== note);
        const notes = [[note, options.date()] as const, ...others.toSorted((a, b) => b[1] - a[1])].slice(0, MAX_NOTES);
        writeObject(options.path(), { notes: Object.fromEntries(notes) }, options);
      }),
  };
}
