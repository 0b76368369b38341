import type { ApiAnswer, ApiRequest } from '../../core/api.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, usage } from '../../core/failure.ts';
import { memberAt, stringOf, type Json, type JsonObject } from '../../core/json.ts';
import type { Result } from '../../output/view.ts';
import { arg, flagName, onlyWith, option, type Params } from '../parse/params.ts';
import { defineCommand, type Command, type Values } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { failureAmong, sendEach, withId } from './lookup.ts';
import { waitFor } from '../run/wait.ts';
import { commandLine, countOf } from '../words.ts';
import { bodyOptions } from './body.ts';
import { completedBody, composeBody, setExampleOf, type BodySpec } from './compose.ts';
import type { Resource } from './read.ts';
import { withReferences, type References } from './references.ts';
import { hidingSecret, refuseSecretOnArgv, secretOptions, withSecret, type Secret } from './secret.ts';

/** What a create or an update of a collection takes; data, but for the checks and the price. */
export interface WriteSpec extends BodySpec {
  readonly summary: string;
  readonly details?: string;
  readonly examples?: readonly (readonly [string, string])[];
  /** Refuses what the contract is firm about, with usage (2) naming the flag and the rule. `look` reads the row as it is; it is undefined on create and in a dry run. */
  readonly check?: (body: JsonObject, look: (() => Promise<Json>) | undefined) => void | Promise<void>;
  /** Completes a change with what the row has, for members that the service takes only whole. `look` reads the row. */
  readonly fill?: (body: JsonObject, values: Values, look: () => Promise<Json>) => Promise<JsonObject>;
  /** What it will cost, said before it is sent. A catalog that cannot be read costs the sentence, not the create. */
  readonly price?: (ctx: CommandContext, body: JsonObject) => Promise<string | undefined>;
  /** Members that hold ids of other things, where a name works too. */
  readonly references?: References;
  /** A create's member that is never on the command line and never shown. */
  readonly secret?: Secret;
  /** Sends a create where it is not simply the request that the kit states. */
  readonly send?: (ctx: CommandContext, request: CreateRequest) => Promise<ApiAnswer>;
  /** Said after it is written. */
  readonly notes?: (row: Json, body: JsonObject) => readonly string[];
  /** Gives `--wait`: until a row is as it was meant to be. */
  readonly wait?: WaitSpec;
}

/** A create as the kit states it. */
export type CreateRequest = Omit<ApiRequest, 'body'> & { readonly body: JsonObject };

export interface WaitSpec {
  readonly until: string;
  readonly done: (row: Json) => boolean;
  readonly bad: (row: Json) => boolean;
  /** What is looked at, below the row: `releases`. The row itself where absent. */
  readonly below?: string;
  /** The state seen, for the spinner; its `status` where absent. */
  readonly describe?: (seen: Json) => string;
  /** The command line that goes on waiting; `NOUN wait ID --for UNTIL` where absent. */
  readonly goOn?: (id: string) => string;
}

const WAIT_OPTIONS = {
  wait: option.on('wait until it is ready'),
  waitTimeout: onlyWith(['wait'], option.durationOr('how long --wait waits', 's', 600_000, '10m')),
} as const satisfies Params;

/** The flags of a create or an update, its own and those that all have. */
const optionsOf = (spec: WriteSpec): Params => ({
  ...Object.fromEntries(Object.entries(spec.members).map(([key, { param }]) => [key, param])),
  ...bodyOptions(setExampleOf(spec)),
  ...(spec.wait === undefined ? {} : WAIT_OPTIONS),
});

const wordsOf = ({ summary, details, examples }: WriteSpec) => ({
  summary,
  ...(details === undefined ? {} : { details }),
  examples: examples ?? [],
});

const listLine = (noun: string): string => commandLine(...noun.split(' '), 'list');

/** `berth NOUN create`. `name` is the words the noun is called by: `volumes`, `registries delegations`. */
export function createCommand(resource: Resource, name: string, spec: WriteSpec): Command {
  const { secret } = spec;
  const send = spec.send ?? plainSend;
  return defineCommand({
    ...wordsOf(spec),
    options: { ...optionsOf(spec), ...(secret === undefined ? {} : secretOptions(secret)) },
    writes: true,
    run: async (ctx, values: Values) => {
      if (secret !== undefined) refuseSecretOnArgv(secret, values);
      const open = await completedBody(ctx, spec, await composeBody(ctx, spec, values));
      await spec.check?.(open, undefined);
      const body = secret === undefined ? open : await withSecret(ctx, secret, open, values);
      const price = await priceOf(ctx, spec, body);
      if (price !== undefined) await ctx.tell(price);
      const act = () =>
        withReferences(ctx, spec.references ?? {}, body, (known) =>
          send(ctx, {
            service: 'base',
            method: 'POST',
            path: resource.path,
            body: known,
            checkCommand: listLine(name),
            expects: 'created',
          }),
        );
      const answer = await (secret === undefined ? act() : hidingSecret(secret, body, act));
      const value = answer.value ?? null;
      const id = stringOf(memberAt(value, 'id'));
      const result = { kind: 'one', view: resource.view, value, source: answer.text } as const;
      const notes = spec.notes?.(value, body) ?? [];
      if (id === undefined || spec.wait === undefined || values['wait'] !== true) return { ...result, notes };
      await ctx.tell(`created ${id}`);
      for (const note of notes) await ctx.tell(note);
      return await waited(ctx, resource, name, id, spec.wait, values, result);
    },
  });
}

const plainSend: NonNullable<WriteSpec['send']> = (ctx, request) => ctx.api.send(request);

/** `berth NOUN update ID`: PATCH with the members given. */
export function updateCommand(resource: Resource, name: string, spec: WriteSpec): Command {
  return defineCommand({
    ...wordsOf(spec),
    args: { id: arg.text(`${resource.noun} id or name`, { metavar: metavar(resource) }) },
    options: optionsOf(spec),
    writes: true,
    run: async (ctx, values: Values) => {
      const given = await composeBody(ctx, spec, values);
      if (Object.keys(given).length === 0)
        throw usage(
          'nothing to change',
          `Name a member: ${Object.keys(spec.members).map(flagName).join(', ')}, --set or --file.`,
        );
      let id = values['id'] as string;
      const answer = await withId(ctx, resource, id, async (known) => {
        id = known;
        const path = [...resource.path, id];
        const look = onlyOnce(
          async () => (await ctx.api.send({ service: 'base', method: 'GET', path, id: known })).value ?? null,
        );
        const body = (await spec.fill?.(given, values, look)) ?? given;
        await spec.check?.(body, ctx.dryRun ? undefined : look);
        const checkCommand = commandLine(...name.split(' '), 'get', id);
        return await withReferences(ctx, spec.references ?? {}, body, (written) =>
          ctx.api.send({ service: 'base', method: 'PATCH', path, body: written, id: known, checkCommand }),
        );
      });
      const value = answer.value ?? null;
      const notes = spec.notes?.(value, given) ?? [];
      const result = { kind: 'one', view: resource.view, value, source: answer.text, notes } as const;
      if (spec.wait === undefined || values['wait'] !== true) return result;
      return await waited(ctx, resource, name, id, spec.wait, values, result);
    },
  });
}

/** A look that is taken at most once, however often it is asked for. */
function onlyOnce<T>(look: () => Promise<T>): () => Promise<T> {
  let seen: Promise<T> | undefined;
  return () => (seen ??= look());
}

/** The price is a courtesy: where it cannot be read, nothing is said. An interrupt is still one. */
async function priceOf(ctx: CommandContext, spec: WriteSpec, body: JsonObject): Promise<string | undefined> {
  if (ctx.dryRun) return undefined;
  try {
    return await spec.price?.(ctx, body);
  } catch (error) {
    if (!(error instanceof Failure) || ctx.signal.aborted) throw error;
    return undefined;
  }
}

/** What a write ends with once the wait is over: the row then, or, where something below it was looked at, as it came. */
async function waited(
  ctx: CommandContext,
  resource: Resource,
  name: string,
  id: string,
  wait: WaitSpec,
  values: Values,
  written: Result,
): Promise<Result> {
  const end = await waitForRow(ctx, resource, name, id, wait, Number(values['waitTimeout']));
  return wait.below === undefined ? end : { ...written, ...('exit' in end ? { exit: end.exit } : {}) };
}

interface DeleteSpec {
  readonly summary: string;
  readonly details?: string;
  /** What goes with it, said before asking: `Its data is destroyed.` */
  readonly loss?: string;
  /** What uses these, by their ids: sentences said before asking. Without a question nothing is looked up. */
  readonly users?: (ctx: CommandContext, ids: readonly string[]) => Promise<readonly string[]>;
  /** `deleted`, `terminated`. */
  readonly done?: string;
}

/** `berth NOUN delete ID...`: asks first, naming what it will hit. */
export function deleteCommand(resource: Resource, name: string, spec: DeleteSpec): Command {
  const done = spec.done ?? 'deleted';
  const loss = spec.loss === undefined ? '' : ` ${spec.loss}`;
  return defineCommand({
    summary: spec.summary,
    ...(spec.details === undefined ? {} : { details: spec.details }),
    args: { id: arg.ids(`${resource.noun} ids or names`, { metavar: metavar(resource) }) },
    writes: true,
    confirm: async (ctx, { id }) => {
      const rows = await Promise.all(
        id.map((each) =>
          withId(ctx, resource, each, (known) =>
            ctx.api.send({ service: 'base', method: 'GET', path: [...resource.path, known], id: known }),
          ),
        ),
      );
      const ids = rows.map(({ value }, at) => stringOf(memberAt(value, 'id')) ?? id[at] ?? '');
      const named = ids.map((each, at) => `${each} (${stringOf(memberAt(rows[at]?.value, 'name')) ?? '-'})`);
      const hit = `This hits ${countOf(id.length, resource.noun)}, for good: ${named.join(', ')}.${loss}`;
      return [hit, ...((await spec.users?.(ctx, ids)) ?? [])].join(' ');
    },
    run: async (ctx, { id }) => {
      const request = (known: string) =>
        ({
          service: 'base',
          method: 'DELETE',
          path: [...resource.path, known],
          id: known,
          checkCommand: listLine(name),
        }) as const;
      const [only = '', ...others] = id;
      if (others.length === 0) {
        await withId(ctx, resource, only, (known) => ctx.api.send(request(known)));
        return { kind: 'nothing', notes: [`${resource.noun} ${only} is ${done}.`] };
      }
      const sent = await sendEach(
        ctx,
        resource,
        id.map((given) => ({ given, request })),
      );
      const notes = sent.flatMap(({ given, answer }) => (answer === undefined ? [] : [`${given}: ${done}`]));
      return { kind: 'nothing', notes, failure: failureAmong(sent) };
    },
  });
}

export const metavar = (resource: Resource): string => resource.noun.toUpperCase().replaceAll(' ', '-');

/** Looks at a row until it is as it was meant to be; a row that went bad ends 10. */
export async function waitForRow(
  ctx: CommandContext,
  resource: Resource,
  name: string,
  id: string,
  wait: WaitSpec,
  timeoutMs: number,
) {
  const path = [...resource.path, id, ...(wait.below === undefined ? [] : [wait.below])];
  let text = '';
  const value = await waitFor<Json>(ctx, {
    what: `${resource.noun} ${id} to be ${wait.until}`,
    look: async () => {
      const answer = await ctx.api.send({ service: 'base', method: 'GET', path, id });
      text = answer.text;
      return answer.value ?? null;
    },
    done: (row) => wait.done(row) || wait.bad(row),
    describe: wait.describe ?? ((row) => stringOf(memberAt(row, 'status')) ?? '?'),
    timeoutMs,
    goOn: wait.goOn?.(id) ?? commandLine(...name.split(' '), 'wait', id, '--for', wait.until),
    id,
  });
  return {
    kind: 'one',
    view: resource.view,
    value,
    source: text,
    ...(wait.bad(value) ? { exit: EXIT.jobFailed } : {}),
  } as const;
}
