import type { SettingsView } from '../../../core/context.ts';
import { helpMessage } from '../../words/words.ts';
import { type CommandLine, lines, type Message, sentence } from '../../../core/message.ts';
import { EXIT } from '../../../core/exit-codes.ts';
import { Failure, usage } from '../../../core/failure.ts';
import { arrayOf, isObject, type Json, type JsonObject, memberOf, stringAt } from '../../../core/json.ts';
import { promptFor } from '../../run/prompt-missing.ts';
import type { Values } from '../../model/command.ts';
import type { CommandContext } from '../../model/context.ts';
import { didYouMean } from '../../words/suggestions.ts';
import { flagName, isGiven } from '../../model/params.ts';
import { missingMembers, readBody, withMember, type Members } from './body.ts';

/** The members of a request body, and the rules for them. */
export interface BodySpec {
  readonly members: Members;
  /** Flag keys of members that a create needs. Of a group, one is enough. */
  readonly needed?: readonly (string | readonly string[])[];
  /** Groups of flag keys that exclude each other. */
  readonly exclusive?: readonly (readonly string[])[];
  /** Members that the service accepts. `gpu.pools` is a member of an object, or of each item of a list. */
  readonly accepts: readonly string[];
  /** A valid PATH=VALUE of `--set` for help and errors; by default one of the first accepted member. */
  readonly setExample?: string;
  /**
   * Read-only members that `get` prints, beside the id and the creation time. They are dropped from a file with a note, so
   * that a printed document can be used as input. A member in neither list is an error.
   */
  readonly prints?: readonly string[];
  /** Converts a document that `get` printed, before members are dropped (`template` to `templateId`). */
  readonly adapt?: (document: JsonObject) => JsonObject;
  /** Validates values of the body before it is sent. Fails with usage (2). */
  readonly checkFields?: (body: JsonObject) => void;
  /** Completes values of the body before it is shown or sent. Fails with usage (2). */
  readonly completeFields?: (
    ctx: CommandContext,
    body: JsonObject,
    given: Pick<BodyUpdate, 'values' | 'file'>,
  ) => Promise<JsonObject>;
  /** Completes values of an update with those of the current row. */
  readonly fillFields?: (ctx: CommandContext, body: JsonObject, update: BodyUpdate) => Promise<JsonObject>;
  /**
   * Prompts on a terminal for what a member of the body needs beside it; the same body where nothing is missing. `lookUp` is
   * called before the first question.
   */
  readonly askBeside?: (ctx: CommandContext, body: JsonObject, lookUp: () => Promise<void>) => Promise<JsonObject>;
  /** Prompts for optional members, if a needed one had to be prompted for. */
  readonly offer?: (ctx: CommandContext, body: JsonObject) => Promise<JsonObject>;
  /** The command line that sends a body without questions, with what was given; said after questions. */
  readonly commandLine?: (body: JsonObject, given: Values) => CommandLine;
  /** Default members of a create, by the members that were given and by the settings. */
  readonly defaults?: (body: JsonObject, settings: SettingsView) => JsonObject;
}

/** What an update is completed from. */
export interface BodyUpdate {
  readonly values: Values;
  /** What the file of the body holds; empty without one. */
  readonly file: JsonObject;
  readonly readRow: () => Promise<Json>;
}

/** The example of `--set` in help and errors. */
export const setExampleOf = ({ setExample, accepts }: BodySpec): string =>
  setExample ?? `${accepts[0] ?? 'name'}=VALUE`;

/**
 * Builds the body from the file, `--set` and the flags; returns the file's part beside it. Read-only members of the file are
 * dropped with a note. Fails with usage (2) for input that does not parse, an unknown member, flags that exclude each other, or
 * an empty name or image. A dry run fails with refused (5) for a member of `--set` that is known, and not one of this body.
 */
export async function composeBody(
  ctx: CommandContext,
  spec: BodySpec,
  values: Values,
): Promise<{ readonly body: JsonObject; readonly file: JsonObject }> {
  for (const group of spec.exclusive ?? []) refuseSeveral(group.filter((key) => isGiven(values[key])));
  let dropped: readonly string[] = [];
  let file: JsonObject = {};
  const body = await readBody(ctx, spec.members, values, setExampleOf(spec), (document) => {
    const kept = writable(spec.adapt?.(document) ?? document, spec.accepts, printedOf(spec));
    refuseUnknown(kept.unknown, spec);
    dropped = kept.dropped;
    file = kept.body;
    return file;
  });
  if (ctx.dryRun) refuseReadOnly(body, spec);
  if (dropped.length > 0) await ctx.tell(`Left out, because it cannot be written: ${listed(dropped)}.`);
  for (const key of ['name', 'image'])
    if (stringAt(body, spec.members[key]?.path ?? key)?.trim() === '') throw usage(`${flagName(key)} is empty`);
  return { body: (await spec.completeFields?.(ctx, body, { values, file })) ?? body, file };
}

/** A body that is ready to be sent, and whether a question was asked for it. */
interface CompleteBody {
  readonly body: JsonObject;
  readonly asked: boolean;
}

/**
 * Adds the defaults to a body and prompts for missing needed members, after `lookUp` has looked for what the body names.
 * Fails with usage (2) and names their flags if there is no terminal or no prompt for them, and as `lookUp` does.
 */
export async function completeBody(
  ctx: CommandContext,
  spec: BodySpec,
  body: JsonObject,
  given: Values,
  lookUp: () => Promise<void>,
): Promise<CompleteBody> {
  const withDefaults = (complete: JsonObject): JsonObject =>
    merged(spec.defaults?.(complete, ctx.settings) ?? {}, complete);
  const missing = (spec.needed ?? [])
    .map((group) => (typeof group === 'string' ? [group] : group))
    .filter((group) => missingMembers(spec.members, group, body).length === group.length);
  const canAsk = (key: string): boolean => ctx.terminal.canAsk && spec.members[key]?.param.ask !== undefined;
  const unanswerable = missing.filter((group) => !group.some(canAsk));
  if (unanswerable.length > 0)
    throw usage(
      `missing ${unanswerable.map((group) => group.map(flagName).join(' or ')).join(' and ')}`,
      lines(...unanswerable.flat().map((key) => explained(spec.members, key))),
    );
  if (missing.length > 0) await lookUp();
  const answers: Record<string, unknown> = { set: [] };
  for (const group of missing) {
    const key = await pickMember(ctx, spec.members, group.filter(canAsk));
    const member = spec.members[key];
    if (member === undefined) continue;
    answers[key] = await promptFor(ctx, key, member.param, (value) => {
      const given = member.value === undefined ? (value as Json) : member.value(value as never, undefined);
      spec.checkFields?.(withMember(undefined, member.path.split('.'), given));
    });
  }
  const needed = merged(body, await readBody(ctx, spec.members, answers, setExampleOf(spec), (document) => document));
  const complete = (ctx.terminal.canAsk ? await spec.askBeside?.(ctx, needed, lookUp) : undefined) ?? needed;
  if (missing.length === 0 && complete === needed) return { body: withDefaults(complete), asked: false };
  const answered = (missing.length === 0 ? undefined : await spec.offer?.(ctx, complete)) ?? complete;
  if (spec.commandLine !== undefined) await ctx.tell(sentence`Without questions: ${spec.commandLine(answered, given)}`);
  return { body: withDefaults(answered), asked: true };
}

/** A flag and what its help says. */
const explained = (members: Members, key: string): Message =>
  sentence`${flagName(key)}: ${helpMessage(members[key]?.param.summary ?? '')}`;

/** The member of a group to prompt for; the user picks one if there are several. */
async function pickMember(ctx: CommandContext, members: Members, keys: readonly string[]): Promise<string> {
  const [only = '', ...others] = keys;
  if (others.length === 0) return only;
  const asked = keys.map((key) => ({ key, question: members[key]?.param.ask?.question }));
  const choices = asked.map(({ key, question = flagName(key) }) => ({
    name: `${question} (${flagName(key)})`,
    value: key,
  }));
  const question = asked.map((each) => each.question ?? flagName(each.key)).join(' or ');
  return await ctx.prompts.select(`${question}?`, choices);
}

/** Read-only members of every resource. */
const READ_ONLY = ['id', 'createdAt'];

/** The members that `get` prints. */
const printedOf = ({ prints = [] }: BodySpec): readonly string[] => [...READ_ONLY, ...prints];

/** Fails with usage (2) if there are unknown members. Dropping one silently could lose an important value. */
function refuseUnknown(unknown: readonly string[], { accepts, prints }: BodySpec): void {
  const [first] = unknown;
  if (first === undefined) return;
  throw usage(
    `--file holds unknown members: ${listed(unknown)}`,
    didYouMean(first, [...accepts, ...(prints ?? [])]) ?? `It takes ${accepts.join(', ')}.`,
  );
}

/** Fails with refused (5) for members that are only printed: `--set` may name them. A newer service may have unknown ones. */
function refuseReadOnly(body: JsonObject, spec: BodySpec): void {
  const { dropped } = writable(body, spec.accepts, printedOf(spec));
  if (dropped.length === 0) return;
  throw new Failure({
    code: 'refused',
    exit: EXIT.refused,
    message: `the service would refuse this request: it has no member${dropped.length === 1 ? '' : 's'} ${listed(dropped)}`,
    hint: lines(`It takes ${spec.accepts.join(', ')}.`, 'Nothing was sent.'),
  });
}

/** The number of names in a message. */
const MAX_NAMES = 10;

const listed = (names: readonly string[]): string =>
  names.length <= MAX_NAMES
    ? names.join(', ')
    : `${names.slice(0, MAX_NAMES).join(', ')} and ${names.length - MAX_NAMES} more`;

/** The writable part of a document, and the paths of its read-only (`dropped`) and unknown members. */
export interface Writable {
  readonly body: JsonObject;
  readonly dropped: readonly string[];
  readonly unknown: readonly string[];
}

/** Splits a document into what can be written, read-only members and unknown members. */
export function writable(document: JsonObject, accepts: readonly string[], prints: readonly string[]): Writable {
  const dropped = new Set<string>();
  const unknown = new Set<string>();
  const within = (path: string, value: Json | undefined): Json | undefined => {
    const inner = accepts.flatMap((each) => (each.startsWith(`${path}.`) ? [each.slice(path.length + 1)] : []));
    const items = arrayOf(value);
    if (inner.length === 0 || (items === undefined && !isObject(value))) return value;
    const keep = (item: Json): Json => (isObject(item) ? kept(item, inner, `${path}.`) : item);
    return items === undefined ? keep(value ?? null) : items.map(keep);
  };
  const kept = (object: JsonObject, names: readonly string[], prefix: string): JsonObject =>
    Object.fromEntries(
      Object.entries(object).flatMap(([name, value]) => {
        if (names.some((each) => each === name || each.startsWith(`${name}.`)))
          return [[name, within(prefix + name, value)] as const];
        (prints.includes(prefix + name) ? dropped : unknown).add(prefix + name);
        return [];
      }),
    );
  const body = kept(document, accepts, '');
  return { body, dropped: [...dropped], unknown: [...unknown] };
}

function refuseSeveral(keys: readonly string[]): void {
  if (keys.length > 1) throw usage(`${keys.map(flagName).join(' and ')} exclude each other`, 'Keep one of them.');
}

/** A deep merge of two objects; members of `over` win. */
export function merged(under: JsonObject, over: JsonObject): JsonObject {
  const members = Object.entries(over).map(([name, value]) => {
    const below = memberOf(under, name);
    return [name, isObject(below) && isObject(value) ? merged(below, value) : value] as const;
  });
  return { ...under, ...Object.fromEntries(members) };
}
