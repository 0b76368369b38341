/** Readers of the values of a policy. Each fails with usage (2), and names the member. */
import { type Failure, usage } from '../../core/failure.ts';
import { arrayOf, encodeJson, isObject, numberOf, stringOf, type Json } from '../../core/json.ts';
import { suggestName } from '../../core/text/nearest.ts';
import { parseTimestamp } from '../../core/text/timestamp.ts';
import { parseDurationWithUnit } from '../../core/units.ts';

/** A reader of one member. `path` names it in messages. Fails with usage (2). */
export type Read<T> = (value: Json, path: string) => T;

/** Readers of the members of an object, by name. */
export type Readers = Readonly<Record<string, Read<unknown>>>;

export type Values<R extends Readers> = { readonly [K in keyof R]: R[K] extends Read<infer T> ? T | undefined : never };

/** The name of the whole document in messages. */
const nameOf = (path: string): string => (path === '' ? 'the policy' : path);

export const wrong = (value: Json, path: string, expected: string, hint?: string): Failure =>
  usage(`${nameOf(path)} is not ${expected}: ${encodeJson(value)}`, hint);

export const text: Read<string> = (value, path) => {
  const given = stringOf(value);
  if (given === undefined || given === '') throw wrong(value, path, 'a text');
  return given;
};
/** One value or a list of them. */
export const oneOrMore =
  <T>(read: Read<T>): Read<readonly T[]> =>
  (value, path) =>
    (arrayOf(value) ?? [value]).map((each, at) => read(each, arrayOf(value) === undefined ? path : `${path}[${at}]`));
export const texts = oneOrMore(text);
export const flag: Read<boolean> = (value, path) => {
  if (typeof value !== 'boolean') throw wrong(value, path, 'true or false');
  return value;
};
export const number =
  (expected: string, least: number): Read<number> =>
  (value, path) => {
    const given = numberOf(value);
    if (given === undefined || !(given >= least)) throw wrong(value, path, expected);
    return given;
  };
export const dollars = number('an amount in US dollars', 0);
export const percent = number('a percentage', 0);
export const duration: Read<number> = (value, path) => {
  const given = stringOf(value);
  if (given === undefined || /^[\d.]+$/.test(given)) throw wrong(value, path, 'a duration with its unit, such as 2h');
  return parseDurationWithUnit(given, path);
};
export const time: Read<number> = (value, path) => {
  const given = text(value, path);
  if (!/^\d{4}-/.test(given)) throw wrong(value, path, 'a date (2026-12-01) or a time (2026-12-01T18:00:00Z)');
  return parseTimestamp(given, path, { now: 0, endOfDay: true }).at;
};
export const word =
  <const W extends string>(words: readonly W[]): Read<W> =>
  (value, path) => {
    const found = words.find((each) => each === value);
    if (found === undefined)
      throw wrong(value, path, `one of ${words.join(', ')}`, suggestName(stringOf(value) ?? '', words));
    return found;
  };

/** Reads the members of an object. Fails with usage (2) for a member that is not known. */
export function members<const R extends Readers>(readers: R, value: Json, path: string): Values<R> {
  if (path === '' && value === null) throw usage('the policy is empty', 'An empty policy that keeps deadlines is: {}');
  if (!isObject(value)) throw wrong(value, path, 'an object');
  const unknown = Object.keys(value).find((name) => !Object.hasOwn(readers, name));
  if (unknown !== undefined)
    throw usage(
      `${nameOf(path)} has no member ${JSON.stringify(unknown)}`,
      suggestName(unknown, Object.keys(readers)) ?? `It takes ${Object.keys(readers).join(', ')}.`,
    );
  const read = Object.entries(readers).flatMap(([name, reader]) => {
    const given = value[name];
    return given === undefined ? [] : [[name, reader(given, path === '' ? name : `${path}.${name}`)] as const];
  });
  // Every member was read by the reader of its name.
  return Object.fromEntries(read) as Values<R>;
}

export const list =
  <T>(read: Read<T>): Read<readonly T[]> =>
  (value, path) => {
    const items = arrayOf(value);
    if (items === undefined) throw wrong(value, path, 'a list');
    return items.map((item, at) => read(item, `${path}[${at}]`));
  };
