import {
  type Command,
  type CommandWords,
  defineCommand,
  textIn,
  type Values,
  waitOptions,
  yesOption,
} from '../model/command.ts';
import type { CommandContext } from '../model/context.ts';
import { flagName, type Params } from '../model/params.ts';
import {
  askAboutRaise,
  askToCreate,
  confirmRestart,
  type Price,
  type PriceOfChange,
  tellPrice,
} from './ask-before-write.ts';
import { textColumn } from './fields.ts';
import { identify, readRow } from './identify.ts';
import { idArgument, type Resource, rowSchema } from './read.ts';
import { type References, sendReferences, withCompletion } from './references.ts';
import { bodyOptions, type BodySpec, completeBody, composeBody, setExampleOf } from './request-body.ts';
import { redactingSecret, refuseSecretOnArgv, type Secret, secretOptions, withSecret } from './secret.ts';
import { afterWait, type WaitSpec } from './wait-for-row.ts';
import { unlessUnread } from '../run/dry-run.ts';
import type { ApiAnswer, ApiRequest } from '../../core/api.ts';
import { EXIT, type ExitCode } from '../../core/exit-codes.ts';
import { Failure, usage } from '../../core/failure.ts';
import { asId, type Id } from '../../core/ids.ts';
import { type Json, type JsonObject, stringAt } from '../../core/json.ts';
import { berth, type CommandLine, type Message, names } from '../../core/message.ts';
import { createAbsence } from '../../core/not-there-yet.ts';
import { text } from '../../output/cells.ts';
import { isTableOutput } from '../../output/formats/format-table.ts';
import { answerResult, type Result, type View } from '../../output/view.ts';

export interface WriteSpec extends BodySpec, CommandWords {
  /** Usage (2) naming flag and rule. `readRow` is undefined on create and in a dry run that cannot read. */
  readonly check?: (
    body: JsonObject,
    readRow: (() => Promise<Json>) | undefined,
    ctx: CommandContext,
  ) => void | Promise<void>;
  /** For members that the service accepts only complete. */
  readonly fill?: (body: JsonObject, values: Values, readRow: () => Promise<Json>) => Promise<JsonObject>;
  /** Said before a create; asked about if it `asks` or anything else was asked. If it fails: unknown price. */
  readonly price?: (ctx: CommandContext, body: JsonObject, values: Values) => Promise<Price | undefined>;
  readonly raise?: PriceOfChange;
  /** Said and asked about before anything is sent; without a terminal it needs --yes. Undefined: nothing. */
  readonly restarts?: (
    ctx: CommandContext,
    body: JsonObject,
    readRow: () => Promise<Json>,
  ) => Promise<string | undefined>;
  /** Ids of other resources; a name is accepted too. */
  readonly references?: References;
  /** Never given on the command line and never printed. */
  readonly secret?: Secret;
  /** Replaces the default request. `asked`: a person has answered questions about it. */
  readonly send?: (ctx: CommandContext, request: CreateRequest, values: Values, asked: boolean) => Promise<ApiAnswer>;
  /** Not members of the body: `send` reads them. */
  readonly options?: Params;
  /** By what can be read: refuses a dry run. Fails as its reads do. */
  readonly refused?: (failure: Failure) => Failure;
  readonly notes?: (row: Json, body: JsonObject) => readonly Message[];
  /** Said on a terminal after a create and its wait. */
  readonly nextStep?: (row: Json, body: JsonObject) => Message;
  readonly costs?: boolean;
  readonly exits?: readonly ExitCode[];
  /** Adds `--wait`. */
  readonly wait?: WaitSpec;
}

export type CreateRequest = Omit<ApiRequest, 'body'> & { readonly body: JsonObject };

/** Flags, or the words after `--`. */
const membersOf = (spec: WriteSpec, kind: 'flag' | 'argument'): Params =>
  Object.fromEntries(
    Object.entries(spec.members).flatMap(([key, member]) =>
      member.param.kind === kind ? [[key, withCompletion(spec.references, member)]] : [],
    ),
  );

const optionsOf = (spec: WriteSpec): Params => ({
  ...membersOf(spec, 'flag'),
  ...spec.options,
  ...bodyOptions(setExampleOf(spec)),
  ...(spec.wait === undefined ? {} : waitOptions('wait until it is ready')),
  ...([spec.price, spec.raise, spec.restarts].every((asks) => asks === undefined) ? {} : { yes: yesOption }),
});

const wordsOf = ({ summary, details, examples, costs, price, wait, exits = [] }: WriteSpec) => ({
  summary,
  details,
  examples,
  costs: costs ?? price !== undefined,
  exits: [...exits, ...(wait === undefined ? [] : [EXIT.jobFailed])],
});

const listLine = (noun: string): CommandLine => berth`${names(noun)} list`;

export const createRequest = ({ path }: Pick<Resource, 'path'>, name: string, body: JsonObject): CreateRequest => ({
  service: 'base',
  method: 'POST',
  path,
  body,
  checkCommand: listLine(name),
  expects: 'created',
});

export const updateRequest = (
  { path }: Pick<Resource, 'path'>,
  name: string,
  id: Id,
  body: JsonObject,
): ApiRequest & { readonly body: JsonObject } => ({
  service: 'base',
  method: 'PATCH',
  path: [...path, id],
  body,
  id,
  expects: 'resource',
  checkCommand: berth`${names(name)} get ${id}`,
});

/** `name` is the noun on the command line: `volumes`, `registries delegations`. */
export function createCommand(resource: Resource, name: string, spec: WriteSpec): Command {
  const { secret } = spec;
  const send = spec.send ?? plainSend;
  return defineCommand({
    ...wordsOf(spec),
    args: membersOf(spec, 'argument'),
    options: { ...optionsOf(spec), ...(secret === undefined ? {} : secretOptions(secret)) },
    fields: resource.view.paths,
    output: rowSchema(resource),
    needed: [...(spec.needed ?? []), ...(secret === undefined ? [] : [Object.keys(secretOptions(secret))])],
    writes: true,
    run: async (ctx, values: Values) => {
      if (secret !== undefined) refuseSecretOnArgv(secret, values);
      const { body: given } = await composeBody(ctx, spec, values);
      const lookUp = once(async () => (await import('./unknown-words.ts')).lookUpNamed(ctx, spec, given));
      const { body: plain, asked } = await completeBody(ctx, spec, given, values, lookUp);
      await spec.check?.(plain, undefined, ctx);
      spec.checkFields?.(plain);
      const body = secret === undefined ? plain : await withSecret(ctx, secret, plain, values);
      const price = async (): Promise<Price | undefined> => {
        const found = await spec.price?.(ctx, body, values);
        return found === undefined ? undefined : { ...found, asks: found.asks || asked };
      };
      const toAsk = await tellPrice(ctx, price);
      if (toAsk !== undefined) await askToCreate(ctx, toAsk);
      const act = () =>
        sendReferences(ctx, spec.references ?? {}, body, (known) =>
          send(ctx, createRequest(resource, name, known), values, asked),
        );
      const answer = await (secret === undefined ? act() : redactingSecret(secret, body, act)).catch(
        throwWithWords(ctx, spec, body),
      );
      const value = answer.value ?? null;
      const createdId = stringAt(value, 'id');
      const result = answerResult(resource.view, answer);
      const nextOf = (row: Json): readonly Message[] =>
        ctx.terminal.errors && isTableOutput(ctx.output) && spec.nextStep !== undefined
          ? [spec.nextStep(row, body)]
          : [];
      const notes = spec.notes?.(value, body) ?? [];
      if (createdId === undefined || spec.wait === undefined || values['wait'] !== true)
        return { ...result, notes: [...notes, ...nextOf(value)] };
      const id = asId(createdId);
      await ctx.tell(answer.existed === true ? `${id} exists already: nothing was created` : `created ${id}`);
      for (const note of notes) await ctx.tell(note);
      const waited = await afterWait(ctx, resource, name, id, spec.wait, values, result, createAbsence(ctx.clock));
      if (waited.kind !== 'one' || waited.failure !== undefined) return waited;
      return { ...waited, notes: [...(waited.notes ?? []), ...nextOf(waited.value)] };
    },
  });
}

const plainSend: NonNullable<WriteSpec['send']> = (ctx, request) => ctx.api.send(request);

/** A PATCH of the given members. */
export function updateCommand(resource: Resource, name: string, spec: WriteSpec): Command {
  return defineCommand({
    ...wordsOf(spec),
    args: { id: idArgument(resource), ...membersOf(spec, 'argument') },
    options: optionsOf(spec),
    needed: [[...Object.keys(membersOf(spec, 'flag')), 'set', 'file']],
    fields: resource.view.paths,
    output: rowSchema(resource),
    writes: true,
    run: async (ctx, values: Values) => {
      const { body: given, file } = await composeBody(ctx, spec, values);
      if (Object.keys(given).length === 0)
        throw usage(
          'nothing to change',
          `Name a member: ${Object.keys(membersOf(spec, 'flag')).map(flagName).join(', ')}, --set or --file.`,
        );
      const word = textIn(values, 'id') ?? '';
      const readBefore = once(async () => (await readRow(ctx, resource, word)).answer.value ?? null);
      // A dry run fails for an unknown name, but prints the request if the service cannot be read.
      const isReadable = !ctx.dryRun || (await unlessUnread(ctx, readBefore)) !== undefined;
      const update = { values, file, readRow: readBefore };
      const filled = isReadable ? ((await spec.fillFields?.(ctx, given, update)) ?? given) : given;
      const body = (await spec.fill?.(filled, values, readBefore)) ?? filled;
      spec.checkFields?.(body);
      await spec.check?.(body, isReadable ? readBefore : undefined, ctx);
      await askAboutRaise(ctx, spec.raise, body, readBefore);
      if (isReadable) await confirmRestart(ctx, spec.restarts, body, readBefore);
      const before = ctx.dryRun && isReadable ? { before: await readBefore() } : {};
      const { id, result: answer } = await identify(ctx, resource, word, (known) =>
        sendReferences(ctx, spec.references ?? {}, body, (complete) =>
          ctx.api.send({ ...updateRequest(resource, name, known, complete), ...before }),
        ),
      ).catch(throwWithWords(ctx, spec, body));
      const value = answer.value ?? null;
      const notes = spec.notes?.(value, given) ?? [];
      const result = { ...answerResult(resource.view, answer), notes };
      if (spec.wait === undefined || values['wait'] !== true) return result;
      return await afterWait(ctx, resource, name, id, spec.wait, values, result);
    },
  });
}

const throwWithWords =
  (ctx: CommandContext, spec: WriteSpec, body: JsonObject) =>
  async (error: unknown): Promise<never> => {
    if (!(error instanceof Failure || ctx.dryRun)) throw error;
    const inWords = error instanceof Failure ? (spec.refused?.(error) ?? error) : error;
    throw await (await import('./unknown-words.ts')).withKnownWords(ctx, spec, body, inWords);
  };

function once<T>(run: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => (result ??= run());
}

/** `notes` are for a person; `facts`, one object, for a program that asks for data. */
export function changeResult(ctx: CommandContext, facts: JsonObject, notes: readonly Message[]): Result {
  if (isTableOutput(ctx.output)) return { kind: 'nothing', notes };
  return { kind: 'one', view: factsView(facts), value: facts };
}

/** Printed as it is for a shell; `facts` where data is asked for. */
export function textResult(
  ctx: CommandContext,
  facts: JsonObject,
  shellText: string,
  notes: readonly Message[] = [],
): Result {
  if (isTableOutput(ctx.output)) return { kind: 'text', text: shellText, notes };
  return { kind: 'one', view: factsView(facts), value: facts, notes };
}

const factsView = (facts: JsonObject): View => {
  const members = Object.keys(facts);
  return {
    noun: ['change', 'changes'],
    id: text(members[0] ?? ''),
    members,
    columns: members.map((member) => textColumn(member)),
  };
};
