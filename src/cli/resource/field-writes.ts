/** What a table of fields accepts in the body of a create or an update. */
import { type Json, type JsonObject, memberAt } from '../../core/json.ts';
import { type BodyContext, readPaths, type ResourceTable, type WriteVerb } from './fields.ts';
import type { Member, Members } from './request-body.ts';

interface BodyOfTable {
  /** The members that have a flag or an argument. */
  readonly members: Members;
  /** `gpu.pools` is a member of an object, or of each item of a list. */
  readonly accepts: readonly string[];
  /** Read-only members that `get` prints. */
  readonly prints: readonly string[];
}

export function bodyOf(table: ResourceTable, verb: WriteVerb): BodyOfTable {
  const written = Object.entries(table.fields).flatMap(([key, field]) => {
    const write = field[verb] ?? field.write;
    return write === undefined ? [] : [{ key, path: field.path, write }];
  });
  const members = written.flatMap(({ key, path = key, write }): [string, Member][] =>
    write === 'accepted' ? [] : [[key, { path, ...('param' in write ? write : { param: write }) }]],
  );
  // An `accepted` object may hold anything; any other only members with fields of their own.
  const whole = written.flatMap(({ path, write }) => (path !== undefined && write === 'accepted' ? [path] : []));
  const paths = written.flatMap(({ path }) => path ?? []);
  const isWithin = (inner: string, outer: string): boolean => inner.startsWith(`${outer}.`);
  return {
    members: Object.fromEntries(members),
    accepts: paths.filter(
      (path) =>
        !whole.some((outer) => isWithin(path, outer)) &&
        (whole.includes(path) || !paths.some((inner) => isWithin(inner, path))),
    ),
    prints: [...new Set(readPaths(table).flatMap(withParents))],
  };
}

const withParents = (path: string): readonly string[] =>
  path.split('.').map((_, at, names) => names.slice(0, at + 1).join('.'));

/** Fails with usage (2). */
export function checkBody({ fields }: ResourceTable, body: JsonObject): void {
  for (const { path, check } of Object.values(fields)) {
    const value: Json | undefined = path === undefined ? undefined : memberAt(body, path);
    if (value !== undefined) check?.(value);
  }
}

/** Before the body is shown or sent. Fails with usage (2). */
export async function completeBody({ fields }: ResourceTable, body: JsonObject, of: BodyContext): Promise<JsonObject> {
  let result = body;
  for (const { complete } of Object.values(fields)) result = (await complete?.(result, of)) ?? result;
  return result;
}
