/** What a thing of a fleet costs an hour before and after. */

import { completeEnvironment } from '../../cli/container.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { catalogOf, type Cost, ofEndpoint, ofNewPod, ofPod, ofVolume, perHour, sum } from '../../cli/money.ts';
import { merged } from '../../cli/resource/request-body.ts';
import { listRows, rowRequest } from '../../cli/resource/pages.ts';
import { rowCalled } from '../../cli/resource/targets.ts';
import { countOf, nearestNames, withArticle } from '../../cli/words.ts';
import { type FileDocument, placed, readDocuments } from './documents.ts';
import { FILE_KINDS, type FileKind, type KindName, KINDS, mapReferences } from './kinds.ts';
import { lookFor } from '../pods/place.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, isNotFound, unlessFailed, usage } from '../../core/failure.ts';
import { asId } from '../../core/ids.ts';
import { isObject, type Json, type JsonObject, memberAt, objectOf, stringAt } from '../../core/json.ts';
import { safeText } from '../../core/safe-text.ts';
import { suggestionOf } from '../../core/text.ts';
import { APPLY_MARK, SET_MARK, variableOf, withoutKey } from '../../create/key.ts';
import { type Item, planCreate, planUpdate } from '../../fleet/differences.ts';
import { idOf } from '../../output/view.ts';

interface ItemCost {
  readonly before: Cost;
  readonly after: Cost;
}

const NO_COST: Cost = { hourly: { low: 0, high: 0 }, besides: [] };

/** `row` is undefined for what does not exist yet. A catalog that cannot be read leaves the price unknown. */
async function costOf(ctx: CommandContext, kind: KindName, row: Json | undefined, body: JsonObject): Promise<ItemCost> {
  const of = async (thing: Json, isNew: boolean): Promise<Cost> => {
    if (kind === 'volume') return ofVolume(thing);
    if (kind === 'pod' && !isNew) return ofPod(thing);
    if (kind !== 'pod' && kind !== 'endpoint') return NO_COST;
    const catalog = (await unlessFailed(ctx, () => catalogOf(ctx, thing))) ?? [];
    return kind === 'pod' ? ofNewPod(thing, catalog) : ofEndpoint(thing, catalog);
  };
  if (row === undefined) return { before: NO_COST, after: await of(body, true) };
  return { before: await of(row, false), after: await of(merged(objectOf(row) ?? {}, body), false) };
}

/** `Cost: $0.00/h -> $0.69/h plus a container disk of 200 GB`; undefined where nothing changes. */
export function costLine({
  planned,
}: {
  readonly planned: readonly { readonly cost: ItemCost }[];
}): string | undefined {
  const [before, after] = [sum(planned.map(({ cost }) => cost.before)), sum(planned.map(({ cost }) => cost.after))];
  return perHour(before) === perHour(after)
    ? undefined
    : `Cost: ${perHour({ ...before, besides: [] })} -> ${perHour(after)}`;
}

/** What is there. Each kind is listed at most once; an incomplete list fails the plan. */
type Account = ReturnType<typeof createAccount>;

function createAccount(ctx: CommandContext, documents: readonly FileDocument[]) {
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
  const made = rows.flatMap((row) => {
    const mark = variableOf(row, APPLY_MARK);
    return mark === undefined ? [] : [`${mark} ${stringAt(row, 'name') ?? ''}`];
  });
  return new Set(made).size < made.length;
}

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

export interface Planned {
  readonly document: FileDocument;
  /** With the members of a document; undefined where nothing exists. */
  readonly row: Json | undefined;
  /** With ids in place of names. */
  readonly body: JsonObject;
  readonly item: Item;
  readonly cost: ItemCost;
}

interface Pruning {
  readonly removed: readonly Planned[];
  readonly ofSet: number;
}

export interface Plan {
  readonly planned: readonly Planned[];
  /** Texts from `--env-from`: never printed. */
  readonly hidden: ReadonlySet<string>;
  readonly pruning: Pruning | undefined;
}

export interface PlanInput {
  readonly files: readonly string[];
  readonly envFrom: readonly string[];
  readonly setName?: string | undefined;
  readonly prune?: boolean;
}

/** Usage (2) with the place, local-file (14); else as lists do, which must be complete. */
export async function makePlan(ctx: CommandContext, { files, envFrom, setName, prune }: PlanInput): Promise<Plan> {
  checkSetName(setName);
  const hidden = new Set<string>();
  const documents: FileDocument[] = [];
  for (const document of await readDocuments(ctx, files, envFrom, hidden)) {
    const body = await withEnvironment(ctx, document);
    documents.push({ ...document, body, set: MARKED_KINDS.includes(document.kind.name) ? setName : undefined });
  }
  const account = createAccount(ctx, documents);
  const planned: Planned[] = [];
  for (const document of documents) planned.push(await planDocument(ctx, account, document));
  refuseTwice(planned);
  const pruning =
    prune === true && setName !== undefined ? await planPruning(ctx, account, planned, setName) : undefined;
  return { planned: [...planned, ...(pruning?.removed ?? [])], hidden, pruning };
}

/** References to secrets become placeholders. */
async function withEnvironment(ctx: CommandContext, { body, at }: FileDocument): Promise<JsonObject> {
  const env = memberAt(body, 'env');
  if (!isObject(env)) return body;
  try {
    return { ...body, env: (await completeEnvironment(ctx, env, {})) ?? env };
  } catch (error) {
    throw placed(error, at(['env']));
  }
}

/** By its id and by its name is twice too: usage (2). */
function refuseTwice(planned: readonly Planned[]): void {
  const seen = new Map<string, FileDocument>();
  for (const { document, row } of planned) {
    const { kind, name, at } = document;
    const key = `${kind.name} ${row === undefined ? name : idOf(row)}`;
    const before = seen.get(key);
    if (before !== undefined)
      throw usage(`${at(['name'])}: this ${kind.name} is in the files already: ${before.at(['name'])}`);
    seen.set(key, document);
  }
}

/** Usage (2) with its place. */
async function planDocument(ctx: CommandContext, account: Account, document: FileDocument): Promise<Planned> {
  const { kind, at, missing } = document;
  const found = await account.rowOf(document);
  const row = found === undefined ? undefined : kind.adapt(objectOf(found) ?? {});
  const named = await account.withIds(document, document.body, row);
  try {
    if (row !== undefined) {
      const body = await kind.settle(row, named);
      // Without variables in the file, marks are none either.
      const item = await planUpdate(kind, memberAt(body, 'env') === null ? withoutKey(row) : row, body);
      const cost = await costOf(ctx, kind.name, row, item.action === 'blocked' ? {} : body);
      return { document, row, body, item, cost };
    }
    if (missing !== undefined) throw missing;
    const body = withMark(document, newBody(document, named));
    await kind.checkNew?.(ctx, completeNew(ctx, document, body));
    return { document, row, body, item: planCreate(body), cost: await costOf(ctx, kind.name, row, body) };
  } catch (error) {
    throw error === missing ? error : placed(error, at([]));
  }
}

export const completeNew = (ctx: CommandContext, { kind }: FileDocument, body: JsonObject): JsonObject =>
  merged(kind.defaults?.(body, ctx.settings) ?? {}, body);

/** Usage (2) where the file gives it to another set. */
function withMark({ set }: FileDocument, body: JsonObject): JsonObject {
  if (set === undefined) return body;
  const given = memberAt(body, `env.${SET_MARK}`);
  if (given !== undefined && given !== set)
    throw usage(`env.${SET_MARK} names another set than --set-name ${set}`, 'Leave it out of the file.');
  return { ...body, env: { ...objectOf(body['env']), [SET_MARK]: set } };
}

/** Without what null clears. Usage (2) for a missing needed member. */
function newBody({ kind }: FileDocument, body: JsonObject): JsonObject {
  const given = withoutNull(body);
  const missing = kind.needed.filter((group) => group.every((path) => memberAt(given, path) === undefined));
  if (missing.length > 0)
    throw usage(`a new ${kind.name} needs ${missing.map((group) => group.join(' or ')).join(', and ')}`);
  return given;
}

/** Recursive. */
export const withoutNull = (body: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(body).flatMap(([name, value]) =>
      value === null || value === undefined ? [] : [[name, isObject(value) ? withoutNull(value) : value]],
    ),
  );

/** In an environment. Volumes and registries are never pruned. */
const MARKED_KINDS: readonly KindName[] = KINDS.filter((kind) =>
  Object.values(FILE_KINDS[kind].table.fields).some(({ path }) => path === 'env'),
);

/** 1 to 100 letters, digits and `.`, `_`, `-`: else usage (2). */
function checkSetName(name: string | undefined): void {
  if (name !== undefined && !/^[\w.-]{1,100}$/.test(name))
    throw usage(`--set-name takes 1 to 100 letters, digits and . _ -, not ${JSON.stringify(name)}`);
}

/** An incomplete list fails and prunes nothing. */
async function planPruning(
  ctx: CommandContext,
  account: Account,
  planned: readonly Planned[],
  set: string,
): Promise<Pruning> {
  const keyOf = (kind: KindName, row: Json): string => `${kind} ${idOf(row)}`;
  const named = new Set(
    planned.flatMap(({ document, row }) => (row === undefined ? [] : [keyOf(document.kind.name, row)])),
  );
  const removed: Planned[] = [];
  let ofSet = 0;
  for (const name of MARKED_KINDS) {
    const kind = FILE_KINDS[name];
    for (const row of await account.rows(kind)) {
      if (variableOf(row, SET_MARK) !== set) continue;
      ofSet += 1;
      if (named.has(keyOf(name, row))) continue;
      // The service would terminate a locked pod: berth does not.
      const isLocked = memberAt(row, 'locked') === true;
      const { before } = await costOf(ctx, name, row, {});
      removed.push({
        document: { kind, name: stringAt(row, 'name') ?? '', id: idOf(row), body: {}, at: () => '' },
        row,
        body: {},
        item: isLocked
          ? { action: 'blocked', changes: [], why: 'no file names it any more, and it is locked' }
          : { action: 'delete', changes: [], why: erasedWith(name, row) },
        cost: { before, after: isLocked ? before : NO_COST },
      });
    }
  }
  return { removed, ofSet };
}

function erasedWith(kind: KindName, row: Json): string | undefined {
  if (kind === 'endpoint') return 'its jobs are cancelled';
  if (kind !== 'pod') return undefined;
  return `container disk${memberAt(row, 'mounts.persistent') === undefined ? '' : ' and persistent mount'} erased`;
}

/** More than `most`, or by default more than half of the set. Undefined if allowed. */
export function pruningRefusal({ removed, ofSet }: Pruning, most: number | undefined): Failure | undefined {
  if (removed.length <= (most ?? ofSet / 2)) return undefined;
  const things = countOf(removed.length, 'thing');
  if (most !== undefined)
    return new Failure({
      code: 'limit-exceeded',
      exit: EXIT.limitExceeded,
      message: `--max-prune allows ${String(most)}, and ${things} would be removed: nothing was sent`,
    });
  return new Failure({
    code: 'refused',
    exit: EXIT.refused,
    message: `${things} of the ${String(ofSet)} of this set would be removed, more than half: nothing was sent`,
    hint: `Are all files there? If they are, allow it: --max-prune ${String(removed.length)}`,
  });
}
