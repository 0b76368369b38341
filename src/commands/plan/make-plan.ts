import { usage } from '../../core/failure.ts';
import { memberAt, objectOf, stringOf, type Json, type JsonObject } from '../../core/json.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { merged } from '../../cli/resource/body/compose-body.ts';
import type { YamlDocument } from '../../cli/resource/body/parse-yaml.ts';
import { idOf } from '../../output/view.ts';
import type { Item } from '../../fleet/model.ts';
import { planCreate, planUpdate } from '../../fleet/plan-item.ts';
import { withVariables } from '../../fleet/variables.ts';
import { completeEnvironment, readVariables } from '../shared/environment.ts';
import { createAccount, type Account } from './account.ts';
import { costOf, type Cost } from './cost.ts';
import { checkDocument, placed, type FileDocument } from './document.ts';
import { readFiles } from './read-files.ts';

/** What is to be done about one document, and what it costs. */
export interface Planned {
  readonly document: FileDocument;
  /** What is there, with the members of a document; undefined where nothing is. */
  readonly row: Json | undefined;
  /** What the document asks for, with ids in the place of names. */
  readonly body: JsonObject;
  readonly item: Item;
  readonly cost: Cost;
}

export interface Plan {
  readonly documents: readonly FileDocument[];
  /** In the order of the documents. */
  readonly planned: readonly Planned[];
  /** Texts that came from `--env-from`: none of them is printed. */
  readonly hidden: ReadonlySet<string>;
}

/** The files of a plan, and of their variables. */
export interface PlanInput {
  readonly files: readonly string[];
  readonly envFrom: readonly string[];
}

/**
 * Reads files, and compares what they describe with what is there. Fails with usage (2) for a wrong file, with its place,
 * with local-file (14) for one that cannot be read, and as lists do, which must be whole.
 */
export async function makePlan(ctx: CommandContext, { files, envFrom }: PlanInput): Promise<Plan> {
  const hidden = new Set<string>();
  const read = await readFiles(ctx, files);
  const checked = (await replaceVariables(ctx, read, envFrom, hidden)).map(checkDocument);
  refuseTwice(checked);
  const documents = await Promise.all(checked.map((document) => withEnvironment(ctx, document)));
  const account = createAccount(ctx, documents);
  const planned: Planned[] = [];
  for (const document of documents) planned.push(await planDocument(ctx, account, document));
  refuseSameRow(planned);
  return { documents, planned, hidden };
}

/** A document whose references to secrets are placeholders. */
async function withEnvironment(ctx: CommandContext, document: FileDocument): Promise<FileDocument> {
  const env = memberAt(document.body, 'env');
  const complete = env === undefined ? undefined : await completeEnvironment(ctx, env, {});
  return complete === undefined ? document : { ...document, body: { ...document.body, env: complete } };
}

/** Replaces variables where `--env-from` allows it; without it, `${NAME}` is text. */
async function replaceVariables(
  ctx: CommandContext,
  documents: readonly YamlDocument[],
  files: readonly string[],
  hidden: Set<string>,
): Promise<readonly YamlDocument[]> {
  if (files.length === 0) return documents;
  const variables = new Map<string, string>();
  for (const file of files)
    for (const [name, value] of Object.entries(await readVariables(ctx, file, '--env-from')))
      variables.set(name, stringOf(value) ?? '');
  return documents.map(({ value, at }) => ({
    at,
    value: withVariables(value, variables, hidden, (path, name) => {
      throw usage(
        `${at(path)}: no file of --env-from has a variable ${name}`,
        'Write $${' + name + '} for the text itself.',
      );
    }),
  }));
}

/** Refuses two documents of one thing: usage (2). */
function refuseTwice(documents: readonly FileDocument[]): void {
  const seen = new Map<string, FileDocument>();
  for (const document of documents) {
    // An id tells two of one name apart.
    const key = JSON.stringify([document.kind.name, document.id ?? null, document.name]);
    const before = seen.get(key);
    if (before !== undefined)
      throw usage(
        `${document.at(['name'])}: this ${document.kind.name} is in the files already: ${before.at(['name'])}`,
      );
    seen.set(key, document);
  }
}

/** Refuses two documents that mean one row, one by its id and one by its name: usage (2). */
function refuseSameRow(planned: readonly Planned[]): void {
  const seen = new Map<string, FileDocument>();
  for (const { document, row } of planned) {
    if (row === undefined) continue;
    const key = `${document.kind.name} ${idOf(row)}`;
    const before = seen.get(key);
    if (before !== undefined) throw usage(`${document.at(['name'])}: ${before.at(['name'])} describes ${key} too`);
    seen.set(key, document);
  }
}

/** Compares one document with what is there. Fails with usage (2), and its place. */
export async function planDocument(ctx: CommandContext, account: Account, document: FileDocument): Promise<Planned> {
  const { kind, at } = document;
  const found = await account.rowOf(document);
  const row = found === undefined ? undefined : kind.adapt(objectOf(found) ?? {});
  const named = await account.withIds(document, document.body, row);
  try {
    if (row !== undefined) return await planRow(ctx, document, row, named);
    const body = newBody(document, named);
    await kind.checkNew?.(ctx, completeNew(ctx, document, body));
    const item = planCreate(kind.planned(ctx), body);
    return { document, row, body, item, cost: await costOf(ctx, kind.name, row, body) };
  } catch (error) {
    throw placed(error, at([]));
  }
}

/** Compares a document, with ids in the place of names, with a row of its kind. Fails with usage (2). */
export async function planRow(
  ctx: CommandContext,
  document: FileDocument,
  row: JsonObject,
  named: JsonObject,
): Promise<Planned> {
  const { kind } = document;
  const body = await kind.settle(row, named);
  const item = await planUpdate(kind.planned(ctx), row, body);
  const cost = await costOf(ctx, kind.name, row, item.action === 'blocked' ? {} : body);
  return { document, row, body, item, cost };
}

/** The body of a create with what it has by default. */
export const completeNew = (ctx: CommandContext, { kind }: FileDocument, body: JsonObject): JsonObject =>
  merged(kind.defaults?.(body, ctx.settings) ?? {}, body);

/** The body of a create: without what null clears. Fails with usage (2) where a needed member is missing. */
function newBody({ kind }: FileDocument, body: JsonObject): JsonObject {
  const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
  const missing = kind.needed.filter((group) => group.every((path) => memberAt(given, path) === undefined));
  if (missing.length > 0)
    throw usage(`a new ${kind.name} needs ${missing.map((group) => group.join(' or ')).join(', and ')}`);
  return given;
}
