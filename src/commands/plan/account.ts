import { isNotFound, usage } from '../../core/failure.ts';
import { safeText } from '../../core/safe-text.ts';
import { arrayOf, isObject, type Json, type JsonObject, memberAt, stringAt, stringOf } from '../../core/json.ts';
import { nearestNames, withArticle } from '../../cli/words.ts';
import { suggestionOf } from '../../core/text.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { readRow } from '../../cli/resource/targets.ts';
import { withMember } from '../../cli/resource/request-body.ts';
import { listRows } from '../../cli/resource/requests.ts';
import { idOf } from '../../output/view.ts';
import type { FileDocument } from './document.ts';
import { FILE_KINDS, type FileKind, type KindName } from './kinds.ts';

/** Each kind is listed at most once. */
export interface Account {
  readonly rows: (kind: FileKind) => Promise<readonly Json[]>;
  /** Undefined where there is none. Usage (2) where several have its name. */
  readonly rowOf: (document: FileDocument) => Promise<Json | undefined>;
  /** What the files make first keeps its name. Usage (2). */
  readonly withIds: (document: FileDocument, body: JsonObject, row: Json | undefined) => Promise<JsonObject>;
}

/** `made`: ids that this run created, which a list may not have yet. */
export function createAccount(
  ctx: CommandContext,
  documents: readonly FileDocument[],
  made: ReadonlyMap<string, string> = new Map(),
): Account {
  const lists = new Map<KindName, Promise<readonly Json[]>>();
  const rows = (kind: FileKind): Promise<readonly Json[]> => {
    const known = lists.get(kind.name);
    if (known !== undefined) return known;
    // An incomplete list fails the plan. Pods of clusters belong to their clusters.
    const read = listRows(ctx, kind.collection).then(({ values }) =>
      values.filter((row) => stringAt(row, 'status') !== 'TERMINATED'),
    );
    lists.set(kind.name, read);
    return read;
  };

  const rowOf = async ({ kind, name, id, at }: FileDocument): Promise<Json | undefined> => {
    const all = await rows(kind);
    if (id !== undefined) {
      const row = all.find((each) => idOf(each) === id);
      if (row === undefined)
        throw usage(
          `${at(['id'])}: no ${kind.name} has the id ${safeText(id)}`,
          'Leave the id out: the name then finds it, or it is created.',
        );
      return row;
    }
    const [row, ...others] = all.filter((each) => memberAt(each, 'name') === name);
    if (others.length > 0)
      throw usage(
        `${at(['name'])}: ${others.length + 1} of kind ${kind.name} are named ${JSON.stringify(safeText(name))}`,
        `Say which one with id: ${[row ?? null, ...others].map((each) => safeText(idOf(each))).join(' or ')}`,
      );
    return row;
  };

  /** The word itself for what the files make first. */
  const idFor = async (kind: FileKind, word: string, where: string): Promise<string> => {
    const inFiles = documents.find((each) => each.kind === kind && each.name === word);
    if (inFiles !== undefined) {
      const row = await rowOf(inFiles);
      return row === undefined ? (made.get(`${kind.name} ${word}`) ?? word) : idOf(row);
    }
    const all = await rows(kind);
    if (all.some((row) => idOf(row) === word)) return word;
    const [id, ...others] = all.filter((row) => memberAt(row, 'name') === word).map(idOf);
    if (others.length > 0)
      throw usage(
        `${where}: ${others.length + 1} of kind ${kind.name} are named ${JSON.stringify(safeText(word))}`,
        `Use an id: ${[id ?? '', ...others].map((each) => safeText(each)).join(', ')}`,
      );
    if (id !== undefined) return id;
    // The account's lists have no public templates.
    if (kind.name === 'template') {
      try {
        return idOf((await readRow(ctx, kind.collection, word)).value);
      } catch (error) {
        // What is missing is named below, with its place in the files.
        if (!isNotFound(error)) throw error;
      }
    }
    const names = all.flatMap((row) => [idOf(row), stringAt(row, 'name') ?? '']);
    const inSameFiles = documents.filter((each) => each.kind === kind).map((each) => each.name);
    throw usage(
      `${where}: neither the files nor the service have ${withArticle(kind.name)} ${JSON.stringify(safeText(word))}`,
      suggestionOf(nearestNames(word, [...names, ...inSameFiles]).map((near) => safeText(near))),
    );
  };

  const withIds = async (document: FileDocument, body: JsonObject, row: Json | undefined): Promise<JsonObject> => {
    let result = body;
    for (const [path, name] of Object.entries(document.kind.references)) {
      const given = memberAt(body, path);
      const items = arrayOf(given) ?? (given === undefined ? [] : [given]);
      if (items.length === 0) continue;
      // A pod was made from its template once: that it is gone means nothing.
      const isPast = (word: string): boolean =>
        path === 'templateId' && row !== undefined && stringAt(row, path) === word;
      const ids = await Promise.all(
        items.map(async (item) => {
          const word = stringOf(item);
          if (word === undefined || isPast(word)) return item;
          return await idFor(FILE_KINDS[name], word, placeOf(document, path, name));
        }),
      );
      result = withMember(result, path.split('.'), Array.isArray(given) ? ids : (ids[0] ?? null));
    }
    return isObject(result) ? result : body;
  };
  return { rows, rowOf, withIds };
}

/** It may be there under the short name, such as `template` for templateId. */
function placeOf({ at }: FileDocument, path: string, name: KindName): string {
  const where = at(path.split('.'));
  return where === at([]) ? at([name]) : where;
}
