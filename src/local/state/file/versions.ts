import { isObject } from '../../../core/json.ts';
import { NO_GENERATION, type State } from '../state.ts';

/**
 * The members of a parsed state file of version 3 to 5. Every member that is neither named here nor a field of `State`
 * is one entry of `State.parts`.
 */
export type SavedState = Readonly<Record<string, unknown>> &
  Partial<Omit<State, 'version' | 'parts'>> & {
    readonly version: number;
    /** Different each time the file is written; versions 4 and later. */
    readonly stamp?: string;
    /** `processedTo` of version 4. */
    readonly queueAsOf?: number;
    /** Versions 3 and 4: parts that had no member of their own in the file. */
    readonly shelves?: Readonly<Record<string, unknown>>;
  };

/** The versions whose file is one JSON document. Later ones are lines: see `Header` and `Line`. */
export const DOCUMENT_VERSIONS: readonly unknown[] = [3, 4, 5];

const NUMBERS = ['clockOffsetMs', 'asOf', 'wallAt', 'queueAsOf', 'processedTo', 'serial'];

/** Returns whether a parsed file is a state of one of these versions; its parts are not checked. */
export const isSavedState = (value: unknown): value is SavedState =>
  isObject(value) &&
  DOCUMENT_VERSIONS.includes(value['version']) &&
  typeof value['since'] === 'number' &&
  isObject(value['queue']) &&
  NUMBERS.every((name) => value[name] === undefined || typeof value[name] === 'number') &&
  (value['generation'] === undefined || typeof value['generation'] === 'string') &&
  (value['shelves'] === undefined || isObject(value['shelves']));

/** A saved state of any readable version in the form of the newest one; its parts are still as they were parsed. */
export function upgrade(
  saved: SavedState,
): Omit<State, 'parts'> & { readonly parts: Readonly<Record<string, unknown>> } {
  const {
    version: _version,
    stamp: _stamp,
    since = 0,
    generation = NO_GENERATION,
    clockOffsetMs = 0,
    asOf = since,
    wallAt = asOf - clockOffsetMs,
    queueAsOf = asOf,
    processedTo = queueAsOf,
    serial = 0,
    shelves = {},
    ...parts
  } = saved;
  return {
    version: 6,
    since,
    generation,
    clockOffsetMs,
    asOf,
    wallAt,
    processedTo,
    serial,
    parts: { ...parts, ...shelves },
  };
}
