declare const withoutPrototype: unique symbol;

/**
 * Values by a key that somebody else may choose. It has no prototype, so that `constructor` and `__proto__` are keys
 * like any other. The type can only be made by the functions below: a plain object does not fit it.
 */
export type Records<T> = Record<string, T> & { readonly [withoutPrototype]: true };

/** No records. */
export const noRecords = <T>(): Records<T> => Object.create(null) as Records<T>;

/** Records from keys and values. Of a key that comes twice the last counts. */
export function recordsFrom<T>(entries: Iterable<readonly [string, T]>): Records<T> {
  const records: Record<string, T> = noRecords<T>();
  for (const [key, value] of entries) records[key] = value;
  return records as Records<T>;
}

/** The records of a plain object, such as one that was parsed from JSON. */
export const recordsOf = <T>(object: Readonly<Record<string, T>>): Records<T> => recordsFrom(Object.entries(object));

/** Records by their own ids. */
export const byId = <T extends { readonly id: string }>(records: readonly T[]): Records<T> =>
  recordsFrom(records.map((record) => [record.id, record]));

/** A copy with one record added or replaced. */
export const withRecord = <T>(records: Records<T>, key: string, value: T): Records<T> =>
  recordsFrom([...Object.entries<T>(records), [key, value]]);

/** A copy without one record. */
export const without = <T>(records: Records<T>, key: string): Records<T> =>
  recordsFrom(Object.entries<T>(records).filter(([known]) => known !== key));
