import { EXIT } from '../../core/exit.ts';
import { usage } from '../../core/failure.ts';
import { isObject, memberAt, stringOf, type Json, type JsonObject } from '../../core/json.ts';
import { arg, flagName, option, type Param, type Params } from '../params.ts';
import { askFor } from '../ask.ts';
import { defineCommand, type Command, type Values } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { sendEach, withId } from '../names.ts';
import { waitFor } from '../wait.ts';
import { commandLine, countOf } from '../words.ts';
import { BODY_OPTIONS, missingMembers, readBody, type Members } from './body.ts';
import type { Resource } from './read.ts';

/** What a create or an update of a collection takes; data, but for the checks and the price. */
export interface WriteSpec {
  readonly summary: string;
  readonly details?: string;
  readonly examples?: readonly (readonly [string, string])[];
  readonly members: Members;
  /** Flag keys of members that the body cannot do without. */
  readonly needed?: readonly string[];
  /** Top-level members the service takes; others of a document that `get` printed are dropped with a note. */
  readonly accepts: readonly string[];
  /** Turns what `get` printed into what is written, before the rest is dropped (`template` to `templateId`). */
  readonly adapt?: (document: JsonObject) => JsonObject;
  /** Refuses what the contract is firm about, with usage (2) naming the flag and the rule. `look` reads the row as it is; it is undefined on create and in a dry run. */
  readonly check?: (body: JsonObject, look: (() => Promise<Json>) | undefined) => void | Promise<void>;
  /** What it will cost, said before it is sent. */
  readonly price?: (ctx: CommandContext, body: JsonObject) => Promise<string | undefined>;
  /** Gives `--wait`: until a row is as it was meant to be. */
  readonly wait?: {
    readonly until: string;
    readonly done: (row: Json) => boolean;
    readonly bad: (row: Json) => boolean;
  };
}

const WAIT_OPTIONS = {
  wait: option.on('wait until it is ready'),
  waitTimeout: option.durationOr('how long --wait waits', 's', 600_000, '10m'),
} as const satisfies Params;

const paramsOf = (members: Members): Record<string, Param<unknown>> =>
  Object.fromEntries(Object.entries(members).map(([key, { param }]) => [key, param]));

const listLine = (noun: string): string => commandLine(...noun.split(' '), 'list');

/** `berth NOUN create`. `name` is the words the noun is called by: `volumes`, `registries delegations`. */
export function createCommand(resource: Resource, name: string, spec: WriteSpec): Command {
  const { members, wait } = spec;
  return defineCommand({
    summary: spec.summary,
    ...(spec.details === undefined ? {} : { details: spec.details }),
    examples: spec.examples ?? [],
    options: { ...paramsOf(members), ...BODY_OPTIONS, ...(wait === undefined ? {} : WAIT_OPTIONS) },
    writes: true,
    run: async (ctx, values: Values) => {
      const body = await completed(ctx, spec, await bodyOf(ctx, spec, values));
      await spec.check?.(body, undefined);
      const price = ctx.dryRun ? undefined : await spec.price?.(ctx, body);
      if (price !== undefined) await ctx.tell(price);
      const answer = await ctx.api.send({
        service: 'base',
        method: 'POST',
        path: resource.path,
        body,
        findOut: listLine(name),
      });
      const value = answer.value ?? null;
      const id = stringOf(memberAt(value, 'id'));
      if (id === undefined || wait === undefined || values['wait'] !== true)
        return { kind: 'one', view: resource.view, value, source: answer.text };
      await ctx.tell(`created ${id}`);
      return await waitForRow(ctx, resource, name, id, wait, Number(values['waitTimeout']));
    },
  });
}

/** `berth NOUN update ID`: PATCH with the members given. */
export function updateCommand(resource: Resource, name: string, spec: WriteSpec): Command {
  return defineCommand({
    summary: spec.summary,
    ...(spec.details === undefined ? {} : { details: spec.details }),
    examples: spec.examples ?? [],
    args: { id: arg.text(`${resource.noun} id or name`, { metavar: metavar(resource) }) },
    options: { ...paramsOf(spec.members), ...BODY_OPTIONS },
    writes: true,
    run: async (ctx, values: Values) => {
      const body = await bodyOf(ctx, spec, values);
      if (Object.keys(body).length === 0)
        throw usage(
          'nothing to change',
          `Name a member: ${Object.keys(spec.members).map(flagName).join(', ')}, --set or --file.`,
        );
      const answer = await withId(ctx, resource, values['id'] as string, async (id) => {
        const path = [...resource.path, id];
        await spec.check?.(
          body,
          ctx.dryRun
            ? undefined
            : async () => (await ctx.api.send({ service: 'base', method: 'GET', path, id })).value ?? null,
        );
        return await ctx.api.send({
          service: 'base',
          method: 'PATCH',
          path,
          body,
          id,
          findOut: commandLine(...name.split(' '), 'get', id),
        });
      });
      return { kind: 'one', view: resource.view, value: answer.value ?? null, source: answer.text };
    },
  });
}

interface DeleteSpec {
  readonly summary: string;
  readonly details?: string;
  /** What goes with it, said before asking: `Its data is destroyed.` */
  readonly loss?: string;
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
    args: { id: arg.many(`${resource.noun} ids or names`, { metavar: metavar(resource) }) },
    writes: true,
    confirm: async (ctx, { id }) => {
      const rows = await Promise.all(
        id.map((each) =>
          withId(ctx, resource, each, (known) =>
            ctx.api.send({ service: 'base', method: 'GET', path: [...resource.path, known], id: known }),
          ),
        ),
      );
      const named = rows.map(
        ({ value }, at) =>
          `${stringOf(memberAt(value, 'id')) ?? id[at] ?? ''} (${stringOf(memberAt(value, 'name')) ?? '-'})`,
      );
      return `This hits ${countOf(id.length, resource.noun)}, for good: ${named.join(', ')}.${loss}`;
    },
    run: async (ctx, { id }) => {
      const request = (known: string) =>
        ({
          service: 'base',
          method: 'DELETE',
          path: [...resource.path, known],
          id: known,
          findOut: listLine(name),
        }) as const;
      const [only = '', ...others] = id;
      if (others.length === 0) {
        const answer = await withId(ctx, resource, only, (known) => ctx.api.send(request(known)));
        return { kind: 'nothing', notes: [answer.note ?? `${resource.noun} ${only} is ${done}.`] };
      }
      const sent = await sendEach(
        ctx,
        resource,
        id.map((given) => ({ given, request })),
      );
      const failed = sent.filter(({ failure }) => failure !== undefined);
      const notes = sent.map(({ given, answer, failure }) => `${given}: ${failure?.message ?? answer?.note ?? done}`);
      return { kind: 'nothing', notes, exit: failed[0]?.failure?.exit ?? EXIT.done };
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
  wait: NonNullable<WriteSpec['wait']>,
  timeoutMs: number,
) {
  let text = '';
  const value = await waitFor<Json>(ctx, {
    what: `${resource.noun} ${id} to be ${wait.until}`,
    look: async () => {
      const answer = await ctx.api.send({ service: 'base', method: 'GET', path: [...resource.path, id], id });
      text = answer.text;
      return answer.value ?? null;
    },
    done: (row) => wait.done(row) || wait.bad(row),
    describe: (row) => stringOf(memberAt(row, 'status')) ?? '?',
    timeoutMs,
    goOn: commandLine(...name.split(' '), 'wait', id, '--for', wait.until),
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

/** The body as given; what a printed document holds beyond what can be written is dropped, and said. */
async function bodyOf(ctx: CommandContext, spec: WriteSpec, values: Values): Promise<JsonObject> {
  let dropped: readonly string[] = [];
  const body = await readBody(ctx, spec.members, values, (document) => {
    const adapted = spec.adapt?.(document) ?? document;
    dropped = Object.keys(adapted).filter((member) => !spec.accepts.includes(member));
    return Object.fromEntries(Object.entries(adapted).filter(([member]) => spec.accepts.includes(member)));
  });
  if (dropped.length > 0) await ctx.tell(`Left out, because it cannot be written: ${dropped.join(', ')}.`);
  return body;
}

/** Asks for needed members that are missing, where a person is there. Fails with usage (2) naming their flags. */
async function completed(ctx: CommandContext, spec: WriteSpec, given: JsonObject): Promise<JsonObject> {
  const missing = missingMembers(spec.members, spec.needed ?? [], given);
  const unasked = missing.filter((key) => !ctx.terminal.canAsk || spec.members[key]?.param.ask === undefined);
  if (unasked.length > 0)
    throw usage(
      `missing ${unasked.map(flagName).join(' and ')}`,
      unasked.map((key) => `${flagName(key)}: ${spec.members[key]?.param.summary ?? ''}`).join('\n'),
    );
  const answers: Record<string, unknown> = { set: [] };
  for (const key of missing) {
    const member = spec.members[key];
    if (member !== undefined) answers[key] = await askFor(ctx, key, member.param);
  }
  const asked = await readBody(ctx, spec.members, answers, (document) => document);
  return { ...given, ...merged(given, asked) };
}

/** Members of `over` laid into `under`, objects joined. */
function merged(under: JsonObject, over: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(over).map(([name, value]) => {
      const below = under[name];
      return [name, isObject(below) && isObject(value) ? { ...below, ...merged(below, value) } : value];
    }),
  );
}
