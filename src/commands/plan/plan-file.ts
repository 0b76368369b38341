/**
 * The file of `plan --out`. It has what the plan printed, and one digest of everything that it means, values that are secret
 * too: the files are read again when it is applied, and must come to the same.
 */
import { promisify } from 'node:util';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, usage } from '../../core/failure.ts';
import {
  arrayOf,
  encodeJson,
  isObject,
  memberAt,
  stringAt,
  stringsOf,
  tryDecodeJson,
  type Json,
} from '../../core/json.ts';
import { safeText } from '../../core/safe-text.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { idOf } from '../../output/view.ts';
import { attemptId } from '../shared/capacity/keyed-create.ts';
import { planRowOf } from './rows.ts';
import type { Plan, PlanInput } from './planned.ts';

const VERSION = 1;

export interface PlanFile {
  readonly path: string;
  readonly input: PlanInput;
  readonly salt: string;
  readonly digest: string;
  readonly items: readonly Json[];
}

/** How the file of a plan is named; another file is one of documents. */
const PLAN_NAME = /\.json$/i;

/** Refuses to keep a plan of what cannot be read again, and under a name that apply does not know: usage (2). */
export function checkOut({ files, envFrom }: PlanInput, out: string | undefined): void {
  if (out !== undefined && [...files, ...envFrom].includes('-'))
    throw usage('--out keeps a plan of files that are read again: stdin cannot be', 'Write it to a file first.');
  if (out !== undefined && !PLAN_NAME.test(out))
    throw usage('--out takes a name that ends in .json', 'A plan is told from a file of documents by that name.');
}

/** Writes a plan, which holds no secret, with mode 0600. Fails with local-file (14). */
export async function writePlanFile(ctx: CommandContext, path: string, input: PlanInput, plan: Plan): Promise<void> {
  const salt = attemptId(ctx);
  const { files, envFrom, setName, prune, replace } = input;
  const content: Json = {
    berthPlan: VERSION,
    files,
    envFrom,
    ...(setName === undefined ? {} : { setName }),
    prune: prune === true,
    replace: replace === true,
    salt,
    digest: await digestOf(ctx, plan, salt),
    items: printed(ctx, plan),
  };
  await ctx.files.write(path, `${encodeJson(content)}\n`, { mode: 0o600 });
}

const printed = (ctx: CommandContext, { planned, hidden }: Plan): readonly Json[] =>
  planned.map((each) => planRowOf(each, { texts: hidden, isSecret: ctx.output.isSecret }));

/** A digest that is slow to compute, so that a secret cannot be guessed from it with many tries. */
async function digestOf(ctx: CommandContext, { planned }: Plan, salt: string): Promise<string> {
  const { scrypt } = await import('node:crypto');
  const meant: Json = [
    ctx.settings.local ? 'local' : (ctx.settings.text('base-url') ?? ''),
    ...planned.map(({ document, row, body, item }): Json => [
      ...[item.action, document.kind.name, document.name, row === undefined ? '' : idOf(row)],
      body,
      item.changes.map(({ path, before, after }): Json => [path, before, after]),
    ]),
  ];
  const key = await promisify<string, string, number, Buffer>(scrypt)(encodeJson(meant), salt, 32);
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
  const [salt, digest, items] = [stringAt(value, 'salt'), stringAt(value, 'digest'), arrayOf(memberAt(value, 'items'))];
  const files = stringsOf(memberAt(value, 'files'));
  if (
    memberAt(value, 'berthPlan') !== VERSION ||
    salt === undefined ||
    digest === undefined ||
    items === undefined ||
    files.length === 0
  )
    throw usage(`${path} is no plan that this version of berth can apply`, 'Plan again.');
  const input = {
    files,
    envFrom: given.envFrom.length > 0 ? given.envFrom : stringsOf(memberAt(value, 'envFrom')),
    setName: stringAt(value, 'setName'),
    prune: memberAt(value, 'prune') === true,
    replace: memberAt(value, 'replace') === true,
  };
  return { path, input, salt, digest, items };
}

/** The JSON of a file; undefined for another text, and for a folder. */
async function decoded(ctx: CommandContext, path: string): Promise<Json | undefined> {
  const durable = await ctx.durable();
  if ((await durable.resolve(path)).kind === 'directory') return undefined;
  return tryDecodeJson(new TextDecoder().decode(await ctx.files.read(path)));
}

/** Fails with refused (5) where a plan is not the one of the file any more, and says what differs. */
export async function refuseMoved(ctx: CommandContext, file: PlanFile, plan: Plan): Promise<void> {
  if ((await digestOf(ctx, plan, file.salt)) === file.digest) return;
  const now = printed(ctx, plan);
  const lines = (items: readonly Json[]): ReadonlyMap<string, string> =>
    new Map(
      items.map((item) => [
        labelOfItem(item),
        encodeJson([memberAt(item, 'action') ?? null, memberAt(item, 'id') ?? null, memberAt(item, 'changes') ?? null]),
      ]),
    );
  const [then, today] = [lines(file.items), lines(now)];
  const moved = [...new Set([...then.keys(), ...today.keys()])].filter((label) => then.get(label) !== today.get(label));
  const reasons =
    moved.length > 0
      ? moved.map((label) => `${label}: it is planned otherwise now`)
      : ['a value that is not shown, such as a secret, is another one, or the address of the service is'];
  throw movedFailure(file, reasons);
}

/** The failure where a plan is not the one of its file any more. */
export const movedFailure = ({ path }: PlanFile, errors: readonly string[]): Failure =>
  new Failure({
    code: 'refused',
    exit: EXIT.refused,
    message: `${path} is not what there is to do any more: nothing was sent`,
    hint: 'Files or things have changed since. Plan again, and look at it.',
    errors,
  });

const labelOfItem = (item: Json): string => safeText(`${stringAt(item, 'kind') ?? ''} ${stringAt(item, 'name') ?? ''}`);
