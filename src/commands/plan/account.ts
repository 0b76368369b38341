import { isNotFound, usage } from '../../core/failure.ts';
import { asId } from '../../core/ids.ts';
import { safeText } from '../../core/safe-text.ts';
import { type Json, type JsonObject, memberAt, stringAt } from '../../core/json.ts';
import { suggestionOf } from '../../core/text.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { listRows, rowRequest } from '../../cli/resource/requests.ts';
import { rowCalled } from '../../cli/resource/targets.ts';
import { nearestNames, withArticle } from '../../cli/words.ts';
import { idOf } from '../../output/view.ts';
import { type FileDocument, placed } from './documents.ts';
import { FILE_KINDS, type FileKind, type KindName, mapReferences } from './kinds.ts';

/** What is there. Each kind is listed at most once; an incomplete list fails the plan. */
export type Account = ReturnType<typeof createAccount>;

export function createAccount(ctx: CommandContext, documents: readonly FileDocument[]) {
  const lists = new Map<KindName, Promise<readonly Json[]>>();
  const rows = (kind: FileKind): Promise<readonly Json[]> => {
    const read = lists.get(kind.name) ?? rowsOf(ctx, kind);
    lists.set(kind.name, read);
    return read;
  };
  const called = (kind: FileKind, all: readonly Json[], word: string, where: string): Json | undefined => {
    try {
      return rowCalled(kind.collection, all, word);
    } catch (error) {
      throw placed(error, where);
    }
  };
  /** Undefined where there is none. Usage (2) where several have its name. */
  const rowOf = async ({ kind, name, id, at }: FileDocument): Promise<Json | undefined> => {
    const all = await rows(kind);
    if (id === undefined) {
      const named = all.filter((each) => memberAt(each, 'name') === name);
      return called(kind, named, name, at(['name']));
    }
    const row = all.find((each) => idOf(each) === id);
    if (row === undefined)
      throw usage(`${at(['id'])}: no ${kind.name} has the id ${safeText(id)}`, 'Leave it out to find it by its name.');
    return row;
  };
  /** The word itself for what the files make first. */
  const idFor = async (kind: FileKind, word: string, where: string): Promise<string> => {
    const inFiles = documents.find((each) => each.kind === kind && each.name === word);
    if (inFiles !== undefined) return idOf((await rowOf(inFiles)) ?? { id: word });
    const all = await rows(kind);
    const row =
      called(kind, all, word, where) ?? (kind.name === 'template' ? await publicTemplate(ctx, word) : undefined);
    if (row !== undefined) return idOf(row);
    const names = all.flatMap((each) => [idOf(each), stringAt(each, 'name') ?? '']);
    const inSameFiles = documents.filter((each) => each.kind === kind).map((each) => each.name);
    throw usage(
      `${where}: neither the files nor the service have ${withArticle(kind.name)} ${JSON.stringify(safeText(word))}`,
      suggestionOf(nearestNames(word, [...names, ...inSameFiles]).map((near) => safeText(near))),
    );
  };
  /** What the files make first keeps its name. Usage (2). */
  const withIds = async (document: FileDocument, body: JsonObject, row: Json | undefined): Promise<JsonObject> => {
    const ids = new Map<string, string>();
    const found: (readonly [word: string, of: KindName, path: string])[] = [];
    mapReferences(document.kind, body, (word, of, path) => {
      // A pod was made from its template once: that it is gone means nothing.
      if (path !== 'templateId' || stringAt(row, path) !== word) found.push([word, of, path]);
      return word;
    });
    for (const [word, of, path] of found)
      ids.set(`${of} ${word}`, await idFor(FILE_KINDS[of], word, placeOf(document, path, of)));
    return mapReferences(document.kind, body, (word, of) => ids.get(`${of} ${word}`) ?? word);
  };
  return { rows, rowOf, withIds };
}

/** Complete, or a failure. Pods of clusters belong to their clusters. */
export const rowsOf = async (ctx: CommandContext, { collection }: FileKind): Promise<readonly Json[]> =>
  (await listRows(ctx, collection)).values.filter((row) => stringAt(row, 'status') !== 'TERMINATED');

/** The lists of the account have no public templates. */
const publicTemplate = async (ctx: CommandContext, word: string): Promise<Json | undefined> => {
  try {
    return (await ctx.api.send(rowRequest(FILE_KINDS.template.collection, asId(word)))).value;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
};

/** It may be there under the short name, such as `template` for templateId. */
function placeOf({ at }: FileDocument, path: string, name: KindName): string {
  const where = at(path.split('.'));
  return where === at([]) ? at([name]) : where;
}
