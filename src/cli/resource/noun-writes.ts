/** The verbs that change the service, each made from a Resource in a line. */

import { ask, asks, requireYes } from '../ask.ts';
import { getCommand, listCommand } from '../hint.ts';
import type { Collection } from '../model/collection.ts';
import { type Command, defineCommand, textIn, type Values, waitOptions, yesOption } from '../model/command.ts';
import type { CommandContext } from '../model/context.ts';
import { outcomesSchema } from '../model/output-schema.ts';
import { option, type Params } from '../model/params.ts';
import { tellPrice } from '../money.ts';
import { idArgument, idsArgument, rowSchema, selectorOptions } from './arguments.ts';
import { bodyArguments, bodyFlags, bodyFrom, type BodyRules, withReferences } from './request-body.ts';
import type { NounWords } from './noun.ts';
import { readPaths } from './fields.ts';
import { listRows } from './pages.ts';
import { SEVERAL } from './several.ts';
import {
  choose,
  type Chosen,
  each,
  labelOf,
  readRow,
  report,
  type Resource,
  type Selection,
  type Target,
  withId,
  withRows,
} from './targets.ts';
import { countOf, pluralOf, withArticle } from '../words.ts';
import type { ApiAnswer, ApiRequest } from '../../core/api.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import type { Id } from '../../core/ids.ts';
import { type Json, type JsonObject, stringAt } from '../../core/json.ts';
import { lines, type Message } from '../../core/message.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import { answerResult, asksForData, idOf, type Result } from '../../output/view.ts';

export type CreateRequest = Omit<ApiRequest, 'body'> & { readonly body: JsonObject };

export const post = (of: Resource, body: JsonObject): CreateRequest => ({
  service: 'base',
  method: 'POST',
  path: of.path,
  body,
  expects: 'created',
  checkCommand: listCommand(of),
});

export const patch = (of: Resource, id: Id, body: JsonObject): ApiRequest => ({
  service: 'base',
  method: 'PATCH',
  path: [...of.path, id],
  body,
  id,
  expects: 'resource',
  checkCommand: getCommand(of, id),
});

/** The document with -o; else one line, and the id of what was created where stdout is no terminal. */
export async function written(ctx: CommandContext, of: Resource, answer: ApiAnswer, done: string): Promise<Result> {
  const row = answer.value ?? null;
  const isNew = done === 'created';
  if (asksForData(ctx.output)) return answerResult(of.view, answer);
  const what = `${of.noun} ${isNew ? labelOf(row) : (stringAt(row, 'name') ?? idOf(row))}`;
  const line = answer.unchanged === true ? `${what} exists already: nothing was ${done}` : `${done} ${what}`;
  const notes = ctx.settings.get('quiet') ? [] : [line];
  return isNew && !ctx.terminal.output ? { kind: 'text', text: `${idOf(row)}\n`, notes } : { kind: 'nothing', notes };
}

/** `--wait` of a write. */
export interface Wait {
  readonly summary: string;
  /** The result of the write, and how the wait for its row ended. */
  readonly end: (ctx: CommandContext, result: Result, id: string, timeoutMs: Milliseconds) => Promise<Result>;
}

/** `berth NOUN create NAME`. */
export function create(
  of: Resource,
  spec: NounWords &
    BodyRules & {
      /** Said before it: `100 GB: $7.00/month`. */
      readonly price?: (body: JsonObject, ctx: CommandContext) => Message | Promise<Message>;
      /** Flags beside those of the body, one of which is needed. */
      readonly oneOf?: Params;
      /** Reads and completes the body. */
      readonly body?: (ctx: CommandContext, read: () => Promise<JsonObject>, values: Values) => Promise<JsonObject>;
      /** Sends it in another way than as one POST. */
      readonly send?: (ctx: CommandContext, request: CreateRequest) => Promise<ApiAnswer>;
      readonly wait?: Wait;
    } = {},
): () => Command {
  const { price, oneOf, wait, body: completed = (_, read) => read(), send = (ctx, one) => ctx.api.send(one) } = spec;
  return () =>
    defineCommand({
      summary: spec.summary ?? `create ${withArticle(of.noun)}`,
      details: spec.details,
      examples: spec.examples,
      args: bodyArguments(of, 'create', spec),
      // Nothing is asked: scripts may confirm all the same.
      options: {
        ...bodyFlags(of, 'create', spec),
        ...oneOf,
        ...(wait && waitOptions(wait.summary)),
        yes: { ...yesOption, hidden: true },
      },
      needed: [...(spec.needed ?? []), ...(oneOf ? [Object.keys(oneOf)] : [])],
      fields: readPaths(of.table),
      output: () => rowSchema(of),
      writes: true,
      costs: price !== undefined,
      exits: spec.exits,
      run: async (ctx, values: Values) => {
        const body = await completed(ctx, () => bodyFrom(ctx, of, values, spec), values);
        if (price !== undefined)
          await tellPrice(ctx, async () => {
            // Of a service that can be asked, and after the line that says it is the local one.
            await ctx.api.preview(post(of, body));
            return await price(body, ctx);
          });
        const answer = await withReferences(ctx, body, spec.references ?? {}, (known) => send(ctx, post(of, known)));
        return await waited(ctx, wait, await written(ctx, of, answer, 'created'), answer, values);
      },
    });
}

const waited = async (
  ctx: CommandContext,
  wait: Wait | undefined,
  result: Result,
  { value }: ApiAnswer,
  given: Values,
) => (given['wait'] === true && wait ? wait.end(ctx, result, idOf(value), Number(given['waitTimeout'])) : result);

/** Reads the row of an update, once. */
export type ReadRow = () => Promise<Json>;

/** `berth NOUN update ID`. */
export function update(
  of: Resource,
  spec: NounWords &
    BodyRules & {
      /** What an update destroys or cannot undo: asked about. Undefined for nothing. Not called with --yes. */
      readonly risk?: (body: JsonObject, row: Json) => string | undefined | Promise<string | undefined>;
      /** The members that `risk` looks at. Without them the row is not read. */
      readonly risky?: readonly string[];
      /** Completes what the service takes only as a whole, and refuses what it cannot do. */
      readonly complete?: (ctx: CommandContext, body: JsonObject, row: ReadRow, values: Values) => Promise<JsonObject>;
      readonly wait?: Wait;
    } = {},
): () => Command {
  const { risk, risky = [], complete, wait } = spec;
  return () =>
    defineCommand({
      summary: spec.summary ?? `change ${withArticle(of.noun)}`,
      details: spec.details,
      examples: spec.examples,
      args: { id: idArgument(of), ...bodyArguments(of, 'update', spec) },
      options: {
        ...bodyFlags(of, 'update', spec),
        ...(wait && waitOptions(wait.summary)),
        ...(risk && { yes: yesOption }),
      },
      needed: [Object.keys(bodyFlags(of, 'update', spec))],
      fields: readPaths(of.table),
      output: () => rowSchema(of),
      writes: true,
      costs: spec.costs,
      run: async (ctx, values: Values) => {
        const word = textIn(values, 'id') ?? '';
        let reading: Promise<Json> | undefined;
        const row: ReadRow = () => (reading ??= readRow(ctx, of, word).then(({ value = null }) => value));
        const given = await bodyFrom(ctx, of, values, spec, row);
        const body = (await complete?.(ctx, given, row, values)) ?? given;
        if (asks(ctx) && risky.some((member) => body[member] !== undefined)) {
          const line = await risk?.(body, await row());
          if (line !== undefined) await ask(ctx, { line });
        }
        const answer = await withId(ctx, of, word, (id) =>
          withReferences(ctx, body, spec.references ?? {}, (known) => ctx.api.send(patch(of, id, known))),
        );
        return await waited(ctx, wait, await written(ctx, of, answer, 'updated'), answer, values);
      },
    });
}

/** `berth NOUN delete ID...`: by ids, names or selectors. It says what it will hit, and asks. */
export function remove(
  of: Resource,
  spec: NounWords & {
    /** What is lost: `all data on it`. */
    readonly loses: string;
    /** Its name must be typed. */
    readonly typed?: (row: Json) => boolean;
    /** `deleted` by default. */
    readonly done?: string;
    /** Why rows may not be deleted without --force, by id. */
    readonly inUse?: (ctx: CommandContext, rows: readonly Json[]) => Promise<ReadonlyMap<string, string>>;
    /** What to do about them. */
    readonly hint?: (row: Json) => Message;
  },
): () => Command {
  const { loses, typed, inUse, hint, done = 'deleted' } = spec;
  const plural = pluralOf(of.noun);
  return () =>
    defineCommand({
      summary: spec.summary ?? `delete ${plural}`,
      details: [spec.details, SEVERAL].filter(Boolean).join(' '),
      examples: spec.examples,
      args: { id: idsArgument(of) },
      options: {
        ...selectorOptions(of.table, plural),
        ...(inUse === undefined ? {} : { force: option.on(`${plural} in use or locked too`) }),
        yes: yesOption,
      },
      output: outcomesSchema,
      writes: true,
      destroys: true,
      run: async (ctx, values) => {
        requireYes(ctx);
        const { force, ...selection } = values as unknown as Selection & { readonly force?: boolean };
        const isGuarded = inUse !== undefined && force !== true;
        const chosen = await choose(ctx, of, selection);
        const hit = isGuarded || asks(ctx) ? await withRows(ctx, of, chosen.targets) : chosen.targets;
        const rows = hit.flatMap(({ row }) => row ?? []);
        const kept = isGuarded ? await inUse(ctx, rows) : new Map<string, string>();
        if (chosen.isSelected) for (const reason of kept.values()) await ctx.tell(`skipped: ${reason}`);
        const targets = hit.flatMap((target): readonly Target[] => {
          const { word, row = null } = target;
          const message = kept.get(idOf(row));
          if (message === undefined) return [target];
          if (chosen.isSelected) return [];
          const advice = lines(hint?.(row), 'Pass --force to override.');
          return [{ word, failure: new Failure({ code: 'refused', exit: EXIT.refused, message, hint: advice }) }];
        });
        await askToRemove(ctx, of, { ...chosen, targets }, `will be ${done}. Lost: ${loses}.`, typed);
        const outcomes = await each(ctx, of, targets, (id) =>
          ctx.api.send({
            service: 'base',
            method: 'DELETE',
            path: [...of.path, id],
            id,
            checkCommand: listCommand(of),
          }),
        );
        return report(ctx, of, chosen, outcomes, done);
      },
    });
}

async function askToRemove(
  ctx: CommandContext,
  of: Resource,
  { isSelected, targets }: Chosen,
  consequence: string,
  typed: (row: Json) => boolean = () => false,
): Promise<void> {
  const rows = targets.flatMap(({ row }) => row ?? []);
  if (!asks(ctx) || rows.length === 0) return;
  if (isSelected) await ctx.tellRows(of.view, rows);
  const count = countOf(rows.length, of.noun);
  const what = isSelected ? count : `${of.noun} ${rows.map(labelOf).join(', ')}`;
  const name = rows.length === 1 ? stringAt(rows[0], 'name') : undefined;
  await ask(ctx, { line: `${what} ${consequence}`, ...(rows.some(typed) && { typed: name ?? count }) });
}

/** Who uses things, by their ids; unused ones are absent. Fails as the lists of the users do. */
export const usersOf =
  ({
    noun,
    users,
    usedBy,
    keyOf = idOf,
  }: {
    readonly noun: string;
    readonly users: readonly Collection[];
    /** By the text that `keyOf` returns. */
    readonly usedBy: (row: Json) => Iterable<string>;
    readonly keyOf?: (used: Json) => string;
  }) =>
  async (ctx: CommandContext, things: readonly Json[]): Promise<ReadonlyMap<string, string>> => {
    if (things.length === 0) return new Map();
    const lists = users.map(async (of) =>
      (await listRows(ctx, of, of.lookupQuery)).values.map((row) => ({
        label: `${of.noun} ${labelOf(row)}`,
        uses: new Set(usedBy(row)),
      })),
    );
    const rows = (await Promise.all(lists)).flat();
    return new Map(
      things.flatMap((thing) => {
        const found = rows.filter(({ uses }) => uses.has(keyOf(thing))).map(({ label }) => label);
        return found.length === 0 ? [] : [[idOf(thing), `${noun} ${labelOf(thing)} is used by ${found.join(', ')}`]];
      }),
    );
  };
