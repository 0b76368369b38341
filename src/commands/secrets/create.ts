import { berth, sentence } from '../../core/message.ts';
import { readRequest, type ApiAnswer } from '../../core/api.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, unlessFailed, usage } from '../../core/failure.ts';
import { type Json, stringAt, stringOf } from '../../core/json.ts';
import { safeText } from '../../core/safe-text.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { bodyOf } from '../../cli/resource/field-writes.ts';
import { listRows } from '../../cli/resource/requests.ts';
import { unlessUnread } from '../../cli/run/dry-run.ts';
import type { CreateRequest, WriteSpec } from '../../cli/resource/write.ts';
import { SECRETS } from '../../cli/resource/collections.ts';
import { idOf } from '../../output/view.ts';
import { SECRET_TABLE, VALUE } from './fields.ts';
import type { Milliseconds } from '../../core/unit-types.ts';

export const createSpec: WriteSpec = {
  summary: 'store a secret for the variables of pods and endpoints',
  details:
    'The value is asked for without showing it, or read from stdin or a file; it is never given on the command line, and the service never gives it back. Use it with --env NAME=@secret:SECRET: pods and workers get the value at their start.',
  ...bodyOf(SECRET_TABLE, 'create'),
  needed: ['name'],
  secret: VALUE,
  check: async ({ name }, _, ctx) => {
    checkName(stringOf(name) ?? '');
    if (ctx.dryRun) await refuseTaken(ctx, stringOf(name) ?? '');
  },
  send,
  setExample: 'description=TEXT',
  examples: [['berth secrets create --name hf-token --value-stdin < token', 'for scripts']],
};

/** Characters (additions 7). */
const MAX_NAME = 191;

/** Checked before the value is asked for (additions 7). */
function checkName(name: string): void {
  if (!/^[a-zA-Z_][a-zA-Z0-9_.\-/]*$/.test(name))
    throw usage(
      `--name ${JSON.stringify(name)}: a secret cannot have this name`,
      'Letters, digits, _, ., - and /; the first is a letter or _.',
    );
  if (name.length > MAX_NAME)
    throw usage(`--name has ${String(name.length)} characters, and a secret's has at most ${String(MAX_NAME)}`);
}

/** Conflict (5). For a dry run. */
async function refuseTaken(ctx: CommandContext, name: string): Promise<void> {
  const rows = await unlessUnread(ctx, async () => (await listRows(ctx, SECRETS, { name })).values);
  const found = rows?.find((row) => stringAt(row, 'name') === name);
  if (found !== undefined) throw new Failure(alreadyThere(found));
}

/** The service's dates may differ from each other by this. */
const DATE_TOLERANCE_MS: Milliseconds = 2000;

/** After a lost answer looks for the unique name (additions 7). Conflict (5), lost answer (8). */
async function send(ctx: CommandContext, request: CreateRequest): Promise<ApiAnswer> {
  const startedAt = ctx.clock.monotonic();
  try {
    return await ctx.api.send(request);
  } catch (error) {
    if (!(error instanceof Failure) || error.exit !== EXIT.unknown) throw error;
    const name = stringOf(request.body['name']) ?? '';
    const rows = await unlessFailed(ctx, async () => (await listRows(ctx, SECRETS, { name })).values);
    const found = rows?.find((row) => stringAt(row, 'name') === name);
    if (found === undefined)
      throw rows === undefined
        ? error
        : error.with({
            hint: sentence`No secret has this name now. Look again before you create it: ${berth`secrets list`}`,
          });
    if (!isNewerThan(found, ctx.serviceNow() - (ctx.clock.monotonic() - startedAt)))
      throw error.with(alreadyThere(found));
    await ctx.tell('The answer was lost. The secret is there: it was created.');
    return ctx.api.send(readRequest([...SECRETS.path, idOf(found)]));
  }
}

function isNewerThan(row: Json, time: number): boolean {
  const createdAt = Date.parse(stringAt(row, 'createdAt') ?? '');
  return createdAt >= time - DATE_TOLERANCE_MS;
}

const alreadyThere = (row: Json) => ({
  code: 'conflict',
  exit: EXIT.refused,
  message: `a secret is named ${safeText(stringAt(row, 'name') ?? '')} since ${safeText(stringAt(row, 'createdAt') ?? '')}: nothing was created`,
  hint: sentence`Change its value: ${berth`secrets update ${idOf(row)} --value-stdin`}`,
});
