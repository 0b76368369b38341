import {
  type Field,
  type FieldSettling,
  type FieldWrite,
  readPaths,
  type ResourceTable,
  type WriteVerb,
} from './fields.ts';
import { type Member, type Members, withMember } from './request-body.ts';
import type { CommandContext } from '../model/context.ts';
import { type Json, type JsonObject, memberAt } from '../../core/json.ts';

type Given = Pick<FieldSettling, 'values' | 'file'>;

interface BodyOfTable {
  readonly members: Members;
  /** `gpu.pools` is a member of an object, or of each item of a list. */
  readonly accepts: readonly string[];
  /** Read-only members that `get` prints. */
  readonly prints: readonly string[];
  /** Fails with usage (2). */
  readonly checkFields: (body: JsonObject) => void;
  /** Before the body is shown or sent. Fails with usage (2). */
  readonly completeFields: (ctx: CommandContext, body: JsonObject, given: Given) => Promise<JsonObject>;
  /** Completes an update with values of the current row. */
  readonly fillFields: (
    ctx: CommandContext,
    body: JsonObject,
    update: Given & { readonly readRow: () => Promise<Json> },
  ) => Promise<JsonObject>;
}

const MADE: Readonly<Record<WriteVerb, WeakMap<ResourceTable, BodyOfTable>>> = {
  create: new WeakMap(),
  update: new WeakMap(),
};

/** Made once for each table: a plan asks for every document. */
export function bodyOf(table: ResourceTable, verb: WriteVerb): BodyOfTable {
  const body = MADE[verb].get(table) ?? makeBody(table, verb);
  MADE[verb].set(table, body);
  return body;
}

function makeBody(table: ResourceTable, verb: WriteVerb): BodyOfTable {
  return {
    members: flagsOf(table, verb),
    accepts: acceptedPaths(table, verb),
    prints: withParents(readPaths(table)),
    checkFields: (body) => {
      for (const { path, check } of Object.values(table.fields)) {
        const value = path === undefined ? undefined : memberAt(body, path);
        if (value !== undefined) check?.(value);
      }
    },
    completeFields: (ctx, body, { values, file }) =>
      completed(table, verb, body, { values, file, verb }, ({ complete }, value) => complete?.(ctx, value, values)),
    fillFields: (ctx, body, { file, ...update }) =>
      completed(table, verb, body, { ...update, file, verb }, ({ fill, path = '' }, value) =>
        fill?.(ctx, value, { ...update, isWhole: memberAt(file, path) !== undefined }),
      ),
  };
}

/** Fields settle among themselves, then each is completed. */
async function completed(
  { fields }: ResourceTable,
  verb: WriteVerb,
  body: JsonObject,
  given: FieldSettling,
  complete: (field: Field, value: Json | undefined) => Promise<Json | undefined> | undefined,
): Promise<JsonObject> {
  let result = body;
  for (const { settle } of Object.values(fields)) result = (await settle?.(result, given)) ?? result;
  for (const field of Object.values(fields)) {
    const { path } = field;
    if (path === undefined || writeOf(field, verb) === undefined) continue;
    const value = await complete(field, memberAt(result, path));
    if (value !== undefined) result = withMember(result, path.split('.'), value);
  }
  return result;
}

const writeOf = (field: Field, verb: WriteVerb): FieldWrite | undefined => field[verb] ?? field.write;

function flagsOf({ fields }: ResourceTable, verb: WriteVerb): Members {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([key, field]): [string, Member][] => {
      const write = writeOf(field, verb);
      if (write === undefined || write === 'accepted') return [];
      const flag = 'param' in write ? write : { param: write };
      return [[key, { path: field.path ?? key, ...flag }]];
    }),
  );
}

/** An `accepted` object may hold anything; any other only members with fields of their own. */
function acceptedPaths({ fields }: ResourceTable, verb: WriteVerb): readonly string[] {
  const written = Object.values(fields).flatMap((field) => {
    const write = writeOf(field, verb);
    const { path } = field;
    return write === undefined || path === undefined ? [] : [{ path, isWhole: write === 'accepted' }];
  });
  const isWithin = (inner: string, outer: string): boolean => inner.startsWith(`${outer}.`);
  return written
    .filter(
      ({ path, isWhole }) =>
        !written.some((other) => other.isWhole && isWithin(path, other.path)) &&
        (isWhole || !written.some((other) => isWithin(other.path, path))),
    )
    .map(({ path }) => path);
}

const withParents = (paths: readonly string[]): readonly string[] => [
  ...new Set(
    paths.flatMap((path) => {
      const names = path.split('.');
      return names.map((_, at) => names.slice(0, at + 1).join('.'));
    }),
  ),
];
