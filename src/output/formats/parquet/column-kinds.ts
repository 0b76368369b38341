import { Exact, type Json } from '../../../core/json.ts';

/** What the values of a column are: the smallest type that has all of them, without a change of any. */
export type ColumnKind = 'empty' | 'boolean' | 'integer' | 'number' | 'text' | 'json';

/** The kind of a column and whether a double has each of its numbers. */
export interface ColumnFacts {
  readonly kind: ColumnKind;
  /** Only for integers: a double has all of them. */
  readonly small: boolean;
}

export const NO_VALUES: ColumnFacts = { kind: 'empty', small: true };

/** Returns the facts of a column with one more value. */
export function withValue(facts: ColumnFacts, value: Json): ColumnFacts {
  const { kind, small } = factsOf(value);
  if (kind === 'empty' || facts.kind === 'json') return facts;
  if (facts.kind === 'empty') return { kind, small };
  if (facts.kind === kind) return facts.small === small || !facts.small ? facts : { kind, small };
  const areNumbers = isNumeric(kind) && isNumeric(facts.kind);
  return { kind: areNumbers && small && facts.small ? 'number' : 'json', small: true };
}

const isNumeric = (kind: ColumnKind): boolean => kind === 'integer' || kind === 'number';

function factsOf(value: Json): ColumnFacts {
  if (value === null) return NO_VALUES;
  if (typeof value === 'boolean') return { kind: 'boolean', small: true };
  // Half of a surrogate pair has no form in UTF-8.
  if (typeof value === 'string') return { kind: /\p{Surrogate}/u.test(value) ? 'json' : 'text', small: true };
  if (typeof value === 'number')
    return Number.isInteger(value) && Math.abs(value) < 2 ** 63 && !Object.is(value, -0)
      ? { kind: 'integer', small: true }
      : { kind: 'number', small: true };
  if (!(value instanceof Exact)) return { kind: 'json', small: true };
  if (/^-?\d+$/.test(value.text)) return { kind: isLong(value.text) ? 'integer' : 'json', small: false };
  return { kind: isSameAsDouble(value.text) ? 'number' : 'json', small: true };
}

/** Whether an integer has 64 bits at most. */
const isLong = (digits: string): boolean => digits.length <= 20 && BigInt.asIntN(64, BigInt(digits)) === BigInt(digits);

/** Whether a double has the value of a decimal number, and not only one near it. */
const isSameAsDouble = (text: string): boolean =>
  valueOf(text) !== undefined && valueOf(text) === valueOf(String(Number(text)));

/** Returns a text that is the same for two decimal numbers of the same value; undefined for anything else. */
function valueOf(text: string): string | undefined {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  if (whole === '') return undefined;
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return `${sign}0`;
  return `${sign}${significant}e${String(Number(exponent) - fraction.length + digits.length - significant.length)}`;
}
