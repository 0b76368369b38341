import type { Values } from './command.ts';

/** The text of a flag or an argument; undefined where it is not given. */
export function textIn(values: Values, key: string): string | undefined {
  const value = values[key];
  return typeof value === 'string' ? value : undefined;
}

/** The texts of a flag that takes several; none where it is not given. */
export function textsIn(values: Values, key: string): readonly string[] {
  const value = values[key];
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}
