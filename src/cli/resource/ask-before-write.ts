import { EXIT } from '../../core/exit-codes.ts';
import { Failure, rethrowUnlessFailure, usage } from '../../core/failure.ts';
import type { Message } from '../../core/message.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { type CommandContext, onProfile } from '../model/context.ts';

export interface Price {
  readonly line: Message;
  readonly asks: boolean;
  /** The price in the question about a create: `for $2.39 an hour`. */
  readonly inQuestion?: string;
}

export const AT_UNKNOWN_PRICE = 'at a price that is not known';

type Sentence = (ctx: CommandContext, body: JsonObject, readRow: () => Promise<Json>) => Promise<string | undefined>;

/** Undefined where the update does not change the cost. */
export type PriceOfChange = (
  ctx: CommandContext,
  body: JsonObject,
  readRow: () => Promise<Json>,
) => Promise<Price | undefined>;

export const isAsked = ({ yes, dryRun, terminal }: CommandContext): boolean => !yes && !dryRun && terminal.canAsk;

/** Enter alone is no. Declined (2) for a no; nothing was sent then. Not asked in scripts and dry runs. */
async function ask(ctx: CommandContext, question: string, declined: string, price = ''): Promise<void> {
  if (!isAsked(ctx) || (await ctx.prompts.confirm(`${question}${await onProfile(ctx)}${price}?`, false))) return;
  throw new Failure({ code: 'declined', exit: EXIT.usage, message: declined });
}

export const askToCreate = (ctx: CommandContext, price: Price): Promise<void> =>
  askAtPrice(ctx, 'Create it', 'created', price);

const askAtPrice = (ctx: CommandContext, question: string, done: string, { inQuestion }: Price): Promise<void> =>
  ask(ctx, question, `not confirmed: nothing was ${done}`, inQuestion === undefined ? '' : ` ${inQuestion}`);

/** Before the write is sent. An unknown price is said and asked about. Returns the price to ask about. */
export async function tellPrice(
  ctx: CommandContext,
  price: () => Promise<Price | undefined>,
): Promise<Price | undefined> {
  const isQuiet = ctx.settings.get('quiet');
  if (isQuiet && !isAsked(ctx)) return undefined;
  const said = await price().catch((error: unknown): Price => {
    rethrowUnlessFailure(error, ctx);
    // Usage errors end the command before anything that costs money is sent.
    if (error.exit === EXIT.usage) throw error;
    return { line: `What it costs is not known: ${error.message}.`, asks: true, inQuestion: AT_UNKNOWN_PRICE };
  });
  if (said === undefined || (isQuiet && !said.asks)) return undefined;
  await ctx.tell(said.line);
  return said.asks ? said : undefined;
}

export async function askAboutRaise(
  ctx: CommandContext,
  raise: PriceOfChange | undefined,
  body: JsonObject,
  readBefore: () => Promise<Json>,
): Promise<void> {
  if (raise === undefined) return;
  const price = () => raise(ctx, body, readBefore).catch(unlessMissing);
  if ((await tellPrice(ctx, price)) !== undefined) await ask(ctx, 'Change it', 'not confirmed: nothing was changed');
}

/** For a missing row the update itself reports it. Rethrows everything else. */
function unlessMissing(error: unknown): undefined {
  if (!(error instanceof Failure) || error.exit !== EXIT.notFound) throw error;
}

/** Fails with usage (2) without a terminal and without `--yes`. */
export async function confirmRestart(
  ctx: CommandContext,
  restarts: Sentence | undefined,
  body: JsonObject,
  readBefore: () => Promise<Json>,
): Promise<void> {
  const sentence = await restarts?.(ctx, body, readBefore);
  if (sentence !== undefined) await confirmSentence(ctx, sentence, 'Change it');
}

/** Usage (2) without terminal and `--yes`, declined (2) for a no. `question` has no mark at its end. */
export async function confirmSentence(ctx: CommandContext, sentence: string, question: string): Promise<void> {
  if (!ctx.dryRun && !ctx.yes && !ctx.terminal.canAsk) throw usage(sentence, 'Nothing was sent. --yes confirms it.');
  await ctx.tell(sentence);
  if (ctx.dryRun || ctx.yes || (await ctx.prompts.confirm(`${question}${await onProfile(ctx)}?`, false))) return;
  throw new Failure({ code: 'declined', exit: EXIT.usage, message: 'not confirmed: nothing was changed' });
}
