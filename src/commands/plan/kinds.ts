/** The kinds of things that files describe. Their fields are those of the commands that create and update them. */

import { CONTAINER_MEMBERS } from '../../cli/container.ts';
import { changedCommand, COMMAND_MEMBERS, settleCommand } from '../../cli/container-command.ts';
import type { Collection } from '../../cli/model/collection.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { ENDPOINTS, PODS, REGISTRIES, TEMPLATES, VOLUMES } from '../../cli/resource/collections.ts';
import { mapTextsAt, writablePaths } from '../../cli/resource/body-members.ts';
import type { Field, ResourceTable } from '../../cli/resource/fields.ts';
import type { CreateRequest } from '../../cli/resource/noun-writes.ts';
import { redactingSecret } from '../secrets.ts';
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
import { itemsAt, type Json, type JsonObject, numberAt, numberOf, objectOf, stringAt } from '../../core/json.ts';
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
const CUDA_SETS = ['allowedCudaVersions', 'gpu.allowedCudaVersions'];
const UNORDERED = ['ports', 'dataCenterIds', 'networkVolumes', 'gpu.excludedTypes', ...CUDA_SETS];

const COMMAND = { settle: oneCommand, command: { members: COMMAND_MEMBERS, changed: changedCommand } };

function kindOf(name: KindName, rules: Rules): FileKind {
  const { table } = rules;
  return {
    name,
    references: {},
    words: [],
    adapt: (document) => document,
    settle: (_, body) => Promise.resolve(body),
    updates: name === 'registry' ? [] : writablePaths(table, 'update'),
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
  ...new Set([...writablePaths(table, 'create'), ...updates]),
];

/** Replaces the words at the paths of references. */
export const mapReferences = (
  { references }: FileKind,
  body: JsonObject,
  map: (word: string, of: KindName, path: string) => string,
): JsonObject =>
  Object.entries(references).reduce<JsonObject>(
    (result, [path, of]) => mapTextsAt(result, path, (word) => map(word, of, path)),
    body,
  );

/** Undefined if it cannot be empty. */
function emptied({ fields }: ResourceTable, kind: KindName, path: string): Json | undefined {
  if (path === 'gpu.minCudaVersion') return '';
  // A variable without a value is removed.
  if (path === 'registry' || path.startsWith('env.')) return null;
  // The mounts of a pod are fixed.
  if (kind === 'template' && path === 'mounts') return {};
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

const isOneOf = (path: string, members: readonly string[]): boolean => members.includes(path.split('.', 1)[0] ?? path);

/** A pod or endpoint prints `templateId` as `template`. */
const withTemplate = ({ template, ...document }: JsonObject): JsonObject =>
  typeof template === 'string' ? { templateId: template, ...document } : document;

const podBody = ({ dataCenterId, globalNetworking, volume, ...pod }: JsonObject): JsonObject => ({
  ...withTemplate(pod),
  ...(typeof dataCenterId === 'string' ? { dataCenterIds: [dataCenterId] } : {}),
  ...asFlag(globalNetworking),
  ...(typeof volume === 'string' && {
    mounts: { ...objectOf(pod['mounts']), network: networkMount(volume, undefined) },
  }),
});

/** A pod is in one data center, which a body may name among others. */
async function podSettled(row: Json, body: JsonObject): Promise<JsonObject> {
  const { dataCenterIds, ...others } = await oneCommand(row, body);
  const [here] = itemsAt(row, 'dataCenterIds');
  const isHere = Array.isArray(dataCenterIds) && here !== undefined && dataCenterIds.includes(here);
  return isHere || dataCenterIds === undefined ? others : { ...others, dataCenterIds };
}

const IMAGE = ['image', 'templateId'];

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
      const before = numberAt(row, 'size') ?? 0;
      return (numberOf(body['size']) ?? before) < before ? `a volume never shrinks; it has ${before} GB` : undefined;
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
    needed: [IMAGE, ['gpu.pools', 'cpu']],
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
    needed: [['gpu.id', 'cpu.id'], IMAGE],
    references: { templateId: 'template', registry: 'registry', 'mounts.network.0.volumeId': 'volume' },
    words: ['template', 'volume', 'dataCenterId'],
    adapt: podBody,
    ...COMMAND,
    settle: podSettled,
    defaults: createDefaults,
    checkNew: checkDeadlineVariables,
    effect: (row, path) => {
      if (path === 'globalNetworking') return 'next-start';
      const isRunning = ['RUNNING', 'STARTING'].includes(stringAt(row, 'status') ?? '');
      return isRunning && isOneOf(path, RESTARTING) ? 'restarts' : 'in-place';
    },
  }),
};
