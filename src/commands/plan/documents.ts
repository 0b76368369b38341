/** The documents of files, with their variables replaced, checked against the tables of fields. */
import { Failure, usage } from '../../core/failure.ts';
import { isList, isObject, type Json, type JsonObject, memberAt, stringOf } from '../../core/json.ts';
import { safeText } from '../../core/safe-text.ts';
import { HIDDEN } from '../../core/secret-names.ts';
import { utf8Text } from '../../core/text.ts';
import { readVariableFiles } from '../../cli/variables.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { checkBody, writable } from '../../cli/resource/body-members.ts';
import type { Field } from '../../cli/resource/fields.ts';
import { parseYamlDocuments, type YamlDocument } from '../../cli/resource/parse-yaml.ts';
import { didYouMean, withArticle } from '../../cli/words.ts';
import { acceptedPaths, FILE_KINDS, type FileKind, KINDS } from './kinds.ts';
import { checkValue, kindSchema } from './schema.ts';

export interface FileDocument {
  readonly kind: FileKind;
  readonly name: string;
  /** Pins one of several with the name. */
  readonly id?: string;
  readonly body: JsonObject;
  /** `FILE:3:5`. */
  readonly at: (path: readonly string[]) => string;
  /** Why it cannot be created: a credential has no value. */
  readonly missing?: Failure | undefined;
  /** Its mark is set on creation. */
  readonly set?: string | undefined;
}

/** Usage (2) with file, line and column; local-file (14). `hidden` gets every text that a variable brought. */
export async function readDocuments(
  ctx: CommandContext,
  paths: readonly string[],
  envFrom: readonly string[],
  hidden: Set<string>,
): Promise<readonly FileDocument[]> {
  const variables = new Map(Object.entries(await readVariableFiles(ctx, envFrom)));
  const documents: FileDocument[] = [];
  for (const given of paths) {
    const found = await filesAt(ctx, given);
    // With --prune, no file would mean that nothing may stay.
    if (found.length === 0) throw usage(`${given} has no file that ends in .yaml, .yml or .json`);
    for (const path of found) {
      const from = path === '-' ? 'stdin' : path;
      const text = utf8Text(await ctx.files.read(path), from, 'Save it as UTF-8.');
      for (const { value, at } of parseYamlDocuments(text, from)) {
        let missing: Failure | undefined;
        const replaced = withVariables(value, variables, hidden, (where, name) => {
          const failure = noValue(at(where), name);
          if (isCredential(value, where)) missing = failure;
          else if (envFrom.length > 0 || where[0] === 'env') throw failure;
          return '${' + name + '}';
        });
        documents.push({ ...checkDocument({ value: replaced, at }), missing });
      }
    }
  }
  return documents;
}

const DOCUMENTS = /\.(ya?ml|json)$/i;

/** In the order of their names. */
async function filesAt(ctx: CommandContext, path: string): Promise<readonly string[]> {
  if (path === '-') return [path];
  const durable = await ctx.durable();
  if ((await durable.resolve(path)).kind !== 'directory') return [path];
  const within = async (folder: string): Promise<readonly string[]> => {
    const entries = (await durable.entries(folder)).filter(({ name }) => !name.startsWith('.'));
    const found = await Promise.all(
      entries
        .toSorted((one, other) => (one.name < other.name ? -1 : 1))
        .map(async ({ name, kind, link = false }) => {
          const inner = `${folder.replace(/\/+$/, '')}/${name}`;
          if (kind === 'folder') return await within(inner);
          // A prune would remove what a skipped pipe, broken link or linked folder describes.
          if (kind === 'other' && (link || DOCUMENTS.test(name)))
            throw usage(
              `${inner} is neither a file nor a folder`,
              'Links to folders are not followed. Name it by itself, or move it out of the folder.',
            );
          return kind === 'file' && DOCUMENTS.test(name) ? [inner] : [];
        }),
    );
    return found.flat();
  };
  return await within(path);
}

/** The service never shows them: an export writes `${NAME}` in their place. */
export const CREDENTIALS: readonly string[] = Object.values<Field>(FILE_KINDS.registry.table.fields).flatMap(
  ({ path, writeOnly }) => (writeOnly === true && path !== undefined ? [path] : []),
);

const isCredential = (document: Json, [member = '', ...inner]: readonly string[]): boolean =>
  memberAt(document, 'kind') === 'registry' && CREDENTIALS.includes(member) && inner.length === 0;

const noValue = (at: string, name: string): Failure =>
  usage(
    `${at}: no value is given for \${${name}}`,
    'Give it with --env-from FILE, or write $${' + name + '} for the text itself.',
  );

function checkDocument({ value, at }: YamlDocument): FileDocument {
  if (!isObject(value)) throw usage(`${at([])}: a document must be an object`, 'Write one member a line: NAME: VALUE');
  const [word, name] = [stringOf(value['kind']) ?? '', stringOf(value['name']) ?? ''];
  const known = KINDS.find((each) => each === word);
  if (known === undefined)
    throw usage(
      `${at(['kind'])}: ${word === '' ? 'kind is missing' : `no kind ${JSON.stringify(safeText(word))}`}`,
      didYouMean(word, KINDS) ?? `Kinds: ${KINDS.join(', ')}`,
    );
  if (name.trim() === '') throw usage(`${at(['name'])}: ${withArticle(known)} needs a name: a text`);
  const kind = FILE_KINDS[known];
  checkValue(kindSchema(kind), value, (path, problem, hint) => {
    const member = path.filter((each) => !/^\d+$/.test(each)).join('.');
    throw usage(`${at(path)}: ${member} of ${withArticle(known)} ${problem}`, hint);
  });
  const { kind: _, ...document } = value;
  const { body } = writable(kind.adapt(document), acceptedPaths(kind), []);
  try {
    checkBody(kind.table, body);
  } catch (error) {
    throw placed(error, at([]));
  }
  const id = stringOf(value['id']);
  return { kind, name, ...(id === undefined ? {} : { id }), body, at };
}

/** Adds the place in the files. Drops a hint that begins with a flag: it is for a command line. */
export function placed(error: unknown, where: string): unknown {
  if (!(error instanceof Failure) || error.code !== 'usage') return error;
  const isOfFlags = typeof error.hint === 'string' && error.hint.startsWith('--');
  return error.with({ message: `${where}: ${error.message}`, ...(isOfFlags ? { hint: undefined } : {}) });
}

/** `$${NAME}` is the literal text `${NAME}`. */
const VARIABLE = /\$?\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

function mapTexts(
  value: Json,
  map: (text: string, path: readonly string[]) => string,
  path: readonly string[] = [],
): Json {
  const inner = (name: string, each: Json): Json => mapTexts(each, map, [...path, name]);
  if (typeof value === 'string') return map(value, path);
  if (isList(value)) return value.map((each, at) => inner(String(at), each));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, inner(name, each ?? null)]));
}

/** `found` gets every inserted text, to hide it later. `unknown` returns a replacement or throws. */
export const withVariables = (
  value: Json,
  variables: ReadonlyMap<string, string>,
  found: Set<string>,
  unknown: (path: readonly string[], name: string) => string,
): Json =>
  mapTexts(value, (text, path) => {
    const used: string[] = [];
    const replaced = text.replace(VARIABLE, (all, name: string) => {
      if (all.startsWith('$$')) return all.slice(1);
      const given = variables.get(name);
      if (given === undefined) return unknown(path, name);
      used.push(name);
      return given;
    });
    if (used.length > 0 && replaced !== '') found.add(replaced);
    return replaced;
  });

/** `***` replaces each text that came from a variable. */
export const withoutVariables = (value: Json, found: ReadonlySet<string>): Json =>
  mapTexts(value, (text) => (found.has(text) ? HIDDEN : text));

export const withVariablesKept = (value: Json): Json =>
  mapTexts(value, (text) => text.replace(VARIABLE, (all) => `$${all}`));
