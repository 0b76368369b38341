import { usage } from '../../core/failure.ts';
import { arrayOf, isObject, memberAt, memberOf, stringOf, type Json, type JsonObject } from '../../core/json.ts';
import { askFor } from '../run/ask.ts';
import type { Values } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { didYouMean } from '../parse/nearest.ts';
import { flagName } from '../parse/params.ts';
import { missingMembers, readBody, type Members } from './body.ts';

/** What a body is made of, and what it cannot be: data, but for `adapt` and `defaults`. */
export interface BodySpec {
  readonly members: Members;
  /** Flag keys of members that the body cannot do without; of a group, one will do. */
  readonly needed?: readonly (string | readonly string[])[];
  /** Groups of flag keys of which at most one may be given. */
  readonly exclusive?: readonly (readonly string[])[];
  /**
   * Members the service takes. `gpu.pools` names what it takes within one, in each item where that is a list.
   */
  readonly accepts: readonly string[];
  /** A PATH=VALUE that `--set` takes, for help and errors; of the first member it accepts where absent. */
  readonly setExample?: string;
  /**
   * Members that `get` prints and that cannot be written, beside the id and the time of creation: dropped with a note,
   * so that a printed document can be fed back. What is in neither list is a mistake, and refused.
   */
  readonly prints?: readonly string[];
  /** Turns what `get` printed into what is written, before the rest is dropped (`template` to `templateId`). */
  readonly adapt?: (document: JsonObject) => JsonObject;
  /** Offers what is not needed to a person who had to be asked for something that is. */
  readonly offer?: (ctx: CommandContext, body: JsonObject) => Promise<JsonObject>;
  /** What a create says where the user said nothing, by what was said. */
  readonly defaults?: (body: JsonObject) => JsonObject;
}

/** What `--set` is shown with. */
export const setExampleOf = ({ setExample, accepts }: BodySpec): string =>
  setExample ?? `${accepts[0] ?? 'name'}=VALUE`;

/**
 * The body as given: the file, `--set` and the flags. What a printed document holds beyond what can be written is
 * dropped, and said. Fails with usage (2): what does not parse, a member that nobody knows, flags that exclude each
 * other, an empty name.
 */
export async function composeBody(ctx: CommandContext, spec: BodySpec, values: Values): Promise<JsonObject> {
  for (const group of spec.exclusive ?? []) refuseSeveral(group.filter((key) => isGiven(values[key])));
  let dropped: readonly string[] = [];
  const body = await readBody(ctx, spec.members, values, setExampleOf(spec), (document) => {
    const kept = writable(spec.adapt?.(document) ?? document, spec.accepts, [...PRINTED, ...(spec.prints ?? [])]);
    refuseUnknown(kept.unknown, spec);
    dropped = kept.dropped;
    return kept.body;
  });
  if (dropped.length > 0) await ctx.tell(`Left out, because it cannot be written: ${listed(dropped)}.`);
  if (stringOf(memberAt(body, spec.members['name']?.path ?? 'name'))?.trim() === '') throw usage('--name is empty');
  return body;
}

/**
 * The body with its defaults, and with needed members that are missing asked for, where a person is there. Fails with
 * usage (2) naming their flags.
 */
export async function completedBody(ctx: CommandContext, spec: BodySpec, given: JsonObject): Promise<JsonObject> {
  const body = { ...spec.defaults?.(given), ...given };
  const missing = (spec.needed ?? [])
    .map((group) => (typeof group === 'string' ? [group] : group))
    .filter((group) => missingMembers(spec.members, group, body).length === group.length);
  const canAsk = (key: string): boolean => ctx.terminal.canAsk && spec.members[key]?.param.ask !== undefined;
  const unasked = missing.filter((group) => !group.some(canAsk));
  if (unasked.length > 0)
    throw usage(
      `missing ${unasked.map((group) => group.map(flagName).join(' or ')).join(' and ')}`,
      unasked
        .flat()
        .map((key) => `${flagName(key)}: ${spec.members[key]?.param.summary ?? ''}`)
        .join('\n'),
    );
  const answers: Record<string, unknown> = { set: [] };
  for (const group of missing) {
    const key = await oneOf(ctx, spec.members, group.filter(canAsk));
    const member = spec.members[key];
    if (member !== undefined) answers[key] = await askFor(ctx, key, member.param);
  }
  const complete = merged(body, await readBody(ctx, spec.members, answers, setExampleOf(spec), (document) => document));
  // A dry run sends nothing, not even for lists to pick from.
  return missing.length === 0 || ctx.dryRun ? complete : ((await spec.offer?.(ctx, complete)) ?? complete);
}

/** Which of a group of members to ask for; only a choice is a question. */
async function oneOf(ctx: CommandContext, members: Members, keys: readonly string[]): Promise<string> {
  const [only = '', ...others] = keys;
  if (others.length === 0) return only;
  const choices = keys.map((key) => ({
    name: `${flagName(key)}: ${members[key]?.param.summary ?? ''}`,
    value: key,
  }));
  return await ctx.prompts.select('One of these is needed', choices);
}

/** What every answer holds and no body does. */
const PRINTED = ['id', 'createdAt'];

/** A member that is left out unsaid may be the one that mattered: a tier, a limit. */
function refuseUnknown(unknown: readonly string[], { accepts, prints }: BodySpec): void {
  const [first] = unknown;
  if (first === undefined) return;
  throw usage(
    `--file holds unknown members: ${listed(unknown)}`,
    didYouMean(first, [...accepts, ...(prints ?? [])]) ?? `It takes ${accepts.join(', ')}.`,
  );
}

/** As many names as a message holds. */
const MOST_NAMES = 10;

const listed = (names: readonly string[]): string =>
  names.length <= MOST_NAMES
    ? names.join(', ')
    : `${names.slice(0, MOST_NAMES).join(', ')} and ${String(names.length - MOST_NAMES)} more`;

/** What is written of a document, and the paths of what was left out: what is only ever printed, and what is neither. */
export interface Writable {
  readonly body: JsonObject;
  readonly dropped: readonly string[];
  readonly unknown: readonly string[];
}

/** A document without what cannot be written. */
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

const isGiven = (value: unknown): boolean =>
  value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0);

/** Members of `over` laid into `under`, objects joined. */
function merged(under: JsonObject, over: JsonObject): JsonObject {
  const laid = Object.entries(over).map(([name, value]) => {
    const below = memberOf(under, name);
    return [name, isObject(below) && isObject(value) ? merged(below, value) : value] as const;
  });
  return { ...under, ...Object.fromEntries(laid) };
}
