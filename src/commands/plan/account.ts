/** What is there for the documents of files: rows by kind, each list read once, and the ids of what bodies refer to. */
import type { CommandContext } from '../../cli/model/context.ts';
import { rowRequest } from '../../core/api.ts';
import { listRows } from '../../cli/resource/pages.ts';
import { rowCalled } from '../../cli/resource/targets.ts';
import { nearestNames, withArticle } from '../../cli/words.ts';
import { type FileDocument, placed } from './documents.ts';
import { FILE_KINDS, type FileKind, type KindName, mapReferences } from './kinds.ts';
import { lookFor } from '../pods/place.ts';
import { isNotFound, usage } from '../../core/failure.ts';
import { asId } from '../../core/ids.ts';
import { type Json, type JsonObject, memberAt, stringAt } from '../../core/json.ts';
import { safeText } from '../../core/safe-text.ts';
import { suggestionOf } from '../../core/text.ts';
import { APPLY_MARK, variableOf } from '../../create/key.ts';
import { idOf } from '../../output/view.ts';

export type Account = ReturnType<typeof createAccount>;

/** An incomplete list fails the plan. */
export function createAccount(ctx: CommandContext, documents: readonly FileDocument[]) {
  const lists = new Map<KindName, Promise<readonly Json[]>>();
  const rows = (kind: FileKind): Promise<readonly Json[]> => {
    const read = lists.get(kind.name) ?? rowsWithoutDoubles(ctx, kind);
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
    const ofKind = documents.filter((each) => each.kind === kind);
    const inFiles = ofKind.find(({ name }) => name === word);
    if (inFiles !== undefined) return idOf((await rowOf(inFiles)) ?? { id: word });
    const all = await rows(kind);
    const row = called(kind, all, word, where) ?? (kind.name === 'template' && (await publicTemplate(ctx, word)));
    if (row) return idOf(row);
    const names = [
      ...all.flatMap((each) => [idOf(each), stringAt(each, 'name') ?? '']),
      ...ofKind.map(({ name }) => name),
    ];
    throw usage(
      `${where}: neither the files nor the service have ${withArticle(kind.name)} ${JSON.stringify(safeText(word))}`,
      suggestionOf(nearestNames(word, names).map((near) => safeText(near))),
    );
  };
  /** Ids in the place of names; what the files make first keeps its name. Usage (2). */
  const withIds = async ({ kind, at }: FileDocument, body: JsonObject, row: Json | undefined): Promise<JsonObject> => {
    const found: (readonly [word: string, of: KindName, path: string])[] = [];
    mapReferences(kind, body, (word, of, path) => {
      // A pod was made from its template once: that it is gone means nothing.
      if (path !== 'templateId' || stringAt(row, path) !== word) found.push([word, of, path]);
      return word;
    });
    const ids = new Map<string, string>();
    for (const [word, of, path] of found) {
      // It may be there under the short name, such as `template` for templateId.
      const where = at(path.split('.'));
      ids.set(`${of} ${word}`, await idFor(FILE_KINDS[of], word, where === at([]) ? at([of]) : where));
    }
    return mapReferences(kind, body, (word, of) => ids.get(`${of} ${word}`) ?? word);
  };
  return { rows, rowOf, withIds };
}

/** Complete, or a failure. Pods of clusters belong to their clusters. */
export const rowsOf = async (ctx: CommandContext, { collection }: FileKind): Promise<readonly Json[]> =>
  (await listRows(ctx, collection)).values.filter((row) => stringAt(row, 'status') !== 'TERMINATED');

/** Of two that applies made at once the younger one is about to be removed: looked at again for a minute. */
async function rowsWithoutDoubles(ctx: CommandContext, kind: FileKind): Promise<readonly Json[]> {
  const rows = await rowsOf(ctx, kind);
  if (!hasDoubles(rows)) return rows;
  const settled = await lookFor(ctx, async () => {
    const again = await rowsOf(ctx, kind);
    return hasDoubles(again) ? undefined : again;
  });
  return settled ?? rows;
}

function hasDoubles(rows: readonly Json[]): boolean {
  const made = rows.filter((row) => variableOf(row, APPLY_MARK) !== undefined);
  const keys = made.map((row) => [variableOf(row, APPLY_MARK), stringAt(row, 'name')].join(' '));
  return new Set(keys).size < made.length;
}

/** The lists of the account have no public templates. */
async function publicTemplate(ctx: CommandContext, word: string): Promise<Json | undefined> {
  try {
    return (await ctx.api.send(rowRequest(FILE_KINDS.template.collection, asId(word)))).value;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
