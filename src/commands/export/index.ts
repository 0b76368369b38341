import { usage } from '../../core/failure.ts';
import {
  isList,
  isObject,
  type Json,
  type JsonObject,
  memberAt,
  memberOf,
  objectOf,
  stringAt,
} from '../../core/json.ts';
import { safeText } from '../../core/safe-text.ts';
import { hideSecrets, type IsSecret } from '../../core/secret-names.ts';
import { withVariablesKept } from '../../fleet/variables.ts';
import { defineCommand } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { manyOf, oneOf, serviceObject, TEXT } from '../../cli/model/output-schema.ts';
import { arg } from '../../cli/model/params.ts';
import { writable } from '../../cli/resource/request-body.ts';
import { bodyOf } from '../../cli/resource/field-writes.ts';
import { textColumn } from '../../cli/resource/fields.ts';
import { listRows } from '../../cli/resource/requests.ts';
import { didYouMean } from '../../cli/words.ts';
import { withoutKey } from '../../create/key.ts';
import { text } from '../../output/cells.ts';
import { toYaml } from '../../output/formats/yaml.ts';
import { asksForData, idOf, type Result, type View } from '../../output/view.ts';
import { acceptedPaths } from '../plan/document.ts';
import { CREDENTIALS } from '../plan/variables.ts';
import { FILE_KINDS, KINDS, type FileKind, type KindName } from '../plan/kinds.ts';

const documentView: View = {
  noun: ['document', 'documents'],
  id: text('name'),
  members: ['kind', 'name'],
  columns: [textColumn('kind'), textColumn('name')],
};

export const exportFiles = defineCommand({
  summary: 'print what is there as files for plan',
  details:
    'Prints YAML, one document for each thing. Secret variables and credentials of registries are printed as ${NAME}: give their values with plan --env-from. Unique names stand in place of ids.',
  args: {
    kinds: { ...arg.many(`of these kinds alone: ${KINDS.join(', ')}`, { metavar: 'KIND' }), required: false },
  },
  output: manyOf(serviceObject({ kind: oneOf(...KINDS), name: TEXT })),
  examples: [
    ['berth export', 'all kinds'],
    ['berth export pod endpoint', 'for a file of its own'],
  ],
  run: async (ctx, { kinds }): Promise<Result> => {
    const wanted = kinds.length === 0 ? KINDS : kinds.map(kindNamed);
    const lists = new Map<KindName, readonly Json[]>();
    // References are printed by names of these lists: read them even for only one kind.
    for (const kind of KINDS) lists.set(kind, await rowsOf(ctx, FILE_KINDS[kind]));
    const hidesSecrets = ctx.output.isSecret;
    const plainDocuments = wanted.flatMap((kind) =>
      (lists.get(kind) ?? []).map((row) => ({ document: documentOf(FILE_KINDS[kind], row, lists), id: idOf(row) })),
    );
    const markOf = createMarks();
    const values = plainDocuments.map(({ document, id }) => {
      const names = secretNames(document, hidesSecrets);
      const marks = Object.fromEntries(
        names.map((name) => [name, markOf(name, memberOf(document['env'], name) ?? null)]),
      );
      const credentials = document['kind'] === 'registry' ? credentialMarks(document, id, markOf) : {};
      const kept = objectOf(withVariablesKept(document)) ?? {};
      return {
        ...kept,
        ...credentials,
        ...(names.length === 0 ? {} : { env: { ...objectOf(kept['env']), ...marks } }),
      };
    });
    const notes = [
      ...(plainDocuments.some(({ document }) => secretNames(document, hidesSecrets).length > 0)
        ? ['Secret variables are printed as ${NAME}: give their values with --env-from.']
        : []),
      ...(plainDocuments.some(({ document }) => document['kind'] === 'registry')
        ? ['User names and passwords of registries are printed as ${NAME}: they are needed only to create them.']
        : []),
    ];
    if (asksForData(ctx.output) && ctx.output.format !== 'yaml')
      return { kind: 'many', view: documentView, values, notes };
    const texts = await Promise.all(values.map((value) => toYaml(value)));
    return { kind: 'text', text: texts.join('---\n'), notes };
  },
});

function kindNamed(word: string): KindName {
  const kind = KINDS.find((each) => each === word);
  if (kind === undefined)
    throw usage(
      `there is no kind ${JSON.stringify(safeText(word))}`,
      didYouMean(word, KINDS) ?? `Kinds: ${KINDS.join(', ')}.`,
    );
  return kind;
}

/** Sorted by name, so that exports are comparable. Fails on an incomplete list. No pods of clusters. */
async function rowsOf(ctx: CommandContext, { collection }: FileKind): Promise<readonly Json[]> {
  const rows = (await listRows(ctx, collection)).values.filter((row) => stringAt(row, 'status') !== 'TERMINATED');
  const keyOf = (row: Json): string => `${stringAt(row, 'name') ?? ''} ${idOf(row)}`;
  return rows.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
}

/** `${NAME}`, and `${NAME_2}` for another value of the same name. */
function createMarks(): (name: string, value: Json) => string {
  const values = new Map<string, Json[]>();
  return (variable, value) => {
    const name = variable.replace(/\W/g, '_').replace(/^\d/, '_$&');
    const known = values.get(name) ?? [];
    if (!known.includes(value)) values.set(name, [...known, value]);
    const at = known.includes(value) ? known.indexOf(value) : known.length;
    return '${' + (at === 0 ? name : `${name}_${at + 1}`) + '}';
  };
}

/** The service never shows them: `${HUB_PASSWORD}` of the registry `hub`. */
const credentialMarks = (document: JsonObject, id: string, markOf: ReturnType<typeof createMarks>): JsonObject =>
  Object.fromEntries(
    CREDENTIALS.map((member) => [
      member,
      markOf(`${stringAt(document, 'name') ?? ''}_${member}`.toUpperCase(), [id, member]),
    ]),
  );

const secretNames = (document: JsonObject, isSecret: IsSecret | undefined): readonly string[] =>
  Object.entries(objectOf(document['env']) ?? {})
    .filter(([name, value = null]) => {
      const env = { env: { [name]: value } };
      return isSecret !== undefined && hideSecrets(env, isSecret) !== env;
    })
    .map(([name]) => name);

/** Without read-only and empty members. */
function writableRow(kind: FileKind, row: JsonObject): JsonObject {
  const prints = ['id', 'createdAt', ...bodyOf(kind.table, 'create').prints];
  // The row already has what a template gave.
  const { templateId: _template, ...body } = writable(withoutKey(row), acceptedPaths(kind), prints).body;
  const hasCommand = Array.isArray(body['cmd']) || Array.isArray(body['entrypoint']);
  return Object.fromEntries(
    Object.entries(body).filter(([name, value]) => value !== null && !(name === 'args' && hasCommand)),
  );
}

function documentOf(kind: FileKind, row: Json, lists: ReadonlyMap<KindName, readonly Json[]>): JsonObject {
  const given = Object.entries(writableRow(kind, kind.adapt(objectOf(row) ?? {}))).filter(([name]) => name !== 'name');
  const name = stringAt(row, 'name') ?? '';
  const isUnique = (lists.get(kind.name) ?? []).filter((each) => memberAt(each, 'name') === name).length === 1;
  const named = Object.fromEntries(
    given.map(([member, value]) => [member, withNames(kind, member, value ?? null, lists)]),
  );
  return { kind: kind.name, name, ...(isUnique ? {} : { id: idOf(row) }), ...named };
}

function withNames(
  { references }: FileKind,
  member: string,
  value: Json,
  lists: ReadonlyMap<KindName, readonly Json[]>,
): Json {
  const within = (path: string, each: Json): Json => {
    if (isList(each)) {
      const list = references[path];
      return each.map((item, at) =>
        list !== undefined && typeof item === 'string'
          ? nameOf(lists.get(list) ?? [], item)
          : within(`${path}.${at}`, item),
      );
    }
    if (isObject(each))
      return Object.fromEntries(
        Object.keys(each).map((name) => [name, within(`${path}.${name}`, memberOf(each, name) ?? null)]),
      );
    const list = references[path];
    return list !== undefined && typeof each === 'string' ? nameOf(lists.get(list) ?? [], each) : each;
  };
  return within(member, value);
}

/** Its id if another row has the same name, or that name as its id. */
function nameOf(rows: readonly Json[], id: string): string {
  const name = stringAt(rows.find((row) => idOf(row) === id) ?? null, 'name');
  if (name === undefined || name === '') return id;
  const same = rows.filter((row) => memberAt(row, 'name') === name || idOf(row) === name);
  return same.length === 1 ? name : id;
}
