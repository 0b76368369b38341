import { type Json, type JsonObject, memberAt, memberOf, objectOf, stringAt } from '../../core/json.ts';
import { hideSecrets, type IsSecret } from '../../core/secret-names.ts';
import { defineCommand } from '../../cli/model/command.ts';
import { manyOf, oneOf, serviceObject, TEXT } from '../../cli/model/output-schema.ts';
import { arg } from '../../cli/model/params.ts';
import { writable } from '../../cli/resource/body-members.ts';
import { textColumn } from '../../cli/resource/fields.ts';
import { withoutKey } from '../../create/key.ts';
import { text } from '../../output/cells.ts';
import { toYaml } from '../../output/formats/yaml.ts';
import { asksForData, idOf, type Result, type View } from '../../output/view.ts';
import { rowsOf } from '../plan/account.ts';
import { CREDENTIALS, withVariablesKept } from '../plan/documents.ts';
import { acceptedPaths, FILE_KINDS, type FileKind, type KindName, KINDS, mapReferences } from '../plan/kinds.ts';

const view: View = {
  noun: ['document', 'documents'],
  id: (row) => text(row, 'name'),
  members: ['kind', 'name'],
  columns: [textColumn('kind'), textColumn('name')],
};

const NOTE =
  'Secret variables and credentials of registries are printed as ${NAME}: give their values with --env-from.';

export const exportFiles = defineCommand({
  summary: 'print what is there as files for plan',
  details:
    'Prints YAML, one document for each thing. Secret variables and credentials of registries are printed as ${NAME}: give their values with plan --env-from. Unique names stand in place of ids.',
  args: {
    kinds: {
      ...arg.any('of these kinds alone', { metavar: 'KIND' }),
      choices: KINDS,
      commas: true,
    },
  },
  output: () => manyOf(serviceObject({ kind: oneOf(...KINDS), name: TEXT })),
  examples: [
    ['berth export', 'all kinds'],
    ['berth export pod endpoint', 'for a file of its own'],
  ],
  run: async (ctx, { kinds }): Promise<Result> => {
    const lists = new Map<KindName, readonly Json[]>();
    // References are printed by names of these lists: read them even for only one kind.
    for (const kind of KINDS) lists.set(kind, byName(await rowsOf(ctx, FILE_KINDS[kind])));
    const markOf = createMarks();
    let notes: readonly string[] = [];
    const values = KINDS.filter((kind) => kinds.length === 0 || kinds.includes(kind)).flatMap((kind) =>
      (lists.get(kind) ?? []).map((row): Json => {
        const document = documentOf(FILE_KINDS[kind], row, lists);
        const kept = objectOf(withVariablesKept(document)) ?? {};
        const secrets = secretNames(document, ctx.output.isSecret);
        if (kind === 'registry' || secrets.length > 0) notes = [NOTE];
        // The service never shows them: `${HUB_PASSWORD}` of the registry `hub`.
        if (kind === 'registry')
          return {
            ...kept,
            ...marked(CREDENTIALS, (member) =>
              markOf(`${stringAt(document, 'name') ?? ''}_${member}`.toUpperCase(), [idOf(row), member]),
            ),
          };
        if (secrets.length === 0) return kept;
        const marks = marked(secrets, (name) => markOf(name, memberOf(document['env'], name) ?? null));
        return { ...kept, env: { ...objectOf(kept['env']), ...marks } };
      }),
    );
    if (asksForData(ctx.output) && ctx.output.format !== 'yaml') return { kind: 'many', view, values, notes };
    const texts = await Promise.all(values.map((value) => toYaml(value)));
    return { kind: 'text', text: texts.join('---\n'), notes };
  },
});

/** So that exports are comparable. */
function byName(rows: readonly Json[]): readonly Json[] {
  const keyOf = (row: Json): string => `${stringAt(row, 'name') ?? ''} ${idOf(row)}`;
  return rows.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
}

const marked = (names: readonly string[], markOf: (name: string) => string): JsonObject =>
  Object.fromEntries(names.map((name) => [name, markOf(name)]));

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

const secretNames = (document: JsonObject, isSecret: IsSecret | undefined): readonly string[] =>
  Object.entries(objectOf(document['env']) ?? {})
    .filter(([name, value = null]) => {
      const env = { env: { [name]: value } };
      return isSecret !== undefined && hideSecrets(env, isSecret) !== env;
    })
    .map(([name]) => name);

/** Without read-only and empty members, and with the id only where several have the name. */
function documentOf(kind: FileKind, row: Json, lists: ReadonlyMap<KindName, readonly Json[]>): JsonObject {
  // The row already has what a template gave.
  const { templateId: _, ...document } = kind.adapt(objectOf(row) ?? {});
  const { name = '', ...body } = writable(withoutKey(document), acceptedPaths(kind), []).body;
  const hasCommand = Array.isArray(body['cmd']) || Array.isArray(body['entrypoint']);
  const given = Object.fromEntries(
    Object.entries(body).filter(([member, value]) => value !== null && !(member === 'args' && hasCommand)),
  );
  const isUnique = (lists.get(kind.name) ?? []).filter((each) => memberAt(each, 'name') === name).length === 1;
  return {
    kind: kind.name,
    name,
    ...(isUnique ? {} : { id: idOf(row) }),
    ...mapReferences(kind, given, (id, of) => nameOf(lists.get(of) ?? [], id)),
  };
}

/** Its id if another row has the same name, or that name as its id. */
function nameOf(rows: readonly Json[], id: string): string {
  const name = stringAt(rows.find((row) => idOf(row) === id) ?? null, 'name');
  if (name === undefined || name === '') return id;
  const same = rows.filter((row) => memberAt(row, 'name') === name || idOf(row) === name);
  return same.length === 1 ? name : id;
}
