import type { ApiRequest } from '../../core/api.ts';
import { berth, type CommandLine, names } from '../../core/message.ts';
import { pluralOf } from '../words/words.ts';

/** The query of a request. */
export type Query = NonNullable<ApiRequest['query']>;

/** Where resources of one kind are listed, so that a name can be resolved into an id. `N` is the kind: `pod`. */
export interface Collection<N extends string = string> {
  /** Singular, lower case: `pod`. */
  readonly noun: N;
  readonly path: readonly string[];
  /** The member of the answer that holds the rows. */
  readonly member: string;
  /** The name of the contract's schema of a row; absent for rows that the published contract does not describe. */
  readonly schema?: string | undefined;
  /** The query of the list that names are looked up in, if the plain list leaves some rows out. */
  readonly lookupQuery?: Query | undefined;
  /** The member that a command line names a row by; `id` if absent. */
  readonly value?: string | undefined;
  /** The members that describe a row where a shell completes it; its status if absent. `hourly`: US dollars an hour. */
  readonly described?: readonly (string | { readonly hourly: string } | { readonly gigabytes: string })[] | undefined;
  /** A flag takes no name of a row, only its id: a shell shows the name as a description. */
  readonly idsOnly?: true | undefined;
  /** Bills name its rows by their ids, also after they are gone: their names are remembered. */
  readonly billed?: true;
  /** The service refuses a second row of a name. */
  readonly uniqueNames?: true;
  /** The words of the command that lists them, if it is not `PLURAL list`. */
  readonly listed?: string;
}

/** The command that lists a collection: `berth pods list`. */
export const listCommandOf = ({ noun, listed }: Collection): CommandLine =>
  berth`${names(listed ?? `${pluralOf(noun)} list`)}`;
