/** A list parameter: comma-separated in one value (contract rules, Catalog). Undefined where it was not given. */
export function listIn(query: URLSearchParams, name: string): readonly string[] | undefined {
  const given = query.getAll(name);
  if (given.length === 0) return undefined;
  return given
    .join(',')
    .split(',')
    .filter((item) => item !== '');
}

/** Compares `12.11` and `12.2` by their numbers: negative, zero or positive. */
export function compareVersions(a: string, b: string): number {
  const [aMajor = 0, aMinor = 0] = a.split('.').map(Number);
  const [bMajor = 0, bMinor = 0] = b.split('.').map(Number);
  return aMajor - bMajor || aMinor - bMinor;
}
