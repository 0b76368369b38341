/** A list parameter: comma-separated in one value (contract rules, Catalog). Undefined where it was not given. */
export function listIn<T extends string>(query: URLSearchParams, name: string): readonly T[] | undefined {
  const given = query.getAll(name);
  return given.length === 0
    ? undefined
    : (given
        .join(',')
        .split(',')
        .filter((item) => item !== '') as T[]);
}

/** Compares `12.11` and `12.2` by their numbers: negative, zero or positive. */
export function compareVersions(a: string, b: string): number {
  const [aMajor = 0, aMinor = 0] = a.split('.').map(Number);
  const [bMajor = 0, bMinor = 0] = b.split('.').map(Number);
  return aMajor - bMajor || aMinor - bMinor;
}
