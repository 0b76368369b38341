import { usage } from '../failure.ts';

/**
 * Returns the values of a flag that gives each name one value, such as NAME=VALUE. Fails with usage (2) for a name that is given
 * twice. `shown` writes a value for that message, which names both; without it the values are not shown: they may be secret.
 */
export function namedValues<T>(
  flag: string,
  entries: readonly (readonly [name: string, value: T])[],
  shown?: (value: T) => string,
): Record<string, T> {
  const values = new Map<string, T>();
  for (const [name, value] of entries) {
    const first = values.get(name);
    if (values.has(name)) {
      const both = shown === undefined || first === undefined ? '' : `: ${shown(first)} and ${shown(value)}`;
      throw usage(`${flag} gives ${name} twice${both}`, 'It has one value: keep one of them.');
    }
    values.set(name, value);
  }
  return Object.fromEntries(values);
}
