import { EXIT } from '../../core/exit-codes.ts';
import { Failure, unlessFailed, usage } from '../../core/failure.ts';
import type { Message } from '../../core/message.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import type { CommandContext } from '../model/context.ts';

/** What an update costs more, or does to what runs; undefined for nothing. */
type Sentence = (ctx: CommandContext, body: JsonObject, readRow: () => Promise<Json>) => Promise<string | undefined>;

const isAsked = ({ yes, dryRun, terminal }: CommandContext): boolean => !yes && !dryRun && terminal.canAsk;

/**
 * Asks a person about what costs money; Enter alone is no. Fails with declined (2) where the answer is no; nothing was sent
 * then. A script and a dry run are not asked.
 */
export async function ask(ctx: CommandContext, question: string, declined: string): Promise<void> {
  if (!isAsked(ctx) || (await ctx.prompts.confirm(question, false))) return;
  throw new Failure({ code: 'declined', exit: EXIT.usage, message: declined });
}

/**
 * Says on stderr what a write costs, before it is sent; every price of a write is said here. Nothing where it cannot be
 * found out, and with --quiet, unless a person is asked about it. Returns whether it was said.
 */
export async function tellPrice(
  ctx: CommandContext,
  price: () => Promise<Message | undefined>,
  isAskedAbout = false,
): Promise<boolean> {
  if (ctx.settings.get('quiet') && !(isAskedAbout && isAsked(ctx))) return false;
  const said = await unlessFailed(ctx, price);
  if (said === undefined) return false;
  await ctx.tell(said);
  return true;
}

/** Says what an update that raises the bill costs before and after it, and asks about it. */
export async function askAboutRaise(
  ctx: CommandContext,
  raise: Sentence | undefined,
  body: JsonObject,
  readBefore: () => Promise<Json>,
): Promise<void> {
  if (raise !== undefined && (await tellPrice(ctx, () => raise(ctx, body, readBefore), true)))
    await ask(ctx, 'Change it?', 'not confirmed: nothing was changed');
}

/** Says that an update restarts what runs, and asks. Fails with usage (2) without a terminal and without `--yes`. */
export async function confirmRestart(
  ctx: CommandContext,
  restarts: Sentence | undefined,
  body: JsonObject,
  readBefore: () => Promise<Json>,
): Promise<void> {
  const sentence = await restarts?.(ctx, body, readBefore);
  if (sentence === undefined) return;
  if (!ctx.dryRun && !ctx.yes && !ctx.terminal.canAsk) throw usage(sentence, 'Nothing was sent. --yes confirms it.');
  await ctx.tell(sentence);
  if (ctx.dryRun || ctx.yes || (await ctx.prompts.confirm('Change it?', false))) return;
  throw new Failure({ code: 'declined', exit: EXIT.usage, message: 'not confirmed: nothing was changed' });
}
