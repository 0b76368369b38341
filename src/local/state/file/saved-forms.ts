import { isObject } from '../../../core/json.ts';

/** Valid JSON, but in a form that berth does not write. */
export class WrongForm extends Error {
  override readonly name = 'WrongForm';
}

export type Guard<T> = (value: unknown) => value is T;

/** Fails with WrongForm. */
export function checked<T>(value: unknown, isForm: Guard<T>): T {
  if (!isForm(value)) throw new WrongForm('a part of the state has another form');
  return value;
}

export const isText: Guard<string> = (value): value is string => typeof value === 'string';
export const isNumber: Guard<number> = (value): value is number => typeof value === 'number';
export const isTrue: Guard<true> = (value): value is true => value === true;

export const isListOf =
  <T>(isItem: Guard<T>): Guard<T[]> =>
  (value): value is T[] =>
    Array.isArray(value) && value.every(isItem);

export const isOptional =
  <T>(isForm: Guard<T>): Guard<T | undefined> =>
  (value): value is T | undefined =>
    value === undefined || isForm(value);

/** Other members are not checked. */
export const isObjectWith =
  <T extends object>(members: { readonly [K in keyof T]?: Guard<T[K]> }): Guard<T> =>
  (value): value is T =>
    isObject(value) &&
    Object.entries<Guard<unknown> | undefined>({ ...members }).every(
      ([name, isForm]) => isForm?.(value[name]) !== false,
    );
