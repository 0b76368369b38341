/**
 * The file of `plan --out`. It has what the plan printed, and one digest of that and of everything that it means, values that are
 * secret too: the files are read again when it is applied, and must come to the same.
 */
import { refuseForeignFile } from '../shared/refuse-foreign-file.ts';
import { promisify } from 'node:util';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, usage } from '../../core/failure.ts';
import {
  arrayOf,
  encodeJson,
  isObject,
  memberAt,
  objectOf,
  stringAt,
  stringsOf,
  tryDecodeJson,
  type Json,
  type JsonObject,
} from '../../core/json.ts';
import { safeText } from '../../core/safe-text.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { countOf } from '../../cli/words/words.ts';
import { idOf } from '../../output/view.ts';
import { attemptId } from '../shared/capacity/keyed-create.ts';
import { planRowOf } from './rows.ts';
import { PLAN_BEGINNING } from './document/read-files.ts';
import type { Plan, PlanInput } from './planned.ts';

const VERSION = 2;

/** How many ids of things that were there are kept, so that the plan of another account is told. */
const MOST_IDS = 100;

export interface PlanFile {
  readonly path: string;
  readonly input: PlanInput;
  /** What the file holds, without its digest. */
  readonly content: JsonObject;
  readonly digest: string;
}

/** How the file of a plan is named; another file is one of documents. */
const PLAN_NAME = /\.json$/i;

/**
 * Refuses to keep a plan of what cannot be read again, and under a name that apply does not know: usage (2); and to replace a file
 * that is no plan: local-file (14).
 */
export async function checkOut(
  ctx: CommandContext,
  { files, envFrom }: PlanInput,
  out: string | undefined,
): Promise<void> {
  if (out !== undefined && [...files, ...envFrom].includes('-'))
    throw usage('--out keeps a plan of files that are read again: stdin cannot be', 'Write it to a file first.');
  if (out !== undefined && !PLAN_NAME.test(out))
    throw usage('--out takes a name that ends in .json', 'A plan is told from a file of documents by that name.');
  if (out === undefined) return;
  const isOwn = (beginning: string): boolean => beginning.startsWith(PLAN_BEGINNING);
  await refuseForeignFile(ctx, out, { isOwn, what: 'plan', option: '--out' });
}

/** Writes a plan, which holds no secret, with mode 0600. Fails with local-file (14). */
export async function writePlanFile(ctx: CommandContext, path: string, input: PlanInput, plan: Plan): Promise<void> {
  const { files, envFrom, setName, prune, replace } = input;
  const content: JsonObject = {
    berthPlan: VERSION,
    files,
    envFrom,
    ...(setName === undefined ? {} : { setName }),
    prune: prune === true,
    replace: replace === true,
    there: plan.there.slice(0, MOST_IDS),
    salt: attemptId(ctx),
    items: printed(ctx, plan),
  };
  const digest = await digestOf(ctx, plan, content);
  await ctx.files.write(path, `${encodeJson({ ...content, digest })}\n`, { mode: 0o600 });
}

const printed = (ctx: CommandContext, { planned, hidden }: Plan): readonly Json[] =>
  planned.map((each) => planRowOf(each, { texts: hidden, isSecret: ctx.output.isSecret }));

/** A digest that is slow to compute, so that a secret cannot be guessed from it with many tries. */
async function digestOf(ctx: CommandContext, { planned }: Plan, content: JsonObject): Promise<string> {
  const { scrypt } = await import('node:crypto');
  const meant: Json = [
    content,
    ctx.settings.local ? 'local' : (ctx.settings.text('base-url') ?? ''),
    ...planned.map(({ document, row, body, item }): Json => [
      ...[item.action, document.kind.name, document.name, row === undefined ? '' : idOf(row)],
      body,
      item.changes.map(({ path, before, after }): Json => [path, before, after]),
    ]),
  ];
  const key = await promisify<string, string, number, Buffer>(scrypt)(
    encodeJson(meant),
    stringAt(content, 'salt') ?? '',
    32,
  );
  return key.toString('hex');
}

/** The plan file that is given in the place of files; undefined for files of documents. Fails with usage (2), and as a read. */
export async function readPlanFile(ctx: CommandContext, given: PlanInput): Promise<PlanFile | undefined> {
  const texts = await Promise.all(
    given.files
      .filter((path) => path !== '-' && PLAN_NAME.test(path))
      .map(async (path) => ({ path, value: await decoded(ctx, path) })),
  );
  const found = texts.find(({ value }) => isObject(value) && value['berthPlan'] !== undefined);
  if (found === undefined) return undefined;
  const { path, value = null } = found;
  if (given.files.length > 1 || given.setName !== undefined || given.prune === true || given.replace === true)
    throw usage(
      `${path} is a plan of plan --out: it is given alone`,
      'It has its files, --set-name, --prune and --replace.',
    );
  const { digest, ...content } = objectOf(value) ?? {};
  const files = stringsOf(memberAt(value, 'files'));
  if (memberAt(value, 'berthPlan') !== VERSION || typeof digest !== 'string' || files.length === 0)
    throw usage(`${path} is no plan that this version of berth can apply`, 'Plan again.');
  const input = {
    files,
    envFrom: given.envFrom.length > 0 ? given.envFrom : stringsOf(memberAt(value, 'envFrom')),
    setName: stringAt(value, 'setName'),
    prune: memberAt(value, 'prune') === true,
    replace: memberAt(value, 'replace') === true,
  };
  return { path, input, content, digest };
}

/** The JSON of a file; undefined for another text, and for what is no file. Fails with usage (2) for a part of a plan. */
async function decoded(ctx: CommandContext, path: string): Promise<Json | undefined> {
  const durable = await ctx.durable();
  // A pipe is read once, as documents.
  if ((await durable.resolve(path)).kind !== 'file') return undefined;
  const text = new TextDecoder().decode(await ctx.files.read(path));
  const value = tryDecodeJson(text);
  if (value === undefined && text.startsWith(PLAN_BEGINNING))
    throw usage(`${path} is a plan of plan --out that is not whole`, 'Plan again.');
  return value;
}

/** Fails with refused (5) where a plan is not the one of the file any more, and says what differs. */
export async function refuseMoved(ctx: CommandContext, file: PlanFile, plan: Plan): Promise<void> {
  const { content } = file;
  const were = stringsOf(memberAt(content, 'there'));
  const hasSome = were.length === 0 ? plan.there.length === 0 : were.some((id) => plan.there.includes(id));
  if (!hasSome)
    throw movedFailure(file, [
      were.length === 0
        ? 'it was made of an account that had nothing of these kinds: is the key of another account?'
        : `none of the ${countOf(were.length, 'thing')} that it saw is there: is the key of another account?`,
    ]);
  if ((await digestOf(ctx, plan, content)) === file.digest) return;
  const now = printed(ctx, plan);
  const lines = (items: readonly Json[]): ReadonlyMap<string, string> =>
    new Map(
      items.map((item) => [
        labelOfItem(item),
        encodeJson([memberAt(item, 'action') ?? null, memberAt(item, 'id') ?? null, memberAt(item, 'changes') ?? null]),
      ]),
    );
  const [then, today] = [lines(arrayOf(memberAt(content, 'items')) ?? []), lines(now)];
  const moved = [...new Set([...then.keys(), ...today.keys()])].filter((label) => then.get(label) !== today.get(label));
  const reasons =
    moved.length > 0
      ? moved.map((label) => `${label}: it is planned otherwise now`)
      : [
          'a value that is not shown, such as a secret, is another one, or the address of the service is, or it was edited',
        ];
  throw movedFailure(file, reasons);
}

/** The failure where a plan is not the one of its file any more. */
export const movedFailure = ({ path }: PlanFile, errors: readonly string[]): Failure =>
  new Failure({
    code: 'refused',
    exit: EXIT.refused,
    message: `${path} no longer says what there is to do: nothing was sent`,
    hint: 'Files or things have changed since. Plan again, and look at it.',
    errors,
  });

const labelOfItem = (item: Json): string => safeText(`${stringAt(item, 'kind') ?? ''} ${stringAt(item, 'name') ?? ''}`);
