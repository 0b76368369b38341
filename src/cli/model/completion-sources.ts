import type { Collection } from './collection.ts';

/**
 * Values that are of no list of the service. `@file` is a file after an `@`; `=file` is a file after the first `=`; `command` is a
 * program with its arguments; `job` is a job that this machine submitted to the endpoint before it; `help` is a command
 * or topic; `volume-path` is a place on a network volume, `VOLUME:PATH`, which the service says.
 */
export type LocalSource =
  'file' | '@file' | '=file' | 'command' | 'job' | 'profile' | 'help' | 'volume-path' | 'file-or-volume-path';

/** One word that may follow. */
export interface Candidate {
  readonly value: string;
  /** Shown next to it when the shell shows descriptions; may be empty. */
  readonly description: string;
}

/** What completes the value of an argument or a flag: one of these sources, or the rows of a list of the service. */
export type Completes = LocalSource | Collection;

/** A list of the service, as data that the completion tree contains. */
export type ListSource = Pick<Collection, 'path' | 'member' | 'lookupQuery' | 'value' | 'described' | 'idsOnly'>;

/** The list of a collection, without the members that completion does not need. */
export const listSource = ({ path, member, lookupQuery, value, described, idsOnly }: Collection): ListSource => ({
  path,
  member,
  lookupQuery,
  value,
  described,
  idsOnly,
});
