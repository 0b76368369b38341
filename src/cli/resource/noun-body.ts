/** The body of a create or an update: from a file, --set, flags and, on a terminal, answers. */
import type { ApiAnswer } from '../../core/api.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, isNotFound, rethrowUnlessFailure, usage } from '../../core/failure.ts';
import { arrayOf, encodeJson, type Json, type JsonObject, memberAt, stringAt, stringOf } from '../../core/json.ts';
import { lines } from '../../core/message.ts';
import { idOf } from '../../output/view.ts';
import { promptFor } from '../ask.ts';
import type { Collection } from '../model/collection.ts';
import type { Values } from '../model/command.ts';
import type { CommandContext } from '../model/context.ts';
import { arg, flagName, isGiven, type Param, type Params } from '../model/params.ts';
import { unlessUnread } from '../run/dry-run.ts';
import { didYouMean } from '../words.ts';
import {
  bodyOf,
  bodyOptions,
  checkBody,
  completeBody,
  type Members,
  readBody,
  withMember,
  writable,
} from './request-body.ts';
import { lookupRows } from './pages.ts';
import { type Resource, rowCalled } from './targets.ts';

type Verb = 'create' | 'update';

/** What a body must fulfil beyond the rules of its fields. */
export interface BodyRules {
  /** Flag keys that a create needs; of a group, one is enough. */
  readonly needed?: readonly (string | readonly string[])[];
  /** Flag keys of which only one may be given. */
  readonly exclusive?: readonly (readonly string[])[];
  /** A PATH=VALUE for the help of --set. */
  readonly example?: string;
  /** Members of a printed document that are left out, and said, beside those that the table shows. */
  readonly readOnly?: readonly string[];
  /** Turns a document as `get` prints it into a body. */
  readonly fromPrinted?: (document: JsonObject) => JsonObject;
  /** Members that hold the id of another resource: a name works too. */
  readonly references?: Readonly<Record<string, Collection>>;
}

const exampleOf = (of: Resource, verb: Verb, { example }: BodyRules): string =>
  example ?? `${bodyOf(of.table, verb).accepts[0] ?? 'name'}=VALUE`;

const params = ({ members }: { readonly members: Members }, kind: Param<unknown>['kind'], rules: BodyRules): Params =>
  Object.fromEntries(
    Object.entries(members).flatMap(([key, { param, path }]) => {
      const complete = param.complete ?? rules.references?.[path];
      return param.kind === kind ? [[key, complete === undefined ? param : { ...param, complete }]] : [];
    }),
  );

/** Flags for every member, --set and --file. */
export const bodyFlags = (of: Resource, verb: Verb, rules: BodyRules = {}): Params => ({
  ...params(bodyOf(of.table, verb), 'flag', rules),
  ...bodyOptions(exampleOf(of, verb, rules)),
});

/** The words after `--`, and for a create the name, which is a flag too. */
export const bodyArguments = (of: Resource, verb: Verb, rules: BodyRules = {}): Params => ({
  ...(verb === 'create' && 'name' in bodyOf(of.table, verb).members
    ? { newName: arg.optional('its name', { metavar: 'NAME' }) }
    : {}),
  ...params(bodyOf(of.table, verb), 'argument', rules),
});

/**
 * Builds the body. `row` reads the row of an update, for what the service takes only as a whole. Fails with usage (2), before
 * anything is sent, for what is missing, contradicts itself or breaks the rule of a field.
 */
export async function bodyFrom(
  ctx: CommandContext,
  of: Resource,
  given: Values,
  rules: BodyRules,
  row?: () => Promise<Json>,
): Promise<JsonObject> {
  const verb = row === undefined ? 'create' : 'update';
  const fields = bodyOf(of.table, verb);
  const { newName, ...flags } = given;
  if (newName !== undefined && flags['name'] !== undefined) throw usage('use either NAME or --name');
  const values: Values = newName === undefined ? flags : { ...flags, name: newName };
  for (const group of rules.exclusive ?? []) {
    const both = group.filter((key) => isGiven(values[key]));
    if (both.length > 1) throw usage(`use either ${both.map(flagName).join(' or ')}`);
  }
  let file: JsonObject = {};
  let dropped: readonly string[] = [];
  const plain = await readBody(ctx, fields.members, values, exampleOf(of, verb, rules), (document) => {
    const split = writable(rules.fromPrinted?.(document) ?? document, fields.accepts, [
      'id',
      'createdAt',
      ...fields.prints,
      ...(rules.readOnly ?? []),
    ]);
    const [unknown] = split.unknown;
    if (unknown !== undefined)
      throw usage(
        `unknown member in --file: ${split.unknown.join(', ')}`,
        didYouMean(unknown, fields.accepts) ?? `Use ${fields.accepts.join(', ')}`,
      );
    dropped = split.dropped;
    file = split.body;
    return file;
  });
  if (dropped.length > 0) await ctx.tell(`Left out of --file, read-only: ${dropped.join(', ')}`);
  for (const key of ['name', 'image'])
    if (stringAt(plain, key)?.trim() === '') throw usage(`${flagName(key)} is empty`);
  if (row !== undefined && Object.keys(plain).length === 0)
    throw usage(
      'nothing to change',
      `Pass ${Object.keys(params(fields, 'flag', {}))
        .map(flagName)
        .join(', ')}, --set or --file.`,
    );
  const whole = await completeBody(of.table, plain, { ctx, values, file, readRow: row });
  const body = row === undefined ? await withAnswers(ctx, of, fields.members, whole, rules.needed ?? []) : whole;
  checkBody(of.table, body);
  return body;
}

/** Asks for missing members on a terminal. Fails with usage (2) and names their flags elsewhere. */
async function withAnswers(
  ctx: CommandContext,
  { table }: Resource,
  members: Members,
  body: JsonObject,
  needed: NonNullable<BodyRules['needed']>,
): Promise<JsonObject> {
  const isMissing = (key: string): boolean => [undefined, ''].includes(memberAt(body, members[key]?.path ?? key) as '');
  const missing = needed.map((group) => [group].flat()).filter((keys) => keys.every(isMissing));
  const askable = missing.map((keys) =>
    keys.find((key) => ctx.terminal.canAsk && members[key]?.param.ask !== undefined),
  );
  if (askable.includes(undefined))
    throw usage(
      `missing ${missing.map((keys) => keys.map(flagName).join(' or ')).join(' and ')}`,
      lines(...missing.flat().map((key) => `${flagName(key)}: ${members[key]?.param.summary ?? ''}`)),
    );
  let complete = body;
  for (const key of askable) {
    const member = key === undefined ? undefined : members[key];
    if (key === undefined || member === undefined) continue;
    const valueOf = (given: unknown): Json =>
      member.value === undefined ? (given as Json) : member.value(given as never, undefined);
    const path = member.path.split('.');
    const answer = await promptFor(ctx, key, member.param, (given) => {
      checkBody(table, withMember(undefined, path, valueOf(given)));
    });
    complete = withMember(complete, path, valueOf(answer));
  }
  return complete;
}

/**
 * Sends a body whose references may be names. They are tried as ids first; after a 404 or 400, where nothing happened, they are
 * looked up as names, and the body is sent once more if any was one. A dry run looks them up first.
 */
export async function withReferences(
  ctx: CommandContext,
  body: JsonObject,
  references: NonNullable<BodyRules['references']>,
  send: (body: JsonObject) => Promise<ApiAnswer>,
): Promise<ApiAnswer> {
  const looked = async (): Promise<JsonObject> => {
    let resolved = body;
    for (const [path, of] of Object.entries(references)) {
      const given = memberAt(body, path);
      if (given === undefined || given === null) continue;
      const rows = await lookupRows(ctx, of);
      const known = (item: Json): Json => {
        const row = rowCalled(of, rows, stringOf(item) ?? '');
        return row === undefined ? item : idOf(row);
      };
      const ids = arrayOf(given)?.map(known) ?? known(given);
      if (encodeJson(ids) !== encodeJson(given)) resolved = withMember(resolved, path.split('.'), ids);
    }
    return resolved;
  };
  if (ctx.dryRun) return await send((await unlessUnread(ctx, looked)) ?? body);
  try {
    return await send(body);
  } catch (error) {
    if (!isNotFound(error) && !(error instanceof Failure && error.status === 400)) throw error;
    const resolved = await looked().catch((other: unknown) => {
      rethrowUnlessFailure(other, ctx);
      // A lookup that the key may not make, or after a 400, which may have another reason: the first answer is reported.
      throw other.exit === EXIT.denied || (error.exit === EXIT.refused && other.exit !== EXIT.usage) ? error : other;
    });
    if (resolved === body) throw error;
    return await send(resolved);
  }
}
