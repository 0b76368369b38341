import { pluralOf } from '../words.ts';
import type { ApiRequest } from '../../core/api.ts';
import type { Json } from '../../core/json.ts';
import { berth, type CommandLine, names } from '../../core/message.ts';

export type Query = NonNullable<ApiRequest['query']>;

export interface Collection<N extends string = string> {
  readonly noun: N;
  readonly path: readonly string[];
  readonly member: string;
  /** The contract's schema of a row; absent if the published contract does not describe it. */
  readonly schema?: string | undefined;
  /** For looking up names, if the plain list leaves some rows out. */
  readonly lookupQuery?: Query | undefined;
  /** The member that a command line names a row by; default `id`. */
  readonly value?: string | undefined;
  /** Shown in shell completion; default status. `hourly`: US dollars an hour. */
  readonly described?: readonly (string | { readonly hourly: string } | { readonly gigabytes: string })[] | undefined;
  readonly idsOnly?: true | undefined;
  /** What a row is called, where it has no member `name`. */
  readonly nameOf?: (row: Json) => string;
  /** The service refuses a second row with the same name. */
  readonly uniqueNames?: true;
  readonly listed?: string;
}

export const listCommandOf = ({ noun, listed }: Collection): CommandLine =>
  berth`${names(listed ?? `${pluralOf(noun)} list`)}`;

/** `@file`, `=file`: after that mark. `job`: submitted by this machine. `volume-path`: `VOLUME:PATH`. */
export type LocalSource =
  'file' | '@file' | '=file' | 'command' | 'job' | 'profile' | 'help' | 'volume-path' | 'file-or-volume-path';

export interface Candidate {
  readonly value: string;
  readonly description: string;
}

export type Completes = LocalSource | Collection;

export type ListSource = Pick<Collection, 'path' | 'member' | 'lookupQuery' | 'value' | 'described' | 'idsOnly'>;

export const listSource = ({ path, member, lookupQuery, value, described, idsOnly }: Collection): ListSource => ({
  path,
  member,
  lookupQuery,
  value,
  described,
  idsOnly,
});
