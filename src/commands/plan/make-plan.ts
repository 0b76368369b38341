import { completeEnvironment } from '../../cli/container/environment.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { merged } from '../../cli/resource/request-body.ts';
import { type Account, createAccount } from './account.ts';
import { costOf } from './cost.ts';
import { checkDocument, type FileDocument, placed } from './document.ts';
import { checkSetName, MARKED_KINDS, planPruning } from './prune.ts';
import type { Plan, PlanInput, Planned } from './planned.ts';
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
  const documents = (await Promise.all(checked.map((document) => withEnvironment(ctx, document)))).map(
    (document): FileDocument => ({
      ...document,
      ...(setName !== undefined && MARKED_KINDS.includes(document.kind.name) ? { set: setName } : {}),
    }),
  );
  const account = createAccount(ctx, documents);
  const planned: Planned[] = [];
  for (const document of documents) planned.push(await planDocument(ctx, account, document));
  refuseTwice(planned);
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

/** By its id and by its name is twice too: usage (2). */
function refuseTwice(planned: readonly Planned[]): void {
  const seen = new Map<string, FileDocument>();
  for (const { document, row } of planned) {
    const key = row === undefined ? document.name : idOf(row);
    const before = seen.get(`${document.kind.name} ${key}`);
    if (before !== undefined)
      throw usage(
        `${document.at(['name'])}: this ${document.kind.name} is in the files already: ${before.at(['name'])}`,
      );
    seen.set(`${document.kind.name} ${key}`, document);
  }
}

/** Usage (2) with its place. */
async function planDocument(ctx: CommandContext, account: Account, document: FileDocument): Promise<Planned> {
  const { kind, at } = document;
  const found = await account.rowOf(document);
  const row = found === undefined ? undefined : kind.adapt(objectOf(found) ?? {});
  const named = await account.withIds(document, document.body, row);
  try {
    if (row !== undefined) {
      const body = await kind.settle(row, named);
      // Without variables in the file, marks are none either.
      const compared = memberAt(body, 'env') === null ? withoutKey(row) : row;
      const item = await planUpdate(kind, compared, body);
      return {
        document,
        row,
        body,
        item,
        cost: await costOf(ctx, kind.name, row, item.action === 'blocked' ? {} : body),
      };
    }
    const [missing] = document.missing ?? [];
    if (missing !== undefined) throw noValue(missing.at, missing.name);
    const body = withMark(document, newBody(document, named));
    await kind.checkNew?.(ctx, completeNew(ctx, document, body));
    const item = planCreate(kind, body);
    return { document, row, body, item, cost: await costOf(ctx, kind.name, row, body) };
  } catch (error) {
    throw placed(error, at([]));
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
