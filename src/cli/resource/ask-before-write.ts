import { EXIT } from '../../core/exit-codes.ts';
import { Failure, rethrowUnlessFailure, usage } from '../../core/failure.ts';
import type { Message } from '../../core/message.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { onProfile } from '../run/on-profile.ts';
import type { CommandContext } from '../model/context.ts';

/** What a write costs, and whether a person is asked about it. */
export interface Price {
  readonly line: Message;
  readonly asks: boolean;
  /** The price in the question about a create: `for $2.39 an hour`. */
  readonly inQuestion?: string;
}

/** In the question about a create, where its price is not known. */
export const AT_UNKNOWN_PRICE = 'at a price that is not known';

/** What an update does to what runs; undefined for nothing. */
type Sentence = (ctx: CommandContext, body: JsonObject, readRow: () => Promise<Json>) => Promise<string | undefined>;

/** What an update costs before and after; undefined where it changes nothing. */
export type PriceOfChange = (
  ctx: CommandContext,
  body: JsonObject,
  readRow: () => Promise<Json>,
) => Promise<Price | undefined>;

/** Whether a person is asked before what costs money or cannot be undone. */
export const isAsked = ({ yes, dryRun, terminal }: CommandContext): boolean => !yes && !dryRun && terminal.canAsk;

/**
 * Asks a person about what costs money; Enter alone is no. Fails with declined (2) where the answer is no; nothing was sent
 * then. A script and a dry run are not asked.
 */
async function ask(ctx: CommandContext, question: string, declined: string, price = ''): Promise<void> {
  if (!isAsked(ctx) || (await ctx.prompts.confirm(`${question}${await onProfile(ctx)}${price}?`, false))) return;
  throw new Failure({ code: 'declined', exit: EXIT.usage, message: declined });
}

/** Says what a person may not know, and asks; nothing for a script and a dry run. `question` has no mark at its end. Fails as `ask`. */
export async function tellAndAsk(
  ctx: CommandContext,
  line: Message,
  question: string,
  declined: string,
): Promise<void> {
  if (isAsked(ctx)) await ctx.tell(line);
  await ask(ctx, question, declined);
}

/** Asks a person before a create that costs money, as `ask` does. */
export const askToCreate = (ctx: CommandContext, price: Price): Promise<void> =>
  askAtPrice(ctx, 'Create it', 'created', price);

/** Asks a person before a start that costs money, as `ask` does. */
export const askToStart = (ctx: CommandContext, price: Price, isOne: boolean): Promise<void> =>
  askAtPrice(ctx, isOne ? 'Start it' : 'Start them', 'started', price);

const askAtPrice = (ctx: CommandContext, question: string, done: string, { inQuestion }: Price): Promise<void> =>
  ask(ctx, question, `not confirmed: nothing was ${done}`, inQuestion === undefined ? '' : ` ${inQuestion}`);

/**
 * Says on stderr what a write costs, before it is sent; every price of a write is said here. One that cannot be found out may be
 * high: that is said, and asked about. Nothing with --quiet, unless a person is asked about it. Returns the price that is to
 * be asked about; undefined where nothing is.
 */
export async function tellPrice(
  ctx: CommandContext,
  price: () => Promise<Price | undefined>,
): Promise<Price | undefined> {
  const isQuiet = ctx.settings.get('quiet');
  if (isQuiet && !isAsked(ctx)) return undefined;
  const said = await price().catch((error: unknown): Price => {
    rethrowUnlessFailure(error, ctx);
    // The command ends with it, before anything that costs is sent.
    if (error.exit === EXIT.usage) throw error;
    return { line: `What it costs is not known: ${error.message}.`, asks: true, inQuestion: AT_UNKNOWN_PRICE };
  });
  if (said === undefined || (isQuiet && !said.asks)) return undefined;
  await ctx.tell(said.line);
  return said.asks ? said : undefined;
}

/** Says what an update costs before and after it, and asks about one that raises the bill. */
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

/** Nothing is said of the price of what is not there: the update says that it is not. Rethrows everything else. */
function unlessMissing(error: unknown): undefined {
  if (!(error instanceof Failure) || error.exit !== EXIT.notFound) throw error;
}

/** Says that an update restarts what runs, and asks. Fails with usage (2) without a terminal and without `--yes`. */
export async function confirmRestart(
  ctx: CommandContext,
  restarts: Sentence | undefined,
  body: JsonObject,
  readBefore: () => Promise<Json>,
): Promise<void> {
  const sentence = await restarts?.(ctx, body, readBefore);
  if (sentence !== undefined) await confirmSentence(ctx, sentence, 'Change it');
}

/**
 * Says what a request does that cannot be undone, and asks. Fails with usage (2) without a terminal and without `--yes`, and with
 * declined (2) for a no; nothing was sent then. `question` has no mark at its end.
 */
export async function confirmSentence(ctx: CommandContext, sentence: string, question: string): Promise<void> {
  if (!ctx.dryRun && !ctx.yes && !ctx.terminal.canAsk) throw usage(sentence, 'Nothing was sent. --yes confirms it.');
  await ctx.tell(sentence);
  if (ctx.dryRun || ctx.yes || (await ctx.prompts.confirm(`${question}${await onProfile(ctx)}?`, false))) return;
  throw new Failure({ code: 'declined', exit: EXIT.usage, message: 'not confirmed: nothing was changed' });
}
