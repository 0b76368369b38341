/** The kinds of things that files describe. Their fields are those of the commands that create and update them. */

import { changedCommand, COMMAND_MEMBERS, CONTAINER_MEMBERS, settleCommand } from '../../cli/container.ts';
import type { Collection } from '../../cli/model/collection.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { ENDPOINTS, PODS, REGISTRIES, TEMPLATES, VOLUMES } from '../../cli/resource/collections.ts';
import { bodyOf, withMember } from '../../cli/resource/request-body.ts';
import type { Field, FieldType, FieldWrite, ResourceTable } from '../../cli/resource/fields.ts';
import type { CreateRequest } from '../../cli/resource/noun-writes.ts';
import { redactingSecret } from '../../cli/resource/secret.ts';
import { didYouMean } from '../../cli/words.ts';
import { ENDPOINT_TABLE } from '../endpoints/fields.ts';
import { newEndpointDefaults } from '../endpoints/write.ts';
import { asFlag, createDefaults, RESTARTING } from '../pods/create.ts';
import { checkDeadlineVariables } from '../pods/deadlines.ts';
import { POD_TABLE } from '../pods/fields.ts';
import { networkMount } from '../pods/pod-cells.ts';
import { PASSWORD, REGISTRY_TABLE } from '../registries.ts';
import { TEMPLATE_TABLE } from '../templates.ts';
import { v1First, VOLUME_TABLE } from '../volumes.ts';
import type { ApiAnswer } from '../../core/api.ts';
import type { SettingsView } from '../../core/context.ts';
import {
  arrayOf,
  Exact,
  isList,
  isObject,
  itemsAt,
  type Json,
  type JsonObject,
  memberAt,
  memberOf,
  numberAt,
  numberOf,
  objectOf,
  stringAt,
} from '../../core/json.ts';
import type { Kind } from '../../fleet/differences.ts';

export const KINDS = ['registry', 'volume', 'template', 'endpoint', 'pod'] as const;
export type KindName = (typeof KINDS)[number];

export interface FileKind extends Kind {
  readonly name: KindName;
  readonly collection: Collection;
  readonly table: ResourceTable;
  /** By path: ids of other things; a name works too. */
  readonly references: Readonly<Record<string, KindName>>;
  /** For a create; of a group, one. */
  readonly needed: readonly (readonly string[])[];
  /** Aliases in files: `template` for `templateId`. */
  readonly words: readonly string[];
  readonly adapt: (document: JsonObject) => JsonObject;
  /** Removes what the row already says in another form. */
  readonly settle: (row: Json, body: JsonObject) => Promise<JsonObject>;
  readonly defaults?: (body: JsonObject, settings: SettingsView) => JsonObject;
  /** Usage (2) for a deadline that is over. */
  readonly checkNew?: (ctx: CommandContext, body: JsonObject) => Promise<void>;
  readonly sendNew?: (ctx: CommandContext, request: CreateRequest) => Promise<ApiAnswer>;
}

type Rules = Pick<FileKind, 'collection' | 'table' | 'needed'> & Partial<FileKind>;

/** The contract's sets: their order means nothing. */
const UNORDERED = [
  ...['ports', 'dataCenterIds', 'networkVolumes'],
  ...['allowedCudaVersions', 'gpu.allowedCudaVersions', 'gpu.excludedTypes'],
];

const COMMAND: Partial<FileKind> = {
  settle: oneCommand,
  command: { members: COMMAND_MEMBERS, changed: changedCommand },
};

function kindOf(name: KindName, rules: Rules): FileKind {
  const { table } = rules;
  return {
    name,
    references: {},
    words: [],
    adapt: (document) => document,
    settle: (_, body) => Promise.resolve(body),
    updates: name === 'registry' ? [] : bodyOf(table, 'update').accepts,
    writeOnly: Object.values<Field>(table.fields).flatMap(({ writeOnly, path }) =>
      writeOnly === true && path !== undefined && path !== 'dataCenterIds' ? [path] : [],
    ),
    unordered: UNORDERED,
    effect: () => 'in-place',
    emptied: (path) => emptied(table, name, path),
    refusal: () => undefined,
    ...rules,
  };
}

export const acceptedPaths = ({ table, updates }: FileKind): readonly string[] => [
  ...new Set([...bodyOf(table, 'create').accepts, ...updates]),
];

/** Replaces the words at the paths of references. */
export const mapReferences = (
  { references }: FileKind,
  body: JsonObject,
  map: (word: string, of: KindName, path: string) => string,
): JsonObject =>
  Object.entries(references).reduce<JsonObject>((result, [path, of]) => {
    const given = memberAt(result, path);
    if (given === undefined) return result;
    const known = (item: Json): Json => (typeof item === 'string' ? map(item, of, path) : item);
    return withMember(result, path.split('.'), arrayOf(given)?.map(known) ?? known(given));
  }, body);

/** Besides lists and variables. */
const EMPTY: Readonly<Record<string, Json>> = { 'gpu.minCudaVersion': '', registry: null };

/** Undefined if it cannot be empty. */
function emptied({ fields }: ResourceTable, kind: KindName, path: string): Json | undefined {
  if (Object.hasOwn(EMPTY, path)) return EMPTY[path];
  // The mounts of a pod are fixed.
  if (kind === 'template' && path === 'mounts') return {};
  // A variable without a value is removed.
  if (isOneOf(path, ['env']) && path !== 'env') return null;
  const type = Object.values<Field>(fields).find((field) => field.path === path)?.type;
  return type === 'list' && path !== 'gpu.pools' ? [] : type === 'pairs' ? {} : undefined;
}

/** As `update --file` does for both forms of a command. */
async function oneCommand(row: Json, body: JsonObject): Promise<JsonObject> {
  const { args, cmd, entrypoint, ...others } = body;
  // A null beside the other form of the command adds nothing.
  const [hasText, hasLists] = [typeof args === 'string', Array.isArray(cmd) || Array.isArray(entrypoint)];
  const list = (name: string, words: Json | undefined): JsonObject =>
    words === undefined || (words === null && hasText) ? {} : { [name]: words ?? [] };
  const file = {
    ...others,
    ...(args === undefined || (args === null && hasLists) ? {} : { args: args ?? '' }),
    ...list('cmd', cmd),
    ...list('entrypoint', entrypoint),
  };
  return await settleCommand(file, { values: {}, file, readRow: () => Promise.resolve(row) });
}

const isRunning = (row: Json): boolean => ['RUNNING', 'STARTING'].includes(stringAt(row, 'status') ?? '');
const isOneOf = (path: string, members: readonly string[]): boolean => members.includes(path.split('.', 1)[0] ?? path);

/** A pod or endpoint prints `templateId` as `template`. */
const withTemplate = ({ template, ...document }: JsonObject): JsonObject =>
  typeof template === 'string' ? { templateId: template, ...document } : document;

function podBody({ dataCenterId, globalNetworking, volume, ...pod }: JsonObject): JsonObject {
  const mounts = pod['mounts'];
  return {
    ...withTemplate(pod),
    ...(typeof dataCenterId === 'string' ? { dataCenterIds: [dataCenterId] } : {}),
    ...asFlag(globalNetworking),
    ...(typeof volume === 'string'
      ? { mounts: { ...(isObject(mounts) ? mounts : {}), network: networkMount(volume, undefined) } }
      : {}),
  };
}

/** A pod is in one data center, which a body may name among others. */
async function podSettled(row: Json, body: JsonObject): Promise<JsonObject> {
  const { dataCenterIds, ...others } = await oneCommand(row, body);
  const [here] = itemsAt(row, 'dataCenterIds');
  const isHere = Array.isArray(dataCenterIds) && here !== undefined && dataCenterIds.includes(here);
  return isHere || dataCenterIds === undefined ? others : { ...others, dataCenterIds };
}

export const FILE_KINDS: Readonly<Record<KindName, FileKind>> = {
  registry: kindOf('registry', {
    collection: REGISTRIES,
    table: REGISTRY_TABLE,
    needed: [['username'], ['password']],
    sendNew: (ctx, request) => redactingSecret(PASSWORD, request.body, () => ctx.api.send(request)),
  }),
  volume: kindOf('volume', {
    collection: VOLUMES,
    table: VOLUME_TABLE,
    needed: [['size'], ['dataCenter']],
    sendNew: v1First,
    // A volume never shrinks.
    effect: (_, path) => (path === 'size' ? 'permanent' : 'in-place'),
    adapt: ({ dataCenterId, ...volume }) =>
      dataCenterId === undefined ? volume : { dataCenter: dataCenterId, ...volume },
    refusal: (row, body) => {
      const [before, after] = [numberAt(row, 'size'), numberOf(body['size'])];
      return before !== undefined && after !== undefined && after < before
        ? `a volume never shrinks; it has ${before} GB`
        : undefined;
    },
  }),
  template: kindOf('template', {
    collection: TEMPLATES,
    table: TEMPLATE_TABLE,
    needed: [['image']],
    references: { registry: 'registry' },
    ...COMMAND,
  }),
  endpoint: kindOf('endpoint', {
    collection: ENDPOINTS,
    table: ENDPOINT_TABLE,
    needed: [
      ['image', 'templateId'],
      ['gpu.pools', 'cpu'],
    ],
    references: { templateId: 'template', registry: 'registry', networkVolumes: 'volume' },
    words: ['template', 'volume'],
    adapt: ({ volume, ...endpoint }) => ({
      ...withTemplate(endpoint),
      ...(typeof volume === 'string' ? { networkVolumes: [volume] } : {}),
    }),
    ...COMMAND,
    defaults: newEndpointDefaults,
    effect: (_, path) => (isOneOf(path, CONTAINER_MEMBERS) ? 'release' : 'in-place'),
  }),
  pod: kindOf('pod', {
    collection: PODS,
    table: POD_TABLE,
    needed: [
      ['gpu.id', 'cpu.id'],
      ['image', 'templateId'],
    ],
    references: { templateId: 'template', registry: 'registry', 'mounts.network.0.volumeId': 'volume' },
    words: ['template', 'volume', 'dataCenterId'],
    adapt: podBody,
    ...COMMAND,
    settle: podSettled,
    defaults: createDefaults,
    checkNew: checkDeadlineVariables,
    effect: (row, path) =>
      path === 'globalNetworking'
        ? 'next-start'
        : isOneOf(path, RESTARTING) && isRunning(row)
          ? 'restarts'
          : 'in-place',
  }),
};

/** The JSON Schema of a document, made of the tables of fields. Editors have it, and documents are checked by it. */

const TEXT = { type: ['string', 'null'] } as const;
const NUMBERS = ['count', 'gigabytes', 'seconds', 'milliseconds', 'dollars', 'percent'] as const;

/** Null clears a member that can be empty. */
const TYPES: Readonly<Partial<Record<FieldType, JsonObject>>> = {
  text: TEXT,
  flag: { type: 'boolean' },
  list: { type: ['array', 'null'], items: { type: 'string' } },
  pairs: { type: ['object', 'null'], additionalProperties: TEXT },
  object: { type: ['object', 'null'] },
  objects: { type: ['array', 'null'] },
  ...Object.fromEntries(NUMBERS.map((type) => [type, { type: 'number' }])),
};

export const fileSchema = (): JsonObject => ({ anyOf: KINDS.map((name) => kindSchema(FILE_KINDS[name])) });

export function kindSchema(kind: FileKind): JsonObject {
  const accepted = acceptedPaths(kind);
  const paths = [...accepted, ...bodyOf(kind.table, 'create').prints, 'id', 'createdAt', 'template'];
  const schemaAt = (path: string): JsonObject => {
    if (accepted.includes(path)) return fieldSchema(kind, path);
    if (!accepted.some((each) => each.startsWith(`${path}.`))) return { description: 'shown by get, and left out' };
    const properties = schemasBelow(`${path}.`);
    const item = { type: 'object', properties, additionalProperties: false };
    return { ...item, type: ['object', 'array', 'null'], items: item };
  };
  const schemasBelow = (prefix: string): JsonObject => {
    const below = paths.flatMap((path) =>
      path.startsWith(prefix) ? (path.slice(prefix.length).split('.', 1)[0] ?? []) : [],
    );
    return Object.fromEntries([...new Set(below)].map((name) => [name, schemaAt(prefix + name)]));
  };
  return {
    type: 'object',
    title: kind.name,
    required: ['kind', 'name'],
    properties: {
      ...schemasBelow(''),
      ...Object.fromEntries(kind.words.map((word) => [word, TEXT])),
      ...(kind.name === 'pod' ? { globalNetworking: { description: 'true or false, or what get prints' } } : {}),
      kind: { const: kind.name },
      name: { type: 'string', minLength: 1 },
      id: { type: 'string', description: 'pins one of several of this name' },
    },
    additionalProperties: false,
  };
}

function fieldSchema({ table }: FileKind, path: string): JsonObject {
  const field = Object.values<Field>(table.fields).find((each) => each.path === path);
  const { type = 'text', values } = field ?? {};
  const summary = [field?.create, field?.update, field?.write].flatMap(summaryOf)[0];
  return {
    ...(values === undefined ? TYPES[type] : { enum: values }),
    ...(summary === undefined ? {} : { description: summary }),
  };
}

const summaryOf = (write: FieldWrite | undefined): readonly string[] =>
  write === undefined || write === 'accepted' ? [] : ['param' in write ? write.param.summary : write.summary];

type Fails = (path: readonly string[], problem: string, hint?: string) => never;

/** By the keywords that `kindSchema` uses. Only the type of a wrong value is said: it may come from a secret variable. */
export function checkValue(schema: JsonObject, value: Json, fails: Fails, path: readonly string[] = []): void {
  const types = [schema['type'] ?? []].flat() as readonly string[];
  const choices = (schema['enum'] ?? []) as readonly string[];
  const type = typeOf(value);
  if (types.length > 0 && !types.includes(type)) {
    const isUnquoted = types.includes('string') && (type === 'number' || type === 'boolean');
    const wanted = types.filter((each) => each !== 'null').map((each) => WORDS[each] ?? each);
    fails(path, `must be ${wanted.join(' or ')}, not ${WORDS[type] ?? type}`, isUnquoted ? 'Use quotes.' : undefined);
  }
  if (choices.length > 0 && !(typeof value === 'string' && choices.includes(value)))
    fails(
      path,
      `must be one of ${choices.join(', ')}`,
      typeof value === 'string' ? didYouMean(value, choices) : undefined,
    );
  if (isList(value))
    for (const [at, each] of value.entries()) checkMember(schema['items'], each, fails, [...path, String(at)]);
  else if (isObject(value))
    for (const [name, each = null] of Object.entries(value)) {
      const known = memberOf(schema['properties'], name) ?? schema['additionalProperties'];
      const others = Object.keys(objectOf(schema['properties']) ?? {});
      if (known === false)
        fails([...path, name], 'is unknown', didYouMean(name, others) ?? `Known: ${others.join(', ')}`);
      checkMember(known, each, fails, [...path, name]);
    }
}

const checkMember = (schema: Json | undefined, value: Json, fails: Fails, path: readonly string[]): void => {
  if (isObject(schema)) checkValue(schema, value, fails, path);
};

const typeOf = (value: Json): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : value instanceof Exact ? 'number' : typeof value;

const WORDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};
