import { Failure, usage } from '../../core/failure.ts';
import { arrayOf, isObject, type Json, type JsonObject, memberAt, stringOf } from '../../core/json.ts';
import { safeText } from '../../core/safe-text.ts';
import { didYouMean, withArticle } from '../../cli/words.ts';
import type { YamlDocument } from '../../cli/resource/parse-yaml.ts';
import { writable } from '../../cli/resource/request-body.ts';
import { bodyOf, checkBody } from '../../cli/resource/field-writes.ts';
import type { Field } from '../../cli/resource/fields.ts';
import { FILE_KINDS, KINDS, type FileKind } from './kinds.ts';

export interface FileDocument {
  readonly kind: FileKind;
  readonly name: string;
  /** Pins one of several with the name. */
  readonly id?: string;
  readonly body: JsonObject;
  /** `FILE:3:5`. */
  readonly at: (path: readonly string[]) => string;
  /** Credentials without a value: they cannot be sent. */
  readonly missing?: readonly { readonly at: string; readonly name: string }[];
  /** Its mark is set on creation. */
  readonly set?: string;
}

/** Usage (2) with file, line and column. */
export function checkDocument({ value, at }: YamlDocument): FileDocument {
  if (!isObject(value)) throw usage(`${at([])}: a document is an object: one member a line, name: VALUE`);
  const { kind: word, ...document } = value;
  const known = KINDS.find((each) => each === word);
  if (known === undefined)
    throw usage(
      word === undefined || word === null
        ? `${at(['kind'])}: a document needs a kind`
        : typeof word === 'string'
          ? `${at(['kind'])}: there is no kind ${JSON.stringify(safeText(word))}`
          : `${at(['kind'])}: kind is a text, not ${shown(word)}`,
      (typeof word === 'string' ? didYouMean(word, KINDS) : undefined) ?? `Kinds: ${KINDS.join(', ')}.`,
    );
  const kind = FILE_KINDS[known];
  const name = stringOf(document['name']);
  if (name === undefined || name.trim() === '')
    throw usage(`${at(['name'])}: ${withArticle(known)} needs a name: a text`);
  const id = document['id'];
  if (id !== undefined && typeof id !== 'string') throw usage(`${at(['id'])}: an id is a text`);
  checkForms(kind, document, at);
  const body = bodyOfDocument(kind, document, at);
  checkTypes(kind, body, at);
  try {
    checkBody(kind.table, body);
  } catch (error) {
    throw placed(error, at([]));
  }
  return { kind, name, ...(id === undefined ? {} : { id }), body, at };
}

/** Adds the place in the files. Drops a hint that begins with a flag: it is for a command line. */
export function placed(error: unknown, where: string): unknown {
  if (!(error instanceof Failure) || error.code !== 'usage') return error;
  const isOfFlags = typeof error.hint === 'string' && error.hint.startsWith('--');
  return error.with({ message: `${where}: ${error.message}`, ...(isOfFlags ? { hint: undefined } : {}) });
}

export const acceptedPaths = ({ table, name }: FileKind): readonly string[] => [
  ...new Set([...bodyOf(table, 'create').accepts, ...(name === 'registry' ? [] : bodyOf(table, 'update').accepts)]),
];

function bodyOfDocument(kind: FileKind, document: JsonObject, at: FileDocument['at']): JsonObject {
  const accepts = acceptedPaths(kind);
  const prints = ['id', 'createdAt', 'template', ...bodyOf(kind.table, 'create').prints];
  const { body, unknown } = writable(kind.adapt(document), accepts, prints);
  for (const path of accepts) checkNear(kind, path.split('.'), memberAt(document, path), at);
  const [first] = unknown;
  if (first === undefined) return body;
  const path = first.split('.');
  const around = path
    .slice(0, -1)
    .map((each) => `${each}.`)
    .join('');
  const near = [...accepts, ...kind.words].flatMap((each) =>
    each.startsWith(around) ? (each.slice(around.length).split('.', 1)[0] ?? []) : [],
  );
  throw usage(
    `${at(withItems(document, path))}: ${withArticle(kind.name)} has no member ${first}`,
    didYouMean(path.at(-1) ?? '', near) ?? `It takes ${[...new Set(near)].join(', ')}.`,
  );
}

/** Refuses misspelt members of open objects: the service may know others (additions). */
function checkNear(kind: FileKind, path: readonly string[], value: Json | undefined, at: FileDocument['at']): void {
  const items = arrayOf(value) ?? [];
  for (const [index, item] of items.entries()) checkNear(kind, [...path, String(index)], item, at);
  if (!isObject(value)) return;
  const within = path
    .filter((each) => !/^\d+$/.test(each))
    .concat('')
    .join('.');
  const paths = [...Object.values<Field>(kind.table.fields).flatMap((field) => field.path ?? []), ...kind.inner];
  const known = paths.flatMap((each) =>
    each.startsWith(within) ? [each.slice(within.length).split('.', 1)[0] ?? ''] : [],
  );
  const missing = known.filter((each) => !Object.hasOwn(value, each));
  for (const [member, inner] of Object.entries(value)) {
    const hint = known.length === 0 || known.includes(member) ? undefined : didYouMean(member, missing);
    if (hint !== undefined)
      throw usage(`${at([...path, member])}: ${withArticle(kind.name)} has no member ${within}${member}`, hint);
    checkNear(kind, [...path, member], inner, at);
  }
}

/** Inserts the first item of each list that has the next member. */
function withItems(within: Json | undefined, [member, ...rest]: readonly string[]): readonly string[] {
  if (member === undefined) return [];
  const items = arrayOf(within);
  if (items === undefined) return [member, ...withItems(memberAt(within, member), rest)];
  const index = Math.max(
    0,
    items.findIndex((item) => isObject(item) && Object.hasOwn(item, member)),
  );
  return [String(index), ...withItems(items[index], [member, ...rest])];
}

/** Refuses a text or number in place of an object, and of a name. */
function checkForms({ table, words }: FileKind, document: JsonObject, at: FileDocument['at']): void {
  for (const [member, value] of Object.entries(document)) {
    if (value === null || value === undefined) continue;
    const isOuter = Object.values<Field>(table.fields).some((field) => field.path?.startsWith(`${member}.`));
    const isFlag = member === 'globalNetworking' && typeof value === 'boolean';
    if (words.includes(member) && typeof value !== 'string')
      throw usage(`${at([member])}: ${member} is a text, not ${shown(value)}`);
    if (isOuter && !isFlag && !isObject(value) && !Array.isArray(value))
      throw usage(`${at([member])}: ${member} is an object, not ${shown(value)}`);
  }
}

const NUMBERS = ['count', 'gigabytes', 'seconds', 'milliseconds', 'dollars', 'percent'];

/** Null clears a member. */
function checkTypes({ table }: FileKind, body: JsonObject, at: FileDocument['at']): void {
  for (const field of Object.values<Field>(table.fields)) {
    const value = field.path === undefined ? undefined : memberAt(body, field.path);
    if (field.path === undefined || value === undefined) continue;
    const path = field.path.split('.');
    if (value === null && hasNoNull(field)) throw usage(`${at(path)}: ${field.path} cannot be null`, 'Leave it out.');
    if (value === null) continue;
    const problem = wrongType(field, value);
    if (problem !== undefined) throw usage(`${at(path)}: ${field.path} ${problem}, not ${shown(value)}`);
    const item = Array.isArray(value) ? value.findIndex((each) => typeof each !== 'string') : -1;
    if (field.type === 'list' && item >= 0)
      throw usage(`${at([...path, String(item)])}: ${field.path} is a list of texts`, 'Write each in quotes.');
    const pair = field.type === 'pairs' && isObject(value) ? wrongPair(value) : undefined;
    if (pair !== undefined)
      throw usage(`${at([...path, pair])}: ${field.path}.${pair} is a text`, 'Write the value in quotes.');
    if (field.values !== undefined && typeof value === 'string' && !field.values.includes(value))
      throw usage(`${at(path)}: ${field.path} is one of ${field.values.join(', ')}`, didYouMean(value, field.values));
  }
}

/** Numbers, flags and choices are never null in an answer. */
const hasNoNull = ({ type = 'text', values }: Field): boolean =>
  NUMBERS.includes(type) || type === 'flag' || values !== undefined;

const wrongPair = (pairs: JsonObject): string | undefined =>
  Object.entries(pairs).find(([, value]) => typeof value !== 'string' && value !== null)?.[0];

function wrongType({ type = 'text' }: Field, value: Json): string | undefined {
  if (NUMBERS.includes(type))
    return typeof value === 'string' || typeof value === 'boolean' || isObject(value) ? 'is a number' : undefined;
  if (type === 'flag') return typeof value === 'boolean' ? undefined : 'is true or false';
  if (type === 'list') return Array.isArray(value) ? undefined : 'is a list';
  if (type === 'objects') return Array.isArray(value) ? undefined : 'is a list';
  if (type === 'pairs') return isObject(value) ? undefined : 'is an object of texts';
  if (type === 'text') return typeof value === 'string' ? undefined : 'is a text';
  return undefined;
}

/** Only its type: a value may come from a secret variable. */
const shown = (value: Json): string =>
  Array.isArray(value)
    ? 'a list'
    : isObject(value)
      ? 'an object'
      : typeof value === 'string'
        ? 'a text'
        : `a ${typeof value}`;
