import { isUtf8 } from 'node:buffer';
import type { SchemaElement } from 'hyparquet';
import { DAY_MS } from '../../../core/durations.ts';
import { bufferOf, jsonProblem, textOf } from '../items/item.ts';
import { NotReadable } from './not-readable.ts';
import { isMap, isText, listItem, type Column } from './schema.ts';

/** A value that has no form in JSON; the message says why. Its row is an invalid item. */
export class NotJson extends Error {
  override readonly name = 'NotJson';
}

/** Stands for text that is not UTF-8. */
const NOT_TEXT = Symbol('not text');

/** The functions with which the package converts values. The schema that it reads has no types but text and INT96. */
export const PARSERS = {
  stringFromBytes: (bytes: Uint8Array): string | symbol => (isUtf8(bytes) ? textOf(bytes) : NOT_TEXT),
  timestampFromNanoseconds: (nanoseconds: bigint): bigint => nanoseconds,
};

/** Returns the JSON text of a value. Fails with NotJson. */
export type ToJson = (value: unknown) => string;

/** Returns a function that checks the type of a value. Fails with NotReadable: the column says another type. */
const typed =
  <T>(isType: (value: unknown) => value is T) =>
  (value: unknown): T => {
    if (isType(value)) return value;
    throw new NotReadable('a value has not the type of its column');
  };
const numberOf = typed((value): value is number => typeof value === 'number');
const bigintOf = typed((value): value is bigint => typeof value === 'bigint');
const bytesOf = typed((value): value is Uint8Array => value instanceof Uint8Array);
const itemsOf = typed((value): value is readonly unknown[] => Array.isArray(value));
const membersOf = typed(
  (value): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null,
);

const orNull =
  (convert: ToJson): ToJson =>
  (value) =>
    value === null || value === undefined ? 'null' : convert(value);

/**
 * Returns how values of a column become JSON. Integers, decimals and times keep every digit. Fails with NotReadable for
 * a type that is not supported.
 */
export const jsonOf = (column: Column): ToJson => repeated(column, single(column));

/** A repeated field without a list around it is a list too. */
const repeated = ({ element }: Column, convert: ToJson): ToJson =>
  element.repetition_type === 'REPEATED' ? listOf(convert) : convert;

function single(column: Column): ToJson {
  if (column.children.length === 0) return orNull(leafToJson(column));
  const item = listItem(column);
  // The items of a list in two levels are repeated themselves, and arrive without a list around each.
  if (item !== undefined) return listOf(item.element.repetition_type === 'REPEATED' ? single(item) : jsonOf(item));
  const entries = isMap(column.element) ? mapEntries(column) : undefined;
  return entries === undefined ? structOf(column) : mapOf(entries);
}

const listOf = (convert: ToJson): ToJson => orNull((items) => `[${itemsOf(items).map(convert).join(',')}]`);

function structOf({ children }: Column): ToJson {
  const members = children.map((child) => ({
    key: child.key.at(-1) ?? '',
    start: `${JSON.stringify(child.name)}:`,
    convert: jsonOf(child),
  }));
  return orNull((value) => {
    const struct = membersOf(value);
    return `{${members.map(({ key, start, convert }) => start + convert(struct[key])).join(',')}}`;
  });
}

/** The repeated pairs of a map; undefined when it is not built as the format says. */
function mapEntries({ children }: Column): Column | undefined {
  const [entries, ...others] = children;
  return others.length === 0 && entries?.element.repetition_type === 'REPEATED' && entries.children.length === 2
    ? entries
    : undefined;
}

/** A map with text as keys is an object; any other is a list of objects with the members of the pairs. */
function mapOf(entries: Column): ToJson {
  const [key, value] = entries.children;
  if (key === undefined || value === undefined || !isText(key.element)) return unwrapped(entries, jsonOf(entries));
  const keyName = key.key.at(-1) ?? '';
  const valueName = value.key.at(-1) ?? '';
  const toJson = jsonOf(value);
  return unwrapped(
    entries,
    orNull((pairs) => {
      const seen = new Set<string>();
      const members = itemsOf(pairs)
        .map(membersOf)
        .map((pair) => {
          const name = textValue(pair[keyName]);
          if (seen.has(name)) throw new NotJson(`the map has the key ${JSON.stringify(name)} twice`);
          seen.add(name);
          return `${JSON.stringify(name)}:${toJson(pair[valueName])}`;
        });
      return `{${members.join(',')}}`;
    }),
  );
}

/** The pairs of a map are a member of an object that is not shown. */
const unwrapped = ({ key }: Column, convert: ToJson): ToJson =>
  orNull((value) => convert(membersOf(value)[key.at(-1) ?? ''] ?? []));

const quoted = (text: string): string => `"${text}"`;

function leafToJson(column: Column): ToJson {
  const { element } = column;
  const { type, converted_type: converted, logical_type: logical } = element;
  if (isText(element)) return converted === 'JSON' || logical?.type === 'JSON' ? embeddedJson : quotedText;
  if (converted === 'DECIMAL' || logical?.type === 'DECIMAL') {
    const scale = (logical?.type === 'DECIMAL' ? logical.scale : element.scale) ?? 0;
    if (!(scale >= 0 && scale <= 1000))
      throw new NotReadable(`its column ${JSON.stringify(column.name)} is not a decimal`);
    return (value) => quoted(decimalText(integerOf(value), scale));
  }
  if (converted === 'DATE' || logical?.type === 'DATE') return (value) => quoted(dateText(Number(integerOf(value))));
  const unit = timeUnit(element);
  if (unit !== undefined) {
    const isTime = logical?.type === 'TIME' || converted?.startsWith('TIME_') === true;
    if (isTime) return (value) => quoted(timeText(integerOf(value), unit.digits));
    return (value) => quoted(timestampText(bigintOf(value), unit.digits) + (unit.utc ? 'Z' : ''));
  }
  if (logical?.type === 'VARIANT')
    throw new NotReadable(`its column ${JSON.stringify(column.name)} has the type VARIANT, which is not supported`);
  if (logical?.type === 'UUID' && element.type_length === 16) return (value) => quoted(uuidText(bytesOf(value)));
  if (converted === 'INTERVAL') return (value) => quoted(durationText(bytesOf(value)));
  const isUnsigned = converted?.startsWith('UINT') === true || (logical?.type === 'INTEGER' && !logical.isSigned);
  switch (type) {
    case 'BOOLEAN':
      return String;
    case 'INT32':
      return isUnsigned ? (value) => String(numberOf(value) >>> 0) : String;
    case 'INT64':
      return isUnsigned ? (value) => String(BigInt.asUintN(64, bigintOf(value))) : String;
    case 'INT96':
      return (value) => quoted(timestampText(bigintOf(value), 9));
    case 'FLOAT':
    case 'DOUBLE':
      return (value) => numberText(numberOf(value));
    case 'BYTE_ARRAY':
      return base64;
    case 'FIXED_LEN_BYTE_ARRAY':
      return logical?.type === 'FLOAT16' ? (value) => numberText(halfFloat(bytesOf(value))) : base64;
    default:
      throw new Error('a leaf without a type');
  }
}

/** The digits after the seconds, and whether the time is in UTC. */
function timeUnit({
  converted_type: converted,
  logical_type: logical,
}: SchemaElement): { readonly digits: 3 | 6 | 9; readonly utc: boolean } | undefined {
  if (logical?.type === 'TIMESTAMP' || logical?.type === 'TIME')
    return { digits: ({ MILLIS: 3, MICROS: 6, NANOS: 9 } as const)[logical.unit], utc: logical.isAdjustedToUTC };
  if (converted === 'TIMESTAMP_MILLIS' || converted === 'TIME_MILLIS') return { digits: 3, utc: true };
  if (converted === 'TIMESTAMP_MICROS' || converted === 'TIME_MICROS') return { digits: 6, utc: true };
  return undefined;
}

function textValue(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new NotJson('it is not UTF-8 text');
}

const quotedText: ToJson = (value) => JSON.stringify(textValue(value));

const embeddedJson: ToJson = (value) => {
  const text = textValue(value).trim();
  const problem = jsonProblem(Buffer.from(text));
  if (problem !== undefined) throw new NotJson(problem.reason);
  return text;
};

/**
 * JSON has no number for NaN and infinity: they become text, as in the JSON form of protocol buffers. A large number
 * gets an exponent, because its digits would be read as an integer that it is not exactly.
 */
function numberText(value: number): string {
  if (Object.is(value, -0)) return '-0';
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return value.toExponential();
  return Number.isFinite(value) ? JSON.stringify(value) : quoted(String(value));
}

const base64: ToJson = (value) => quoted(bufferOf(bytesOf(value)).toString('base64'));

/** Decodes a number of 16 bits (IEEE 754, binary16). */
function halfFloat([low = 0, high = 0]: Uint8Array): number {
  const sign = high >> 7 === 0 ? 1 : -1;
  const exponent = (high >> 2) & 0x1f;
  const fraction = ((high & 3) * 256 + low) / 1024;
  if (exponent === 0) return sign * 2 ** -14 * fraction;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * 2 ** (exponent - 15) * (1 + fraction);
}

/** Returns the text of an integer that is `scale` digits too large, such as `-12.50` for -1250 and 2. */
function decimalText(value: bigint, scale: number): string {
  if (scale === 0) return String(value);
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/** Integers may be stored as bytes. */
const integerOf = (value: unknown): bigint =>
  value instanceof Uint8Array ? signedInteger(value) : typeof value === 'number' ? BigInt(value) : bigintOf(value);

/** Decodes an integer whose first byte is the highest one, in two's complement. */
function signedInteger(bytes: Uint8Array): bigint {
  if (bytes.byteLength === 0) return 0n;
  const hex = bufferOf(bytes).toString('hex');
  return BigInt.asIntN(bytes.byteLength * 8, BigInt(`0x${hex}`));
}

const DAY_SECONDS = 86_400n;

/** Returns `2024-01-31` for days since 1970-01-01. Years outside 0000 to 9999 have a sign and six digits or more. */
function dateText(days: number): string {
  // A date has fewer years than the format. The calendar repeats after 400 years, which have 146,097 days.
  const cycles = Math.floor(days / 146_097);
  const date = new Date((days - cycles * 146_097) * DAY_MS);
  return `${yearText(date.getUTCFullYear() + cycles * 400)}-${two(date.getUTCMonth() + 1)}-${two(date.getUTCDate())}`;
}

const yearText = (year: number): string =>
  year >= 0 && year <= 9999
    ? String(year).padStart(4, '0')
    : `${year < 0 ? '-' : '+'}${String(Math.abs(year)).padStart(6, '0')}`;

/** Returns `2024-01-31T12:00:00.123456` for a number of parts of a second since 1970, with so many digits. */
function timestampText(value: bigint, digits: 3 | 6 | 9): string {
  const perDay = DAY_SECONDS * 10n ** BigInt(digits);
  const ofDay = ((value % perDay) + perDay) % perDay;
  return `${dateText(Number((value - ofDay) / perDay))}T${timeText(ofDay, digits)}`;
}

/** Returns `12:00:00.123456` for a number of parts of a second since midnight, with so many digits. */
function timeText(value: bigint, digits: 3 | 6 | 9): string {
  const perSecond = 10n ** BigInt(digits);
  const seconds = Number(value / perSecond);
  const clock = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].map(two).join(':');
  return `${clock}.${String(value % perSecond).padStart(digits, '0')}`;
}

const two = (value: number): string => String(value).padStart(2, '0');

/** Returns `f81d4fae-7dec-11d0-a765-00a0c91e6bf6`. */
function uuidText(bytes: Uint8Array): string {
  const hex = bufferOf(bytes).toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** Returns `P1M2DT3.004S` for months, days and milliseconds of four bytes each, the lowest byte first. */
function durationText(bytes: Uint8Array): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [months, days, milliseconds] = [view.getUint32(0, true), view.getUint32(4, true), view.getUint32(8, true)];
  const seconds = `${Math.floor(milliseconds / 1000)}.${String(milliseconds % 1000).padStart(3, '0')}`;
  return `P${months}M${days}DT${seconds}S`;
}
