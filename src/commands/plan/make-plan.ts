/** What an apply of files would do, thing by thing, and what each costs an hour before and after. */
import { completeEnvironment } from '../../cli/variables.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { catalogOf, type Cost, ofEndpoint, ofNewPod, ofPod, ofVolume, perHour, sum } from '../../cli/money.ts';
import { merged } from '../../cli/resource/request-body.ts';
import { type Account, createAccount } from './account.ts';
import { type FileDocument, placed, readDocuments } from './documents.ts';
import { FILE_KINDS, type KindName, KINDS } from './kinds.ts';
import { unlessFailed, usage } from '../../core/failure.ts';
import { isObject, type Json, type JsonObject, memberAt, objectOf, stringAt } from '../../core/json.ts';
import { SET_MARK, variableOf, withoutKey } from '../../create/key.ts';
import { type Item, planCreate, planUpdate } from '../../fleet/differences.ts';
import { idOf } from '../../output/view.ts';

interface ItemCost {
  readonly before: Cost;
  readonly after: Cost;
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

export interface Plan {
  readonly planned: readonly Planned[];
  /** Texts from `--env-from`: never printed. */
  readonly hidden: ReadonlySet<string>;
  /** How many of how many things of the set are in no file; undefined without a prune. */
  readonly pruning?: { readonly removed: number; readonly ofSet: number };
}

interface PlanInput {
  readonly files: readonly string[];
  readonly envFrom: readonly string[];
  readonly setName?: string | undefined;
  readonly prune?: boolean;
}

/** In an environment. Volumes and registries are never pruned. */
const MARKED_KINDS: readonly KindName[] = KINDS.filter((kind) =>
  Object.values(FILE_KINDS[kind].table.fields).some(({ path }) => path === 'env'),
);

/** Usage (2) with the place, local-file (14); else as lists do, which must be complete. */
export async function makePlan(ctx: CommandContext, { files, envFrom, setName, prune }: PlanInput): Promise<Plan> {
  if (setName !== undefined && !/^[\w.-]{1,100}$/.test(setName))
    throw usage(`--set-name takes 1 to 100 letters, digits and . _ -, not ${JSON.stringify(setName)}`);
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
  if (prune !== true || setName === undefined) return { planned, hidden };
  const ofSet = await rowsOfSet(account, setName);
  const named = new Set(planned.map(({ document, row }) => `${document.kind.name} ${idOf(row)}`));
  const gone = ofSet.filter(([kind, row]) => !named.has(`${kind} ${idOf(row)}`));
  for (const [kind, row] of gone) planned.push(await planRemoval(ctx, kind, row));
  return { planned, hidden, pruning: { removed: gone.length, ofSet: ofSet.length } };
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
    const body = newBody(document, named);
    await kind.checkNew?.(ctx, completeNew(ctx, document, body));
    return { document, row, body, item: planCreate(body), cost: await costOf(ctx, kind.name, row, body) };
  } catch (error) {
    throw error === missing ? error : placed(error, at([]));
  }
}

export const completeNew = (ctx: CommandContext, { kind }: FileDocument, body: JsonObject): JsonObject =>
  merged(kind.defaults?.(body, ctx.settings) ?? {}, body);

/** Without what null clears, with the mark of its set. Usage (2) for a missing member, and where the file names another set. */
function newBody({ kind, set }: FileDocument, body: JsonObject): JsonObject {
  const given = withoutNull(body);
  const missing = kind.needed.filter((group) => group.every((path) => memberAt(given, path) === undefined));
  if (missing.length > 0)
    throw usage(`a new ${kind.name} needs ${missing.map((group) => group.join(' or ')).join(', and ')}`);
  if (set === undefined) return given;
  if ((variableOf(given, SET_MARK) ?? set) !== set)
    throw usage(`env.${SET_MARK} names another set than --set-name ${set}`, 'Leave it out of the file.');
  return { ...given, env: { ...objectOf(given['env']), [SET_MARK]: set } };
}

/** Recursive. */
export const withoutNull = (body: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(body).flatMap(([name, value]) =>
      value === null || value === undefined ? [] : [[name, isObject(value) ? withoutNull(value) : value]],
    ),
  );

async function rowsOfSet(account: Account, set: string): Promise<readonly (readonly [kind: KindName, row: Json])[]> {
  const lists = MARKED_KINDS.map(async (kind) => {
    const rows = await account.rows(FILE_KINDS[kind]);
    return rows.filter((row) => variableOf(row, SET_MARK) === set).map((row) => [kind, row] as const);
  });
  return (await Promise.all(lists)).flat();
}

async function planRemoval(ctx: CommandContext, kind: KindName, row: Json): Promise<Planned> {
  // The service would terminate a locked pod: berth does not.
  const isLocked = memberAt(row, 'locked') === true;
  const { before } = await costOf(ctx, kind, row, {});
  return {
    document: { kind: FILE_KINDS[kind], name: stringAt(row, 'name') ?? '', id: idOf(row), body: {}, at: () => '' },
    row,
    body: {},
    item: {
      action: isLocked ? 'blocked' : 'delete',
      changes: [],
      why: isLocked ? 'no file names it any more, and it is locked' : erasedWith(kind, row),
    },
    cost: { before, after: isLocked ? before : NO_COST },
  };
}

function erasedWith(kind: KindName, row: Json): string | undefined {
  if (kind === 'endpoint') return 'its jobs are cancelled';
  if (kind !== 'pod') return undefined;
  return `container disk${memberAt(row, 'mounts.persistent') === undefined ? '' : ' and persistent mount'} erased`;
}

const NO_COST: Cost = { hourly: { low: 0, high: 0 }, besides: [] };

/** `row` is undefined for what does not exist yet. A catalog that cannot be read leaves the price unknown. */
async function costOf(ctx: CommandContext, kind: KindName, row: Json | undefined, body: JsonObject): Promise<ItemCost> {
  const of = async (thing: Json): Promise<Cost> => {
    if (kind === 'volume') return ofVolume(thing);
    if (kind === 'pod' && row !== undefined) return ofPod(thing);
    if (kind !== 'pod' && kind !== 'endpoint') return NO_COST;
    const catalog = (await unlessFailed(ctx, () => catalogOf(ctx, thing))) ?? [];
    return kind === 'pod' ? ofNewPod(thing, catalog) : ofEndpoint(thing, catalog);
  };
  if (row === undefined) return { before: NO_COST, after: await of(body) };
  return { before: await of(row), after: await of(merged(objectOf(row) ?? {}, body)) };
}

/** `Cost: $0.00/h -> $0.69/h plus a container disk of 200 GB`; undefined where nothing changes. */
export function costLine({ planned }: Plan): string | undefined {
  const [before, after] = [sum(planned.map(({ cost }) => cost.before)), sum(planned.map(({ cost }) => cost.after))];
  if (perHour(before) === perHour(after)) return undefined;
  return `Cost: ${perHour({ ...before, besides: [] })} -> ${perHour(after)}`;
}
