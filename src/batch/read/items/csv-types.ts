import { usage } from '../../../core/failure.ts';
import { Exact, type Json } from '../../../core/json.ts';
import { jsonProblem } from './item.ts';

const COLUMN_TYPES = ['string', 'number', 'boolean', 'json'] as const;
export type ColumnType = (typeof COLUMN_TYPES)[number];

/** The types of columns by their names; other columns contain text. */
export type ColumnTypes = Readonly<Record<string, ColumnType>>;

/** A column of a CSV file. */
export interface Column {
  readonly name: string;
  readonly type: ColumnType;
}

const isType = (text: string): text is ColumnType => (COLUMN_TYPES as readonly string[]).includes(text);

/** Parses `price:number,active:boolean`. Fails with usage (2). */
export function parseColumnTypes(text: string): ColumnTypes {
  const pairs = text.split(',').map((part) => {
    const { name, type } = splitTyped(part.trim());
    if (type === undefined || name === '')
      throw usage(
        `--types has ${JSON.stringify(part)}, which is not a column and its type`,
        `Write name:TYPE, with commas between; TYPE is one of ${COLUMN_TYPES.join(', ')}.`,
      );
    return [name, type] as const;
  });
  const repeated = pairs.find(([name], at) => pairs.findIndex(([other]) => other === name) !== at);
  if (repeated !== undefined) throw usage(`--types names ${JSON.stringify(repeated[0])} twice`);
  return Object.fromEntries(pairs);
}

/** Splits `price:number`; without a known type after the last colon, all of it is the name. */
function splitTyped(text: string): { readonly name: string; readonly type: ColumnType | undefined } {
  const colon = text.lastIndexOf(':');
  const type = text.slice(colon + 1).trim();
  return colon >= 0 && isType(type) ? { name: text.slice(0, colon), type } : { name: text, type: undefined };
}

/**
 * Returns the columns of a header. A type after a colon, as in `price:number`, is not a part of the name; one of
 * `types` has precedence. Without `types`, as in batches of an earlier version, the header is used unchanged.
 */
export const typedColumns = (header: readonly string[], types: ColumnTypes | undefined): readonly Column[] =>
  header.map((text) => {
    if (types === undefined) return { name: text, type: 'string' };
    const { name, type = 'string' } = splitTyped(text);
    return { name, type: Object.hasOwn(types, name) ? (types[name] ?? type) : type };
  });

/** A number in the syntax of JSON: other spellings, such as 007, +5 or 1,000, may mean something else. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const BOOLEANS: Readonly<Record<string, boolean>> = { true: true, false: false };
/** Maximum length of the part of a cell that a message shows, in characters. */
const MAX_SHOWN = 40;

/**
 * Returns the value of a cell, with its digits unchanged; an empty cell of a type other than string is null. Calls
 * `invalid` with the reason when the cell does not have the type.
 */
export function typedValue<T>(text: string, type: ColumnType, invalid: (reason: string) => T): Json | T {
  if (type === 'string') return text;
  const cell = text.trim();
  if (cell === '') return null;
  const shown = JSON.stringify(cell.length > MAX_SHOWN ? `${cell.slice(0, MAX_SHOWN)}…` : cell);
  switch (type) {
    case 'number':
      return NUMBER.test(cell) ? new Exact(cell) : invalid(`${shown} is not a number`);
    case 'boolean': {
      const lower = cell.toLowerCase();
      return Object.hasOwn(BOOLEANS, lower) ? (BOOLEANS[lower] ?? null) : invalid(`${shown} is neither true nor false`);
    }
    case 'json': {
      const problem = jsonProblem(Buffer.from(cell));
      return problem === undefined ? new Exact(cell) : invalid(`${shown}: ${problem.reason}`);
    }
  }
}
