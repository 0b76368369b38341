import { completeEnvironment } from '../../cli/container/environment.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { merged } from '../../cli/resource/request-body.ts';
import { type Account, createAccount } from './account.ts';
import { costOf } from './cost.ts';
import { checkDocument, type FileDocument, placed } from './document.ts';
import type { Plan, PlanInput, Planned } from './planned.ts';
import { checkSetName, MARKED_KINDS, planPruning } from './prune.ts';
import { readFiles } from './read-files.ts';
import { noValue, replaceVariables } from './variables.ts';
import { usage } from '../../core/failure.ts';
import { isObject, type JsonObject, memberAt, objectOf } from '../../core/json.ts';
import { SET_MARK, withoutKey } from '../../create/key.ts';
import { planCreate, planUpdate, withoutNull } from '../../fleet/plan-item.ts';
import { idOf } from '../../output/view.ts';

/** Usage (2) with the place, local-file (14); else as lists do, which must be complete. */
export async function makePlan(ctx: CommandContext, { files, envFrom, setName, prune }: PlanInput): Promise<Plan> {
  checkSetName(setName);
  const hidden = new Set<string>();
  const read = await readFiles(ctx, files);
  const checked = (await replaceVariables(ctx, read, envFrom, hidden)).map((each) => ({
    ...checkDocument(each),
    missing: each.missing,
  }));
  refuseTwice(checked);
  const documents = (await Promise.all(checked.map((document) => withEnvironment(ctx, document)))).map(
    (document): FileDocument => ({
      ...document,
      ...(setName !== undefined && MARKED_KINDS.includes(document.kind.name) ? { set: setName } : {}),
    }),
  );
  const account = createAccount(ctx, documents);
  const planned: Planned[] = [];
  for (const document of documents) planned.push(await planDocument(ctx, account, document));
  refuseSameRow(planned);
  const pruning =
    prune === true && setName !== undefined ? await planPruning(ctx, account, planned, setName) : undefined;
  return { documents, planned: [...planned, ...(pruning?.removed ?? [])], hidden, pruning };
}

/** References to secrets become placeholders. */
async function withEnvironment(ctx: CommandContext, document: FileDocument): Promise<FileDocument> {
  const env = memberAt(document.body, 'env');
  if (!isObject(env)) return document;
  try {
    return { ...document, body: { ...document.body, env: (await completeEnvironment(ctx, env, {})) ?? env } };
  } catch (error) {
    throw placed(error, document.at(['env']));
  }
}

/** Usage (2). */
function refuseTwice(documents: readonly FileDocument[]): void {
  const seen = new Map<string, FileDocument>();
  for (const document of documents) {
    // An id distinguishes two of one name.
    const key = JSON.stringify([document.kind.name, document.id ?? null, document.name]);
    const before = seen.get(key);
    if (before !== undefined)
      throw usage(
        `${document.at(['name'])}: this ${document.kind.name} is in the files already: ${before.at(['name'])}`,
      );
    seen.set(key, document);
  }
}

/** One by its id and one by its name: usage (2). */
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

/** Usage (2) with its place. */
async function planDocument(ctx: CommandContext, account: Account, document: FileDocument): Promise<Planned> {
  const { kind, at } = document;
  const found = await account.rowOf(document);
  const row = found === undefined ? undefined : kind.adapt(objectOf(found) ?? {});
  const named = await account.withIds(document, document.body, row);
  try {
    if (row !== undefined) return await planRow(ctx, document, row, named);
    const [missing] = document.missing ?? [];
    if (missing !== undefined) throw noValue(missing.at, missing.name);
    const body = withMark(document, newBody(document, named));
    await kind.checkNew?.(ctx, completeNew(ctx, document, body));
    const item = planCreate(kind.planned, body);
    return { document, row, body, item, cost: await costOf(ctx, kind.name, row, body) };
  } catch (error) {
    throw placed(error, at([]));
  }
}

/** Ids replace names. Usage (2). */
async function planRow(
  ctx: CommandContext,
  document: FileDocument,
  row: JsonObject,
  named: JsonObject,
): Promise<Planned> {
  const { kind } = document;
  const body = await kind.settle(row, named);
  // Without variables in the file, marks are none either.
  const compared = memberAt(body, 'env') === null ? withoutKey(row) : row;
  const item = await planUpdate(kind.planned, compared, body);
  if (item.action !== 'blocked') return { document, row, body, item, cost: await costOf(ctx, kind.name, row, body) };
  const hint = kind.name === 'pod' ? ': terminate it and apply again' : '';
  const cost = await costOf(ctx, kind.name, row, {});
  return { document, row, body, item: { ...item, why: `${item.why ?? ''}${hint}` }, cost };
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
