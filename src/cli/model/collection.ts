import type { ApiRequest } from '../../core/api.ts';
import { type Json, numberAt, stringAt } from '../../core/json.ts';
import { safeText } from '../../core/safe-text.ts';
import { hourlyPrice } from '../../core/units.ts';

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
  /** Beside an id that is offered or picked; default status. `hourly`: US dollars an hour. */
  readonly described?: readonly (string | { readonly hourly: string } | { readonly gigabytes: string })[] | undefined;
  readonly idsOnly?: true | undefined;
  /** What a row is called, where it has no member `name`. */
  readonly nameOf?: (row: Json) => string;
  readonly listed?: string;
}

/** `@file`, `=file`: after that mark. `job`: submitted by this machine. `volume-path`: `VOLUME:PATH`. */
export type LocalSource =
  | 'file'
  | '@file'
  | '=file'
  | 'command'
  | 'job'
  | 'profile'
  | 'fields'
  | 'help'
  | 'volume-path'
  | 'file-or-volume-path';

export interface Candidate {
  readonly value: string;
  readonly description: string;
}

/** In characters, of one word. */
const MAX_LENGTH = 200;

/** `RUNNING`, `$1.50/h`: what tells a row from others, beside its id and name. */
export const describedBy = (row: Json, { described = ['status'] }: Pick<Collection, 'described'>): readonly string[] =>
  described
    .map((each) => {
      if (typeof each === 'string') return safeText(stringAt(row, each) ?? '').slice(0, MAX_LENGTH);
      if ('hourly' in each) return hourlyPrice(numberAt(row, each.hourly));
      const size = numberAt(row, each.gigabytes);
      return size === undefined ? '' : `${size} GB`;
    })
    .filter((word) => word !== '');
