declare const withoutPrototype: unique symbol;

/**
 * Values by a key that a caller may choose. The object has no prototype, so that `constructor` and `__proto__` are
 * ordinary keys. Only the functions of this file make the type: a plain object is not assignable to it.
 */
export type Records<T> = Record<string, T> & { readonly [withoutPrototype]: true };

export const noRecords = <T>(): Records<T> => Object.create(null) as Records<T>;

/** Records from keys and values. When a key occurs twice, the last value is used. */
export function recordsFrom<T>(entries: Iterable<readonly [string, T]>): Records<T> {
  const records: Record<string, T> = noRecords<T>();
  for (const [key, value] of entries) records[key] = value;
  return records as Records<T>;
}

/** The records of a plain object, such as one parsed from JSON. */
export const recordsOf = <T>(object: Readonly<Record<string, T>>): Records<T> => recordsFrom(Object.entries(object));

/** Records by their own ids. */
export const byId = <T extends { readonly id: string }>(records: readonly T[]): Records<T> =>
  recordsFrom(records.map((record) => [record.id, record]));

/** A copy without one record. */
export const without = <T>(records: Records<T>, key: string): Records<T> =>
  recordsFrom(Object.entries<T>(records).filter(([known]) => known !== key));
