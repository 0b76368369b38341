/** The values of a list parameter, comma-separated or repeated (contract rules, Catalog). Undefined when it was not given. */
export function listIn(query: URLSearchParams, name: string): readonly string[] | undefined {
  const given = query.getAll(name);
  if (given.length === 0) return undefined;
  return given
    .join(',')
    .split(',')
    .filter((item) => item !== '');
}
